#!/usr/bin/python3
"""Draw docs/folders.svg from the table of arrows in tests/checks/check-layers.sh.

    tools/lib/draw-folders.py            writes the picture
    tools/lib/draw-folders.py --check    exit status 1 if the picture is not the one of the table

A folder stands above those that it includes. An arrow that follows from two others is left out.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/checks/check-layers.sh"
PICTURE = ROOT / "docs/folders.svg"
# From above: each part may include those below it. Of each folder its place from left to right, and
# what it holds.
PARTS = [("app", "the process: GTK, libadwaita"), ("ui", "pictures of results: cairo, GTK"),
         ("engine", "the Transformer: plain C17, no GLib")]
FOLDERS = {
    "app": {"base": (50, "paths, settings, errors"), "models": (50, "those of this machine"),
            "document": (34, "text, model, result"), "parts": (72, "of the window"),
            "measure": (90, "over a text"), "learn": (12, "lessons"), "talk": (12, "slides"),
            "export": (50, "dialog, job, captions"), "window": (32, "and application"),
            "cli": (68, "regard-cli"), "train": (68, "regard-train")},
    "ui": {"figures": (50, "matrices, pictures"), "colormaps": (20, "a file each"),
           "formats": (50, "PNG, SVG, CSV, NPZ"), "runner": (80, "passes, threads"), "widgets": (80, "heatmap, heads, chips"),
           "views": (80, "pages of the window")},
    "engine": {"base": (50, "errors, memory, threads"), "files": (28, "archives, JSON, NumPy"),
               "kernels": (78, "products, AVX, int8"), "checkpoint": (16, "safetensors, PyTorch"),
               "text": (38, "tokens, languages"), "search": (88, "greedy, beam"),
               "model": (46, "layouts, weights"), "capture": (68, "what was seen"),
               "paper": (52, "its sections, a file each"), "train": (11, "backward, Adam, data"),
               "explain": (31, "parts of what is seen"),
               "session": (66, "one translation, or many"),
               "attribution": (36, "what a word hangs on"),
               "alignment": (60, "which word is which"),
               "corpus": (88, "heads over a text")},
}
WIDTH, MARGIN, HEAD = 860, 20, 30
BOX, TALL, LINE = 148, 42, 78


def read_table():
    """{part: {folder: [folders it may include]}}, of one part only: arrows between parts go down."""
    parts = {}
    for part, lines in re.findall(r"^folders (\w+) <<'FOLDERS'\n(.*?)^FOLDERS$", TABLE.read_text(),
                                  re.M | re.S):
        rows = [line.split() for line in lines.splitlines()]
        # Headers that are compiled once, for all: no folder, and nothing stands on them.
        rows = [row for row in rows if row[0] != "pch"]
        names = {row[0] for row in rows}
        parts[part] = {row[0]: [r for r in row[1:] if r in names] for row in rows}
    return parts


def level(folders, folder):
    return 1 + max((level(folders, below) for below in folders[folder]), default=-1)


def reaches(folders, start, end):
    return any(below == end or reaches(folders, below, end) for below in folders[start])


def arrows(folders):
    for folder, below in folders.items():
        for end in below:
            if not any(reaches(folders, other, end) for other in below if other != end):
                yield folder, end


def draw_part(out, part, title, folders, top):
    levels = {}
    for folder in folders:
        levels.setdefault(level(folders, folder), []).append(folder)
    height = HEAD + LINE * len(levels)
    out.append(f'<rect class="part" x="{MARGIN}" y="{top}" width="{WIDTH - 2 * MARGIN}" '
               f'height="{height}" rx="10"/>')
    out.append(f'<text class="title" x="{MARGIN + 14}" y="{top + 21}">{part}/ '
               f'<tspan class="what">{title}</tspan></text>')
    at = {}
    for number, names in levels.items():
        y = top + height - LINE * number - TALL - 14
        for name in names:
            at[name] = (MARGIN + (WIDTH - 2 * MARGIN) * FOLDERS[part][name][0] / 100, y)
    for folder, end in arrows(folders):
        (x1, y1), (x2, y2) = at[folder], at[end]
        y1 += TALL
        bend = (y2 - y1) / 2
        out.append(f'<path d="M{x1:.0f} {y1:.0f} C{x1:.0f} {y1 + bend:.0f} {x2:.0f} '
                   f'{y2 - bend:.0f} {x2:.0f} {y2 - 3:.0f}" marker-end="url(#tip)"/>')
    for name, (x, y) in at.items():
        out.append(f'<rect class="folder" x="{x - BOX / 2:.0f}" y="{y:.0f}" width="{BOX}" '
                   f'height="{TALL}" rx="6"/>')
        out.append(f'<text class="name" x="{x:.0f}" y="{y + 18:.0f}">{name}</text>')
        out.append(f'<text class="holds" x="{x:.0f}" y="{y + 33:.0f}">{FOLDERS[part][name][1]}</text>')
    return top + height


def draw():
    parts = read_table()
    out, top = [], MARGIN
    for i, (part, title) in enumerate(PARTS):
        bottom = draw_part(out, part, title, parts[part], top)
        if i + 1 < len(PARTS):
            out.append(f'<path class="down" d="M{WIDTH / 2:.0f} {bottom} V{bottom + 26}" '
                       'marker-end="url(#tip)"/>')
        top = bottom + 30
    style = ("text{font-family:'DejaVu Sans',sans-serif;fill:#241f31}"
             ".part{fill:#f6f5f4;stroke:#c0bfbc}.folder{fill:#fff;stroke:#1c71d8}"
             ".title{font-size:15px;font-weight:bold}.what{font-size:12px;font-weight:normal;"
             "fill:#5e5c64}.name{font-size:13px;font-weight:bold;text-anchor:middle}"
             ".holds{font-size:10.5px;fill:#5e5c64;text-anchor:middle}"
             "path{fill:none;stroke:#77767b;stroke-width:1.2}.down{stroke-width:2.5}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top - 10}" '
        f'viewBox="0 0 {WIDTH} {top - 10}">',
        "<!-- Drawn by tools/lib/draw-folders.py. SPDX-License-Identifier: GPL-3.0-or-later -->",
        f"<style>{style}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#77767b;stroke:none"/>'
        "</marker></defs>",
        f'<rect width="{WIDTH}" height="{top - 10}" fill="#fff"/>',
        *out, "</svg>", ""])


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(not PICTURE.is_file() or PICTURE.read_text() != draw())
    PICTURE.write_text(draw())
