// Hostile programs that run as commands.
#pragma once

#include "sandbox/hostile_testing.h"

namespace umf {

inline constexpr HostileCommand kCommands[] = {
    // Time
    {"EndlessLoop", "while True: pass", Ending::kTimeout},
    {"EndlessSum", "sum(range(10**12))", Ending::kTimeout},
    {"EndlessPower", "print(len(str(7 ** 7 ** 9)))", Ending::kTimeout},
    {"RegexBacktracking", "import re; re.match('(a+)+$', 'a' * 60 + 'b')", Ending::kTimeout},
    {"Sleep", "time.sleep(1000)", Ending::kTimeout},
    {"IgnoresSignalsAndExceptions", R"py(
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True:
    try:
        while True: pass
    except BaseException: pass
)py",
     Ending::kTimeout},
    {"StopsItself", "os.kill(os.getpid(), signal.SIGSTOP)", Ending::kTimeout},
    {"ClosesEverythingAndSleeps", "os.closerange(0, 4096); time.sleep(1000)", Ending::kTimeout},
    {"ManyProcessesShareTheCpuLimit", R"py(
for _ in range(3): os.fork()
while True: pass
)py",
     Ending::kTimeout},
    {"CpuOfEndedChildrenCounts", R"py(
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.03
        while time.process_time() < end: pass
        os._exit(0)
    os.wait()
)py",
     Ending::kTimeout},
    {"SpawnStorm", R"py(
while True:
    try: os.posix_spawn('/usr/bin/true', ['true'], {})
    except BlockingIOError: pass
)py",
     Ending::kTimeout},

    // Processes and threads
    {"ForkBomb", R"py(
while True:
    try: os.fork()
    except OSError: time.sleep(0.01)
)py",
     Ending::kTimeout},
    {"ThreadBomb", R"py(
import threading
count = 0
try:
    while count < 1000:
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
        count += 1
except RuntimeError: pass
print("contained" if count < 64 else f"ESCAPED {count}", flush=True)
os._exit(0)
)py"},
    {"DaemonOutlivesNothing", R"py(
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        while True: time.sleep(1)
    os._exit(0)
os.wait()
print("contained")
)py"},
    {"KillsEverybody", R"py(
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGSTOP, signal.SIGKILL):
    for who in (1, os.getppid(), -1, 0x7fff, 2**22 - 1):
        try: os.kill(who, number)
        except OSError: pass
print("contained")
)py"},
    {"RaisesItsLimits", R"py(
import resource
for what in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE,
             resource.RLIMIT_CPU, resource.RLIMIT_CORE, resource.RLIMIT_DATA):
    attempt("setrlimit", lambda: resource.setrlimit(what, (1 << 40, 1 << 40)))
