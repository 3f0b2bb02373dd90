"""The few system calls that the sandbox needs and Python does not offer."""

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]


def _check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags):
    _check(_libc.unshare(flags), "unshare")


def setns(fd, kind):
    _check(_libc.setns(fd, kind), "setns")


def mount(kind, target, flags, data):
    _check(_libc.mount(kind, target, kind, flags, data), f"mount {target.decode()}")


def die_with_parent(signal):
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal, 0, 0, 0), "prctl(PDEATHSIG)")


def adopt_orphans():
    """What descendants leave behind becomes our child, not pid 1's, which may not care."""
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(CHILD_SUBREAPER)")


def set_dumpable(yes):
    _check(_libc.prctl(_PR_SET_DUMPABLE, int(yes), 0, 0, 0), "prctl(DUMPABLE)")


def become(user):
    """None: there is nobody else to be. The parent's death signal does not outlive this."""
    if user is not None:
        os.setresgid(user["group"], user["group"], user["group"])
        os.setresuid(user["user"], user["user"], user["user"])


def drop_capabilities():
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


class Filter:
    """A seccomp program, ready to be installed."""

    class _Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]

    def __init__(self, instructions):
        self._program = self._Program(len(instructions) // 8, instructions)

    def install(self):
        """For this process and all that it starts, for good."""
        _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(NO_NEW_PRIVS)")
        program = ctypes.addressof(self._program)
        _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0), "prctl(SECCOMP)")
