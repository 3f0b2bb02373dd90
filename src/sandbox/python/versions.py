"""A tester without tests: reports which Python this is and what it can import."""

import importlib.metadata
import platform

MODULES = ("numpy", "sympy")


def run(payload, start, report):
    report({"name": "python", "version": platform.python_version()})
    for name in MODULES:
        try:
            report({"name": name, "version": importlib.metadata.version(name)})
        except importlib.metadata.PackageNotFoundError:
            report({"name": name, "version": None})
