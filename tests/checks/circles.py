"""circles.py FOLDER…: headers that include each other in a circle, one circle a line.

SPDX-License-Identifier: GPL-3.0-or-later

A class is NAME.c with NAME.h and NAME-private.h. Within one class anything may know anything; of two
classes one at most may know the other, directly or through others.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)


def class_of(path):
    return re.sub(r"(-private)?\.\w+$", "", str(path))


def read(folders):
    """Which classes each class includes."""
    files = [f for folder in folders for f in Path(folder).rglob("*") if f.suffix in (".c", ".h", ".cc")]
    headers = {}
    for folder in folders:
        for root in (Path(folder), Path(folder) / "include"):
            headers.update({str(f.relative_to(root)): f for f in root.rglob("*.h")})
    arrows = {class_of(f): set() for f in files}
    for f in files:
        for name in INCLUDE.findall(f.read_text()):
            if name in headers and class_of(headers[name]) != class_of(f):
                arrows[class_of(f)].add(class_of(headers[name]))
    return arrows


def find(arrows):
    """Sets of classes of which each reaches all others (Tarjan 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in arrows[v]:
            if w not in number:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == number[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for v in arrows:
        if v not in number:
            visit(v)
    return found


sys.setrecursionlimit(10000)
for circle in find(read(sys.argv[1:])):
    print(" and ".join(circle), "include each other")
