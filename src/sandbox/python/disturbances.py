"""Signals from outside the sandbox that hit every process of a job: a scheduler's, or an administrator's.

They may have ended or changed any program, so a job that heard one says nothing about its programs.
"""

import signal

_SI_USER = 0
# All but those that the cell itself uses, and faults of its own.
_WATCHED = {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGTERM,
            signal.SIGCONT, signal.SIGTSTP, signal.SIGXCPU, signal.SIGPWR}


class Disturbances:
    """In the cell, which hears what its programs hear. Its signals wait until somebody looks: only so does pid 1 of a
    namespace notice them at all."""

    def __init__(self, namespaces):
        self._namespaces = namespaces
        self._came = False
        signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)

    def came(self):
        for _ in _WATCHED:  # each waits once; a program that goes on sending must not keep us here
            heard = signal.sigtimedwait(_WATCHED, 0)
            if heard is None:
                break
            # Programs can signal the cell, too, and would like to go unjudged. In a namespace of their own they have a
            # number here, and no program can send SI_USER without it; elsewhere they cannot send signals at all.
            self._came = self._came or (heard.si_code == _SI_USER and (heard.si_pid == 0 or not self._namespaces))
        return self._came


def hear_again():
    """For a program: all signals as usual."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
