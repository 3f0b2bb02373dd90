"""The warm interpreter: imports once, then forks one warden per job and never runs anything else.

Started by launch.cc with descriptors 3 (what this program is made of, as JSON), 4 (the socket to umf) and 5 (/proc,
which has no name in here).
"""

import sys

sys.path[:] = [place for place in sys.path if place]  # without the current folder, as by -P, which is new in Python 3.11
if not hasattr(sys, "set_int_max_str_digits"):  # nor do Pythons before 3.11 limit the digits of numbers
    sys.get_int_max_str_digits, sys.set_int_max_str_digits = lambda: 0, lambda digits: None

import base64
import gc
import importlib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import socket

PACKAGES = ["/usr/lib/python3/dist-packages", "/usr/local/lib/python{}.{}/dist-packages".format(*sys.version_info)]
# What programs usually import; a fork that finds them loaded starts in milliseconds.
USUAL = """abc ast array bisect builtins cmath collections collections.abc contextlib copy csv ctypes dataclasses datetime
decimal enum fractions functools hashlib heapq inspect io itertools json math numbers operator os pprint queue random re
statistics string struct textwrap threading time traceback types typing unicodedata uuid zlib""".split()
ARRAYS = ("numpy", "numpy.linalg", "numpy.random")

SETUP, CONTROL, PROC = 3, 4, 5


class Embedded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules built into umf, as umf.NAME."""

    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, name, path, target=None):
        if name == "umf":
            return importlib.util.spec_from_loader(name, self, is_package=True)
        package, _, module = name.partition(".")
        if package == "umf" and module in self.sources:
            return importlib.util.spec_from_loader(name, self, origin=f"<umf {module}.py>")
        return None

    def exec_module(self, module):
        if module.__name__ != "umf":
            text = self.sources[module.__name__.partition(".")[2]]
            exec(compile(text, module.__spec__.origin, "exec"), module.__dict__)


def load(setup):
    sys.path += PACKAGES
    sys.meta_path.insert(0, Embedded(setup["modules"]))
    for name in USUAL:
        importlib.import_module(name)
    for name in (*ARRAYS, *(f"umf.{module}" for module in setup["modules"] if module != "zygote")):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != "numpy":
                raise
            # A tester that needs it says so when it is asked for.
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)


def warm_up(module):
    """Imports what the module says it USES; later forks find it loaded, too."""
    for name in getattr(sys.modules.get(f"umf.{module}"), "USES", ()):
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except ImportError:
                continue  # the tester itself will say so
            gc.collect()
            gc.freeze()


def serve(setup):
    from umf import linux, warden, wardens

    world = warden.World(setup, PROC)
    control = socket.socket(fileno=CONTROL)
    own_pids = os.open("self/ns/pid", os.O_RDONLY | os.O_CLOEXEC, dir_fd=PROC) if world.namespaces else None
    linux.set_dumpable(False)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    children = wardens.Wardens()
    gc.collect()
    gc.freeze()
    control.send(b"warm")
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 256, 8)
        if not message:
            return children.end()  # umf is gone
        warm_up(message.decode().partition(" ")[2])
        if world.namespaces:
            linux.unshare(linux.CLONE_NEWPID)
        child = os.fork()
        if child == 0:
            control.detach()
            os.close(CONTROL)
            if own_pids is not None:
                os.close(own_pids)
            warden.main(world, descriptors)  # does not return
        if world.namespaces:
            linux.setns(own_pids, linux.CLONE_NEWPID)
        children.add(child)
        for descriptor in descriptors:
            os.close(descriptor)


def main():
    with open(SETUP, "rb") as file:
        setup = json.load(file)
    for name, program in setup["filters"].items():
        setup["filters"][name] = base64.b64decode(program)
    load(setup)
    serve(setup)


main()
