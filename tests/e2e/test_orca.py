#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten tasks with the picture off: done with keys, known by what the screen reader Orca says.

    test_orca.py BUILD/app/regard            (TAP; needs a display and a session bus)

tests/data/orca-tasks.txt is what is done and what has to be heard, in this order; Orca may say more between. Skipped
where orca is not installed (18 MB to download, 88 MB on disk, so that no machine of the tests has to have it).
"""

import os
import re
import sys
import tempfile

import orca
import regard
from driver import run_tap
from regard import Window, test_quits_in_silence

TASKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "orca-tasks.txt")
FOLDER = tempfile.mkdtemp(prefix="regard-orca-files-")


def read_tasks():
    """[(name, [(word, rest, [sentence])])]: what is done, and what is said of it."""
    tasks = []
    with open(TASKS, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("## "):
                tasks.append((line[3:], []))
            elif line.startswith("> "):
                word, _, rest = line[2:].partition(" ")
                tasks[-1][1].append((word, rest, []))
            elif line and not line.startswith("#"):
                tasks[-1][1][-1][2].append(line)
    return tasks


def do(window, word, rest):
    if word == "press":
        window.key(*rest.split())
    elif word == "type":
        window.type(rest, delay=40)
    elif word == "window":
        window.toplevel(rest)
    elif word == "closed":
        window.wait_for_closed(rest)
    elif word == "file":
        title, _, name = rest.rpartition(" ")
        window.answer_file_chooser(title, os.path.join(FOLDER, name))
    else:
        raise AssertionError(f"what is {word!r}?")


def make_test(name, steps):
    def test(window):
        for word, rest, sentences in steps:
            do(window, word, rest)
            for said in window.reader.wait_for(*sentences) if sentences else []:
                print(f"# {said!r}")
                # GTK's file chooser has such names, which is not ours to mend.
                assert word == "file" or not re.search(r"\b(Gtk|Adw|Regard)[A-Z]\w+", said), f"a type: {said!r}"

    test.__name__ = "test_" + re.sub(r"\W+", "_", name.lower())
    return test


TESTS = [make_test(*task) for task in read_tasks()] + [test_quits_in_silence]

if __name__ == "__main__":
    if not orca.is_installed():
        print("1..0 # SKIP orca is not installed")
        sys.exit(0)
    reader = orca.Orca()
    regard_window = Window(regard.binary_from(sys.argv), "The animal crossed a wide street.")
    regard_window.reader = reader
    status = run_tap(TESTS, regard_window)
    reader.close()
    sys.exit(status)