attempt("prlimit of pid 1", lambda: resource.prlimit(1, resource.RLIMIT_AS))
attempt("nice", lambda: os.nice(-5))
attempt("scheduler", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10)))
attempt("affinity", lambda: os.sched_setaffinity(0, {0}))
print("contained")
)py"},

    // Memory and disk
    {"MemoryFlood", R"py(
hoard = []
try:
    while True: hoard.append(bytearray(1 << 20))
except MemoryError:
    size = len(hoard)
    hoard = None
    print("contained" if size <= 192 else f"ESCAPED {size}")
)py"},
    {"HugeString", R"py(
try: 'a' * 10**10
except MemoryError: print("contained")
)py"},
    {"SharedMappingFlood", R"py(
import mmap
hoard = []
try:
    while len(hoard) < 100:
        hoard.append(mmap.mmap(-1, 16 << 20))
        hoard[-1].write(bytes(16 << 20))
except (OSError, MemoryError): print("contained" if len(hoard) <= 12 else f"ESCAPED {len(hoard)}")
)py"},
    {"ManyProcessesFloodMemory", R"py(
for _ in range(8):
    if os.fork() == 0:
        hoard = bytearray(100 << 20)
        hoard[::4096] = b'x' * len(hoard[::4096])
        time.sleep(100)
time.sleep(100)
)py",
     Ending::kMemory},
    {"DiskFlood", R"py(
size = 0
try:
    for i in range(1000):
        with open(f"/tmp/{i}", "wb", buffering=0) as file: size += file.write(bytes(1 << 20))
except OSError: pass
print("contained" if size <= 8 << 20 else f"ESCAPED {size}")
)py"},
    {"DiskFloodByOtherNames", R"py(
size = 0
for folder in ("/dev/shm", "/var/tmp", "/tmp"):
    try:
        for i in range(1000):
            with open(f"{folder}/{i}", "xb", buffering=0) as file: size += file.write(bytes(1 << 20))
    except OSError: pass
print("contained" if size <= 8 << 20 else f"ESCAPED {size}")
)py"},
    {"InodeFlood", R"py(
count = 0
try:
    while count < 100000:
        os.close(os.open(f"/tmp/{count}", os.O_CREAT | os.O_WRONLY))
        count += 1
except OSError: pass
print("contained" if count <= 4096 else f"ESCAPED {count}")
)py"},
    {"HugeSparseFile", R"py(
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = os.open("/tmp/huge", os.O_CREAT | os.O_RDWR)
attempt("ftruncate", lambda: os.ftruncate(file, 1 << 40))
attempt("fallocate", lambda: os.posix_fallocate(file, 0, 1 << 30))
print("contained")
)py"},
    {"PipeAndDescriptorFlood", R"py(
held = []
try:
    while len(held) < 10000: held.append(os.pipe())
except OSError: pass
print("contained" if len(held) <= 64 else f"ESCAPED {len(held)}")
)py"},

    // Output
    {"FloodsStdout", "while True: os.write(1, b'x' * 65536)", Ending::kOutput},
    {"FloodsStderr", "while True: os.write(2, b'x' * 65536)", Ending::kOutput},
    {"FloodsEveryDescriptor", R"py(
while True:
    for descriptor in range(64):
        try: os.write(descriptor, b'x' * 4096)
        except OSError: pass
)py",
     Ending::kOutput},
    {"FloodsFromManyProcesses", R"py(
os.fork(); os.fork()
while True: print('x' * 1000, flush=True)
)py",
     Ending::kOutput},

    // Other people's files
    {"ReadsWhatIsNotItsOwn", R"py(
for path in ("/etc/shadow", "/etc/hosts", "/etc/ssh", "/root", "/home", "/proc/1/environ", "/proc/self/environ",
             "/proc/self/maps", "/proc/self/root/etc/shadow", "/proc/kcore", "/proc/sys/kernel/hostname", "/sys/kernel",
             "/var/lib", "/var/log", "/run", "/mnt", "/opt", "/srv", "/boot", "/dev/mem", "/dev/kmsg", "/dev/vda",
             "/dev/tty", "/dev/ptmx", "/dev/fuse", SOURCE_FOLDER):
    attempt("open " + path, lambda: os.open(path, os.O_RDONLY))
print("contained")
)py"},
    {"WritesOutsideScratch", R"py(
for path in ("/umf-hostile", "/usr/umf-hostile", "/usr/bin/umf-hostile", "/etc/umf-hostile", "/etc/passwd", "/bin/sh",
             "/dev/umf-hostile", "/var/umf-hostile", "/usr/bin/python3.11", "/proc/umf-hostile", "/tmp/../umf-hostile"):
    attempt("write " + path, lambda: os.open(path, os.O_WRONLY | os.O_CREAT, 0o777))
    attempt("mkdir " + path, lambda: os.mkdir(path + ".d"))
    attempt("unlink " + path, lambda: os.unlink(path))
    attempt("rename " + path, lambda: os.rename(path, path + ".x"))
    attempt("chmod " + path, lambda: os.chmod(path, 0o777))
print("contained")
)py"},
    {"LinksLeadNowhere", R"py(
for target in ("/etc/shadow", "/root", "/proc/1/root", SOURCE_FOLDER):
    name = "/tmp/" + target.replace("/", "_")
    os.symlink(target, name)
    attempt("symlink " + target, lambda: os.open(name, os.O_RDONLY))
attempt("hard link", lambda: os.link("/usr/bin/python3.11", "/tmp/python"))
print("contained")
)py"},
    {"Environment", R"py(
known = {"HOME", "LANG", "PATH", "TMPDIR", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS",
         "OPENBLAS_NUM_THREADS", "LC_CTYPE"}
print("ESCAPED" if set(os.environ) - known else "contained", *(set(os.environ) - known), sep="")
)py"},
    {"InheritedDescriptors", R"py(
for descriptor in range(3, 4096): attempt(f"descriptor {descriptor}", lambda: os.fstat(descriptor))
attempt("write to stdin", lambda: os.write(0, b"x"))
attempt("grow stdin", lambda: os.ftruncate(0, 5))
print("contained")
)py"},

    // The kernel
    {"BecomesRoot", R"py(
attempt("setuid", lambda: os.setuid(0))
attempt("setresuid", lambda: os.setresuid(0, 0, 0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("chown", lambda: os.chown("/tmp", 0, 0))
attempt("sethostname", lambda: __import__("socket").sethostname("x"))
print("contained" if os.getresuid() == (65534,) * 3 else "ESCAPED")
)py"},
    {"SetUserPrograms", R"py(
import subprocess
found = False
for program in ("/usr/bin/su", "/usr/bin/mount", "/usr/bin/passwd", "/usr/bin/newgrp", "/usr/bin/chsh"):
    if os.path.exists(program):
        subprocess.run([program, "-c", "id"], stdin=subprocess.DEVNULL, stdout=2, timeout=1)
result = subprocess.run(["/usr/bin/id", "-u"], capture_output=True, text=True)
print("contained" if result.stdout == "65534\n" else "ESCAPED " + result.stdout)
)py"},
    {"MountsAndNamespaces", R"py(
for flag in (0x00020000, 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000):
    refused("unshare", 272, flag)
    refused("clone", 56, flag | 17, 0, 0, 0, 0)
refused("unshare time", 272, 0x80)
refused("clone3", 435, (ctypes.c_uint64 * 8)(0x10000000), 64)
refused("setns", 308, 0, 0)
refused("mount", 165, b"tmpfs", b"/tmp", b"tmpfs", 0, None)
refused("umount2", 166, b"/tmp", 2)
refused("pivot_root", 155, b"/tmp", b"/tmp")
refused("chroot", 161, b"/tmp")
refused("open_tree", 428, -100, b"/", 1)
refused("fsopen", 430, b"tmpfs", 0)
refused("move_mount", 429, -100, b"/", -100, b"/tmp", 0)
refused("mount_setattr", 442, -100, b"/", 0, None, 0)
refused("mknod", 133, b"/tmp/disk", 0o60666, 0xfe00)
refused("mknodat", 259, -100, b"/tmp/disk", 0o60666, 0xfe00)
print("contained")
)py"},
    {"ExoticSystemCalls", R"py(
calls = dict(userfaultfd=323, io_uring_setup=425, io_uring_enter=426, bpf=321, keyctl=250, add_key=248, request_key=249,
    perf_event_open=298, memfd_create=319, memfd_secret=447, ptrace=101, process_vm_readv=310, process_vm_writev=311,
    kcmp=312, pidfd_open=434, pidfd_getfd=438, process_madvise=440, shmget=29, msgget=68, semget=64, mq_open=240,
    name_to_handle_at=303, open_by_handle_at=304, fanotify_init=300, inotify_init1=294, quotactl=179, acct=163,
    swapon=167, reboot=169, settimeofday=164, clock_settime=227, adjtimex=159, personality=135, modify_ldt=154, iopl=172,
    ioperm=173, init_module=175, finit_module=313, delete_module=176, kexec_load=246, syslog=103, vhangup=153,
    seccomp=317, capset=126, setdomainname=171, migrate_pages=256, move_pages=279, mbind=237, set_mempolicy=238,
    vmsplice=278, splice=275, tee=276, lookup_dcookie=212, nfsservctl=180, uselib=134, ustat=136, sysfs=139,
    landlock_create_ruleset=444, mlockall=151, remap_file_pages=216, rt_tgsigqueueinfo_of_init=297)
buffer = ctypes.create_string_buffer(4096)
for name, number in calls.items():
    refused(name, number, 1, buffer, 0, 0, 0, 0)
refused("32-bit prctl(SECCOMP)", 157, 22, 0, 0, 0, 0)
refused("prctl(DUMPABLE)", 157, 4, 1, 0, 0, 0)
refused("ioctl(TIOCSTI)", 16, 0, 0x5412, buffer)
print("contained")
)py"},
    {"CallsOfTheOther32Bits", R"py(
import mmap
# int 0x80 with eax = 20, getpid of the 32-bit table: the filter knows one architecture.
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
print("ESCAPED", run())
)py",
     Ending::kCrash},
    {"Network", R"py(
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK,
               socket.AF_ALG, socket.AF_BLUETOOTH, socket.AF_CAN):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        attempt(f"socket {family} {kind}", lambda: socket.socket(family, kind))
attempt("connect", lambda: socket.create_connection(("127.0.0.1", 22), 0.1))
attempt("lookup", lambda: socket.getaddrinfo("example.org", 80))
attempt("socketpair", lambda: socket.socketpair(socket.AF_INET))
ours, theirs = socket.socketpair()
attempt("descriptors over a socket", lambda: socket.send_fds(ours, [b"x"], [0]))
attempt("connect of a pair", lambda: ours.connect("\0umf"))
attempt("bind of a pair", lambda: ours.bind("\0umf"))
print("contained")
)py"},

    // Ends of all kinds
    {"Segfault", "ctypes.string_at(0)", Ending::kCrash},
    {"Abort", "os.abort()", Ending::kCrash},
    {"KillsItself", "os.kill(os.getpid(), 9)", Ending::kCrash},
    {"Alarm", "signal.alarm(1); signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(9)",
     Ending::kCrash},
    {"ExitsAtOnce", "os._exit(0)", Ending::kExited, ""},
    {"DeepRecursion", R"py(
def f(n): return f(n + 1)
try: f(0)
except RecursionError: print("contained")
)py"},
    {"DeepRecursionInC", R"py(
import threading
sys.setrecursionlimit(10**9)
threading.stack_size(1 << 18)
nested = []
for _ in range(10**5): nested = [nested]
thread = threading.Thread(target=repr, args=(nested,))
thread.start()
thread.join()
)py",
     Ending::kCrash},
    {"BecomesAnotherProgram", "os.execv('/bin/echo', ['echo', 'contained'])"},
    {"AtExitAndDestructors", R"py(
import atexit
class Last:
    def __del__(self): os.write(1, b"contained\n")
last = Last()
atexit.register(lambda: os._exit(0) if False else None)
)py"},
    {"LeavesThingsBehind", R"py(
for folder in ("/tmp", "/var/tmp", "/dev/shm"):
    open(folder + "/sitecustomize.py", "w").write("import os; os._exit(9)")
    open(folder + "/umf-hostile", "w").write("poison")
os.makedirs("/tmp/.local/lib/python3.11/site-packages")
print("contained")
)py"},
    {"FindsNothingLeftBehind", R"py(
print("contained" if os.listdir("/tmp") == ["main.py"] else f"ESCAPED {os.listdir('/tmp')}")
)py"},
};

}  // namespace umf
