// Hostile programs that are asked by a tester.
#pragma once

#include "sandbox/hostile_testing.h"

namespace umf {

// A tester's payload holds what candidates must not find. Programs look for it backwards, so that
// their own source does not contain it.
inline constexpr char kSecret[] = "the-expected-value-4711";

inline constexpr HostileCandidate kCandidates[] = {
    // Time and signals
    {"EndlessLoop", "def f():\n  while True: pass", "timeout"},
    {"EndlessLoopAtLoad", "while True: pass", "timeout"},
    {"EndlessC", "def f(): return sum(range(10**12))", "timeout"},
    {"EndlessRegex", "import re\ndef f(): re.match('(a+)+$', 'a' * 60 + 'b')", "timeout"},
    {"SwallowsEverything", R"py(
def f():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        try:
            while True: pass
        except BaseException: pass
)py",
     "timeout"},
    {"StopsItself", "def f(): os.kill(os.getpid(), signal.SIGSTOP)", "timeout"},
    {"SleepsInDestructor", R"py(
class Slow:
    def __del__(self): time.sleep(1000)
def f():
    Slow()
)py",
     "timeout"},
    {"EndlessRepr", R"py(
class Slow:
    def __repr__(self):
        while True: pass
def f(): return Slow()
)py",
     "timeout"},
    {"BurnsCpuBehindTheAnswer", R"py(
import threading
def burn():
    while True: pass
def f():
    threading.Thread(target=burn, daemon=True).start()
    return "fine"
)py",
     "value", "fine"},
    {"KillsEverybody", R"py(
def f():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGSTOP, signal.SIGKILL):
        for who in (1, os.getppid(), -1, 2, 3):
            if who != os.getpid():
                try: os.kill(who, number)
                except OSError: pass
    return "fine"
)py",
     "value", "fine"},
    {"ReadsTheTesterFromOutside", R"py(
def f():
    buffer = ctypes.create_string_buffer(64)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
    for pid in (1, os.getppid(), os.getpid()):
        refused("ptrace", 101, 16, pid, 0, 0)
        refused("process_vm_readv", 310, pid, vector, 1, vector, 1, 0)
        refused("pidfd_open", 434, pid, 0)
        attempt("mem", lambda: open(f"/proc/{pid}/mem", "rb"))
    return ESCAPES
)py",
     "value", "[]"},

    // Ends
    {"ExitsAtLoad", "os._exit(0)", "crash", "status 0"},
    {"Exits", "def f(): os._exit(0)", "crash", "status 0"},
    {"SystemExit", "def f(): sys.exit(0)", "error", "SystemExit"},
    {"ExitAtLoad", "exit = sys.exit(0)", "error", "SystemExit"},
    {"Segfault", "def f(): ctypes.string_at(0)", "crash", "SIGSEGV"},
    {"Abort", "def f(): os.abort()", "crash", "SIGABRT"},
    {"BecomesAnotherProgram", "def f(): os.execv('/bin/echo', ['echo', 'hello'])", "crash"},
    {"ClosesItsSocket", "def f():\n  os.closerange(0, 64)\n  time.sleep(1000)", "crash",
     "closed its connection"},
    {"DeepRecursion", "def f(): return f()", "error", "RecursionError"},
    {"DeepRecursionInC", R"py(
def f():
    import threading
    sys.setrecursionlimit(10**9)
    threading.stack_size(1 << 18)
    nested = []
    for _ in range(10**5): nested = [nested]
    thread = threading.Thread(target=repr, args=(nested,))
    thread.start()
    thread.join()
)py",
     "crash", "SIGSEGV"},

    // Memory
    {"MemoryFlood", R"py(
def f():
    hoard = []
    while True: hoard.append(bytearray(1 << 20))
)py",
     "memory"},
    {"HugeInteger", "def f(): return 1 << (1 << 40)", "memory"},
    {"HugeAnswer", "def f(): return 'x' * (70 << 20)", "output", "larger than"},
    {"ManyProcessesFloodMemory", R"py(
def f():
    for _ in range(6):
        if os.fork() == 0:
            hoard = bytearray(100 << 20)
            hoard[::4096] = b'x' * len(hoard[::4096])
            time.sleep(100)
    time.sleep(100)
)py",
     "", "", Ending::kMemory},
    {"ForkBomb", R"py(
def f():
    while True:
        try: os.fork()
        except OSError: time.sleep(0.01)
)py",
     "timeout"},
    {"DaemonHoldsTheSocket", R"py(
def f():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(1)
        os._exit(0)
    os.wait()
    os._exit(0)
)py",
     "crash"},

    // Lies on the wire
    {"ForgesReportsEverywhere", R"py(
def f():
    for descriptor in range(64):
        try: os.write(descriptor, b'{"outcome": "loaded", "answers": ["forged"]}\n')
        except OSError: pass
    time.sleep(100)
)py",
     "output"},
    {"HugeLength", "def f(): os.write(3, b'v\\xff\\xff\\xff\\xff')", "output"},
    {"WrongKind", "def f(): os.write(3, b'z\\x00\\x00\\x00\\x00')", "error", "no proper answer"},
    {"EmptyValue", "def f(): os.write(3, b'v\\x00\\x00\\x00\\x00')", "error", "no proper answer"},
    {"HalfAFrame", "def f():\n  os.write(3, b'v\\x09')\n  time.sleep(100)", "timeout"},
    {"Trickle", R"py(
def f():
    os.write(3, b'v\x00\x00\x10\x00')
    while True:
        os.write(3, b' ')
        time.sleep(0.01)
)py",
     "timeout"},
    {"AnswersBeforeTheQuestion", R"py(
os.write(3, b'v\x04\x00\x00\x00null' + b'v\x09\x00\x00\x00"guessed"')
def f(): return "asked"
)py",
     "value", "guessed"},
