#!/usr/bin/python3
# fuzz-inputs.py: the archives in which tests/fuzz keeps its inputs, one for each target.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   fuzz-inputs.py pack FOLDER ARCHIVE   all files of FOLDER become ARCHIVE, in one step
#   fuzz-inputs.py unpack ARCHIVE FOLDER into FOLDER, which is made; no archive is no files
#   fuzz-inputs.py check ARCHIVE...      is each what `pack` would write? Names those that are not.
#
# An archive is a zip whose bytes depend on names and contents alone: sorted, stored rather than
# compressed (so that git sees what changed and keeps equal parts once), with no time and no owner.
# libFuzzer names an input by its SHA-1; twelve digits of it are kept.

import io
import os
import pathlib
import re
import sys
import zipfile

LONG_NAME = re.compile(r"[0-9a-f]{40}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def packed(inputs):
    """The archive of {name: bytes}, as bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as out:
        for name, content in sorted(inputs.items()):
            if not NAME.fullmatch(name):
                sys.exit(f"fuzz-inputs.py: expected a name of letters, digits and . _ -, found {name!r}")
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            out.writestr(entry, content)
    return archive.getvalue()


def read(path):
    """{name: bytes} of an archive."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(folder, path):
    inputs = {}
    for file in sorted(pathlib.Path(folder).iterdir()):
        name = file.name[:12] if LONG_NAME.fullmatch(file.name) else file.name
        inputs[name] = file.read_bytes()
    path = pathlib.Path(path)
    new = path.with_name(path.name + ".new")
    new.write_bytes(packed(inputs))
    os.replace(new, path)
    print(f"{len(inputs)} inputs, {sum(map(len, inputs.values()))} bytes in {path}")


def unpack(path, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if os.path.exists(path):
        for name, content in read(path).items():
            # A path in a name would leave the folder.
            if not NAME.fullmatch(name):
                sys.exit(f"fuzz-inputs.py: {path}: expected plain names, found {name!r}")
            (folder / name).write_bytes(content)


def check(*paths):
    bad = [path for path in paths if packed(read(path)) != pathlib.Path(path).read_bytes()]
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    commands = {"pack": pack, "unpack": unpack, "check": check}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit("fuzz-inputs.py: expected pack FOLDER ARCHIVE, unpack ARCHIVE FOLDER or check ARCHIVE...")
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
