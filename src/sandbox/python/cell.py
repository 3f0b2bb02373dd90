"""The cell: pid 1 of the namespaces that untrusted programs live in. It starts and ends them and tells how they ended.

It is forked before the warden reads the payload, so that nothing forked from it can hold expected values.
"""

import gc
import os
import random
import resource
import select
import signal
import socket
import struct
import time

from umf import disturbances, guest_host, linux, patience

SCRATCH = "/tmp"
NOBODY = 65534
# Of the main thread. The kernel leaves 128 MiB below the stack free for it to grow into.
STACK_BYTES = 112 << 20
NEW_STACK_BYTES = 8 << 20  # of a new program, which takes it for the size of its threads' stacks, too
START, KILL, ENDED, USED = b"s", b"k", b"e", b"u"
DISTURBED = 3  # the exit status of a cell that a signal from outside has reached
MESSAGE = struct.Struct("<cii")  # what, which, wait status or milliseconds of CPU time


class Cell:
    def __init__(self, world, header, link):
        self.world, self.header, self.limits, self.link = world, header, header["limits"], link
        self.candidates = {}  # pid: id
        self.disturbances = disturbances.Disturbances(world.namespaces)

    def enter(self):
        """Leaves the warden's world: own user, own mounts, an empty scratch folder, no capabilities."""
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        linux.become(self.header["users"]["candidate"])
        if self.world.namespaces:
            self._enter_namespaces()
        else:
            os.chdir(self.header["scratch"] or "/")
        linux.drop_capabilities()
        linux.die_with_parent(signal.SIGKILL)
        os.close(self.world.proc)
        self.world.cell = os.getpid()
        linux.set_dumpable(False)

    def _enter_namespaces(self):
        user, group = os.getuid(), os.getgid()
        linux.set_dumpable(True)  # or /proc/self would belong to root
        linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS)
        self._write("self/setgroups", "deny")
        self._write("self/uid_map", f"{NOBODY} {user} 1")
        self._write("self/gid_map", f"{NOBODY} {group} 1")
        options = f"size={self.limits['scratch']},nr_inodes={self.limits['files']},mode=0700"
        linux.mount(b"tmpfs", SCRATCH.encode(), linux.MS_NOSUID | linux.MS_NODEV, options.encode())
        os.chdir(SCRATCH)

    def _write(self, path, text):
        descriptor = os.open(path, os.O_WRONLY, dir_fd=self.world.proc)
        os.write(descriptor, text.encode())
        os.close(descriptor)

    # Candidates

    def serve(self):
        """Until the warden closes its end."""
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poll = select.poll()
        poll.register(self.link, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if wake in ready:
                os.read(wake, 512)
            if self.link.fileno() in ready and not self._obey():
                return
            self._reap()

    def _obey(self):
        message, descriptors, _, _ = socket.recv_fds(self.link, MESSAGE.size, 1)
        if not message:
            return False
        what, which, _ = MESSAGE.unpack(message)
        if what == START:
            self._start(which, descriptors[0])
        elif what == KILL:
            self._kill(which)
        elif what == USED:
            self.link.send(MESSAGE.pack(USED, which, self._used_ms(which)))
        return True

    def _start(self, which, descriptor):
        pid = os.fork()
        if pid == 0:
            become_candidate(self.world, self.limits, descriptor)
        os.close(descriptor)
        self.candidates[pid] = which

    def _kill(self, which):
        for pid, candidate in self.candidates.items():
            if candidate == which:
                os.kill(pid, signal.SIGKILL)
        self._sweep(but=which)

    def _used_ms(self, which):
        """CPU time of a candidate itself; 0 once it ended."""
        for pid, candidate in self.candidates.items():
            if candidate == which:
                return int(1000 * time.clock_gettime(patience.cpu_clock(pid)))
        return 0

    def _sweep(self, but):
        """What an ended candidate left behind; while others live, nobody can tell whose it is."""
        if self.world.namespaces and not set(self.candidates.values()) - {but}:
            try:
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            which = self.candidates.pop(pid, None)
            if which is not None:
                self._sweep(but=which)
                self.link.send(MESSAGE.pack(ENDED, which, status))

    # Commands

    def run_command(self, argv, files, descriptors):
        """Starts it, and returns its wait status once it ended. What it started ends with the cell."""
        if self.world.namespaces:
            for path, content in files.items():
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
                with open(path, "wb") as file:
                    file.write(content)
        problem, told = os.pipe()
        child = os.fork()
        if child == 0:
            self._exec(argv, descriptors, told)
        os.close(told)
        text = os.read(problem, 4096)
        if text:
            raise OSError(text.decode())
        for descriptor in descriptors:
            os.close(descriptor)
        while True:
            pid, status = os.wait()
            if pid == child:
                return status

    def _exec(self, argv, descriptors, told):
        try:
            os.setsid()
            disturbances.hear_again()
            os.dup2(told, 40, inheritable=False)
            for place, descriptor in enumerate(descriptors):
                os.dup2(descriptor, place)
            os.closerange(len(descriptors), 40)
            os.closerange(41, 4096)
            die_with_cell(self.world)
            set_limits(self.world, self.limits, base_memory=0, stack=NEW_STACK_BYTES)
            self.world.filters["candidate"].install()
            os.execve(argv[0], argv, self.world.environment)
        except BaseException as problem:
            os.write(40, f"cannot run '{argv[0]}': {problem}".encode()[:4000])
        os._exit(127)


def set_limits(world, limits, base_memory, stack):
    values = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_FSIZE: limits["scratch"],
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_STACK: STACK_BYTES,
        resource.RLIMIT_CPU: limits["cpu_seconds"],
        resource.RLIMIT_DATA: base_memory + limits["memory"],
        resource.RLIMIT_AS: base_memory + limits["memory"],
    }
    if world.namespaces:  # elsewhere the count would include the user's other processes
        values[resource.RLIMIT_NPROC] = limits["processes"]
    for what, value in values.items():
        allowed = resource.getrlimit(what)[1]
        if allowed != resource.RLIM_INFINITY:
            value = min(value, allowed)
        soft = min(value, stack) if what == resource.RLIMIT_STACK else value
        resource.setrlimit(what, (soft, value))


def die_with_cell(world):
    """In a namespace pid 1 takes all with it. Elsewhere a program is the cell's child and has no children itself."""
    if not world.namespaces:
        linux.die_with_parent(signal.SIGKILL)
        if os.getppid() != world.cell:
            os._exit(0)  # it died before we asked


def keep_only(descriptor, place):
    """Standard streams lead nowhere; `descriptor` moves to `place`; all others are closed."""
    nowhere = os.open("/dev/null", os.O_RDWR)
    os.dup2(descriptor, 40)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.dup2(40, place, inheritable=False)
    os.closerange(place + 1, 4096)


def become_candidate(world, limits, descriptor):
    try:
        os.setsid()
        disturbances.hear_again()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        keep_only(descriptor, 3)
        die_with_cell(world)
        os.environ.clear()
        os.environ.update(world.environment)
        set_limits(world, limits, limits["base_memory"], stack=STACK_BYTES)
        world.filters["candidate"].install()
        random.seed(0)
        gc.enable()
        guest_host.serve(socket.socket(fileno=3))
    finally:
        os._exit(0)