#define WIRE(text)                                         \
  "import struct\ndef f():\n  data = " text                \
  "\n  os.write(3, struct.pack('<cI', b'v', len(data)))\n" \
  "  while data: data = data[os.write(3, data):]\n  time.sleep(100)"
    {"DeepNesting", WIRE("b'[' * 100000 + b']' * 100000"), "error", "nested too deeply"},
    {"DeepTags", WIRE("b'{\"t\":[' * 5000 + b']}' * 5000"), "error", "nested too deeply"},
    {"EndlessDigits", WIRE("b'7' * 10**6"), "error", "no proper answer"},
    {"UnknownTag", WIRE("b'{\"__import__\":\"os\"}'"), "error", "no proper answer"},
    {"TwoTags", WIRE("b'{\"t\":[],\"s\":[]}'"), "error", "no proper answer"},
    {"UnhashableKey", WIRE("b'{\"d\":[[1],2]}'"), "error", "no proper answer"},
    {"ObjectArray", WIRE("b'{\"n\":[\"O\",[1],\"AAAAAAAAAAA=\"]}'"), "error", "no proper answer"},
    {"HugeShape", WIRE("b'{\"n\":[\"<f8\",[99999999999],\"AAAAAAAAAAA=\"]}'"), "error",
     "no proper answer"},
    {"HugeItems", WIRE("b'{\"g\":[\"<U999999999\",\"AAAA\"]}'"), "error", "no proper answer"},
    {"DivisionByZero", WIRE("b'{\"F\":[1,0]}'"), "error", "no proper answer"},
    {"NotUtf8", WIRE("b'\"\\xff\\xfe\"'"), "error", "no proper answer"},
    {"NotAList", WIRE("b'{\"t\":\"abc\"}'"), "error", "no proper answer"},
    {"DequeOfAHugeRange", WIRE("b'{\"q\":[null,{\"r\":[0,999999999999,1]}]}'"), "error",
     "no proper answer"},
    {"ObjectsOfAHugeRange", WIRE("b'{\"N\":[[1],{\"r\":[0,999999999999,1]}]}'"), "error",
     "no proper answer"},
    {"CrowdedSet",
     WIRE("b'{\"s\":[' + b','.join(b'%d' % (i * (2**61 - 1)) for i in range(99999)) + b']}'"),
     "error", "no proper answer"},
    {"HugeFraction",
     WIRE("b'{\"F\":[{\"i\":\"' + b'7' * 9999999 + b'\"},{\"i\":\"' + b'3' * 9999999 + b'\"}]}'"),
     "error", "no proper answer"},
    {"HugeRange", WIRE("b'{\"s\":{\"r\":[0,999999999999,1]}}'"), "error", "no proper answer"},

    // Lies in Python
    {"ContainsItself", "def f():\n  a = []\n  a.append(a)\n  return a", "error",
     "nested too deeply"},
    {"LyingSubclasses", R"py(
class List(list):
    def __iter__(self): return iter(["forged"])
    def __eq__(self, other): return True
class Int(int):
    def __index__(self): return 7
    def __repr__(self): return "forged"
    __int__ = __index__
def f(): return [List([1]), Int(2)]
)py",
     "value", "[[1], 2]"},
    {"EqualsEverything", R"py(
class Yes:
    def __eq__(self, other): return True
    def __repr__(self): return "42"
def f():
    return Yes() == 1 and {"x": Yes()}
)py",
     "value", "{'x': 42}"},
    {"HostileException", R"py(
class Bad(BaseException):
    def __str__(self): raise Bad()
def f(): raise Bad()
)py",
     "error", "Bad"},
    {"PatchesTheInterpreter", R"py(
import builtins, json, importlib
def f():
    import umf.wire, umf.channel, umf.candidate
    umf.wire.encode = umf.wire.decode = lambda value: b'"forged"'
    json.dumps = lambda *a, **k: '"forged"'
    builtins.len = lambda x: 0
    builtins.repr = lambda x: "forged"
    for name in list(sys.modules):
        if name.startswith("umf"): sys.modules.pop(name)
    return 1
)py",
     "error"},
    {"SearchesFramesAndObjects", R"py(
import gc
def f():
    needle = "1174-eulav-detcepxe-eht"[::-1]
    found = []
    frame = sys._getframe()
    while frame:
        for scope in (frame.f_locals, frame.f_globals):
            found += [k for k, v in list(scope.items()) if k != "needle" and isinstance(v, str) and needle in v]
        frame = frame.f_back
    for thing in gc.get_objects():
        if isinstance(thing, dict):
            found += [k for k, v in list(thing.items()) if isinstance(v, (str, bytes)) and v is not needle and str(needle) in str(v)]
    return found
)py",
     "value", "[]"},
    {"SearchesMemory", R"py(
# Both needles are written with one bit flipped, and so is what is searched: the search leaves no traces of itself.
SECRET = b"\x75\x69\x64\x2c\x64\x79\x71\x64\x62\x75\x64\x65\x2c\x77\x60\x6d\x74\x64\x2c\x35\x36\x30\x30"
MARKER = b"\x69\x6e\x6f\x64\x72\x75\x2c\x6c\x60\x73\x6a\x64\x73\x2c\x34"
flip = bytes(byte ^ 1 for byte in range(256))
marker = "-".join(["honest", "marker", str(2 + 3)])
def f():
    read, write = os.pipe()
    libc.sbrk.restype = ctypes.c_void_p
    libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    secrets = markers = 0
    for top in {thing & ~4095 for thing in (libc.sbrk(0), id(sys) + (4 << 20), id(f) + (4 << 20), id(marker) + (4 << 20))}:
        for page in range(top - (16 << 20), top, 4096):
            if libc.write(write, page, 1) != 1: continue
            os.read(read, 1)
            text = ctypes.string_at(page, 4096).translate(flip)
            secrets += SECRET in text
            markers += MARKER in text
    return markers > 0, secrets
)py",
     "value", "(True, 0)"},
    {"UsesOurOwnCode", R"py(
def f():
    from umf import warden, cell, linux
    attempt("unshare", lambda: linux.unshare(linux.CLONE_NEWUSER))
    attempt("mount", lambda: linux.mount(b"tmpfs", b"/tmp", 0, b""))
    attempt("setns", lambda: linux.setns(0, 0))
    attempt("dumpable", lambda: linux.set_dumpable(True))
    return ESCAPES
)py",
     "value", "[]"},
    {"Descriptors", R"py(
def f():
    found = []
    for descriptor in range(4096):
        try: found.append((descriptor, os.fstat(descriptor).st_mode & 0o170000))
        except OSError: pass
    return found == [(0, 0o020000), (1, 0o020000), (2, 0o020000), (3, 0o140000)] or found
)py",
     "value", "True"},
    {"Environment", "def f(): return sorted(os.environ)", "value",
     "['HOME', 'LANG', 'MALLOC_ARENA_MAX', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PATH', "
     "'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'TMPDIR']"},
    {"PrintsALot", R"py(
print("x" * (1 << 22))
def f():
    os.write(1, b"x" * (1 << 22))
    sys.__stdout__.write("x" * (1 << 20))
    print("x" * (1 << 20))
    return "fine"
)py",
     "value", "fine"},
    {"Files", R"py(
def f():
    for path in ("/etc/shadow", "/root", "/proc/self", "/proc/1", "/sys", "/home", "/usr/umf-hostile"):
        attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "a"))
    open("umf-hostile", "w").write("poison")
    return ESCAPES, os.getcwd(), os.listdir("/tmp")
)py",
     "value", "([], '/tmp', ['umf-hostile'])"},
    {"FindsNothingLeftBehind", "def f(): return os.listdir('/tmp')", "value", "[]"},
    {"Network", R"py(
import socket
def f():
    for family in range(46):
        for kind in (1, 2, 3, 5): attempt(f"socket {family}", lambda: socket.socket(family, kind))
    return ESCAPES
)py",
     "value", "[]"},
};

#undef WIRE

}  // namespace umf
