#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of the window in the README: the real one, driven as the tests do.

    screenshot.py BUILD/app/regard OUT.png

On a display of its own, with the settings of a new user, from the source folder:

    GSETTINGS_BACKEND=memory GSK_RENDERER=cairo GDK_BACKEND=x11 \\
    xvfb-run -a -s '-screen 0 1440x900x24 -noreset' dbus-run-session -- \\
    /usr/bin/python3 tests/e2e/screenshot.py build/app/regard docs/window.png
"""

import os
import subprocess
import sys

from driver import Picture, wait_for
from regard import Window

TEXT = "The animal didn't cross the street because it was too tired."
PLACE = ("cross", 5, 5)
ROW, COLUMN = "müde", "tired"


def settled(window):
    """Until nothing on the screen changes any more."""
    pictures = []

    def is_still():
        pictures.append(Picture().pixels)
        return len(pictures) > 1 and pictures[-1] == pictures[-2]

    wait_for(is_still, "the window to come to rest", every=0.6)


def main(binary, out):
    window = Window(os.path.abspath(binary), TEXT)
    window.wait_for_translation()
    window.move_pointer(*window.find_thumbnails()[PLACE])
    window.press()
    window.wait_for_place(*PLACE)
    matrix = window.attend(TEXT, *PLACE)
    row, column = (
        [label["text"].lstrip("▁") for label in matrix[side]].index(name)
        for side, name in (("rows", ROW), ("columns", COLUMN))
    )
    window.click(window.heatmap, 0.02, 0.02)
    window.key("Right", *["Down"] * row, *["Right"] * column)
    window.wait_for_cell(ROW, COLUMN)
    window.park_pointer()
    settled(window)
    subprocess.run(["import", "-window", "root", "-strip", "-quality", "95", out], check=True)
    window.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} BUILD/app/regard OUT.png")
    main(*sys.argv[1:])
