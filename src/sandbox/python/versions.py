"""A tester without tests: reports which Python this is and what it can import."""

MODULES = ("numpy", "sympy")


def run(payload, start, report):
    import importlib.metadata  # here: every fork of the zygote would carry it
    import platform

    report({"name": "python", "version": platform.python_version()})
    for name in MODULES:
        try:
            report({"name": name, "version": importlib.metadata.version(name)})
        except importlib.metadata.PackageNotFoundError:
            report({"name": name, "version": None})
