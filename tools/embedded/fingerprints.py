#!/usr/bin/env python3
"""SHA-256 of every file of the checkpoints in a folder, but for their cards: FOLDER/FINGERPRINTS.

    tools/embedded/fingerprints.py assets/models
    (cd assets/models && sha256sum -c FINGERPRINTS)      checks them
"""

import hashlib
import pathlib
import sys


def write_fingerprints(folder):
    files = [path for path in sorted(folder.glob("*/*")) if path.name != "README.md" and path.is_file()]
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files]
    (folder / "FINGERPRINTS").write_text("".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_fingerprints(pathlib.Path(sys.argv[1]))
