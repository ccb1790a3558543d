#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the window in README.md and docs/: the real one, driven as the tests do.

    screenshot.py BUILD/app/regard FOLDER NAME...

NAME is a key of SHOTS; FOLDER gets NAME.png. tools/pictures calls this, on a display and a bus of their own.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time

from driver import Picture, find_windows, wait_for
from regard import Window

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXT = "The animal didn't cross the street because it was too tired."
DOGS = "I have two dogs."
# A small T5 with random weights, for want of a trained one.
RELATIVE = os.path.join(ROOT, "tests/data/checkpoints/t5-gated-tiny")
# Where nobody composes windows a popover has a black border, here from its upper left corner on.
BORDER = ["-fuzz", "30%", "-fill", "#fafafa", "-draw", "color 2,60 floodfill"]
N_COLOURS = 72  # of a picture: text stays as it is, and the file has a third of its size


def settled(window):
    """Until nothing on the screen changes any more."""
    window.park_pointer()
    pictures = []

    def is_still():
        pictures.append(Picture().pixels)
        return len(pictures) > 2 and pictures[-1] == pictures[-2] == pictures[-3]

    wait_for(is_still, "the window to come to rest", every=0.8)


def attention(window):
    """One head with a pinned cell."""
    place, row, column = ("cross", 5, 5), "müde", "tired"
    window.move_pointer(*window.find_thumbnails()[place])
    window.press()
    window.wait_for_place(*place)
    matrix = window.attend(TEXT, *place)
    down, right = (
        [label["text"].lstrip("▁") for label in matrix[side]].index(name)
        for side, name in (("rows", row), ("columns", column))
    )
    window.click(window.heatmap, 0.02, 0.02)
    window.key("Right", *["Down"] * down, *["Right"] * right)
    window.wait_for_cell(row, column)


def keys(*names):
    """What the window shows after these keys, each of which it has time for."""

    def act(window):
        for name in names:
            window.key(name)
            time.sleep(0.4)

    return act


def pane(name, says=None):
    """A pane of the page Measure."""

    def act(window):
        window.key("alt+7")
        window.click(window.get("push button", name))
        if says:
            window.wait_for_status(says)

    return act


def dialog(*names):
    """The window that these keys open, alone."""

    def act(window):
        def others():
            shown = find_windows("--all", "--onlyvisible", "--pid", window.process.pid)
            return [other for other in shown if other not in before]

        before = find_windows("--all", "--onlyvisible", "--pid", window.process.pid)
        window.key(*names)
        return wait_for(others, "another window")[-1]

    return act


def simple(window):
    """Few controls, and what the sentence under the picture grows into."""
    window.click(window.get("push button", "Simple"), until=lambda: window.find("push button", "Switch Head Off"))
    window.click(window.get("push button", "Explain this picture"))


def welcome(window):
    simple(window)
    window.key("F10")
    entry = window.get("menu item", "Welcome")
    while not window.has_state(entry, "FOCUSED"):
        window.key("Up")
    window.key("Return")
    window.get("push button", "With All Controls")


def talk(window):
    """Three slides in the list, of two texts."""
    for i, (text, *names) in enumerate([(TEXT, "alt+1"), (TEXT, "alt+3"), (DOGS, "alt+1")]):
        if text != window.source_text():
            window.replace_text(text)
            window.wait_for_translation()
        window.key(*names)
        settled(window)
        window.key("ctrl+shift+r")
        window.get("list item", lambda name, n=i + 1: name.startswith(f"Slide {n} of {n}"))
    time.sleep(4)  # and what was said of it is gone


def banner(text):
    return lambda window: window.wait_for_banner(text) and None


def broken_model():
    """A copy of the bundled model whose weights were cut off."""
    folder = os.path.join(tempfile.mkdtemp(), "en-de-copy")
    os.mkdir(folder)
    model = os.path.join(ROOT, "tests/data/frozen/en-de")
    for name in os.listdir(model):
        with open(os.path.join(model, name), "rb") as file:
            data = file.read()
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data[:100_000] if name == "model.safetensors" else data)
    return folder


# Name: what the program is called with, what is done in the window then, and how much of it is kept, from the top left
# corner; what is done may return another X window to take.
SHOTS = {
    "window": ([TEXT], attention),
    "simple": ([TEXT], simple),
    "welcome": ([TEXT], welcome),
    "start": ([DOGS], keys("alt+1", "2", "Page_Up")),
    "lines": ([DOGS], keys("alt+1", "2", "Page_Up", "l")),
    "inside-page": ([TEXT], keys("alt+1", "1", "Right", "Right", *["Down"] * 9, "Return", "alt+2", "shift+space")),
    "layers-page": ([TEXT], keys("alt+3", "ctrl+Page_Up", "ctrl+Page_Up"), "1440x730"),
    "steps-page": ([DOGS], keys("alt+4", "Home", "Right", "Right")),
    "positions-page": ([TEXT], keys("alt+5")),
    "heads-page": ([TEXT], keys("alt+6")),
    "corpus": ([DOGS], pane("Heads", r"144 heads over .*")),
    "alignment": ([TEXT], pane("Alignment"), "1440x600"),
    "keys": ([DOGS], dialog("ctrl+question")),
    "help": ([DOGS], dialog("alt+4", "F1")),
    "glossary": ([DOGS], dialog("ctrl+g")),
    "models": ([DOGS], keys("ctrl+m"), "1440x600", BORDER),
    "export": ([DOGS], dialog("alt+1", "ctrl+e")),
    "robustness": (lambda: ["--model", broken_model(), DOGS], banner("model.safetensors"), "1440x600"),
    "sessions": ([os.path.join(ROOT, "tests/data/sessions/debian-12.regard")], banner("is not on this machine")),
    "talks": ([TEXT], talk),
    "talk-room": ([os.path.join(ROOT, "assets/lessons/07-positions.lesson.md")], keys("F5", "Page_Down", "Page_Down")),
    "effects": (["I know the boy's mother."], keys("alt+1", "f"), "1440x820"),
    "bias": (["--model", RELATIVE, "the cat sat on the mat"],
             keys("alt+1", "1", "shift+m", "Right", "Right", "Down", "Down", "Return")),
    "distance": (["--model", RELATIVE, "the cat sat on the mat"], keys("alt+5"), "1440x450"),
    "training": (["--model", os.path.join(ROOT, "models/learning/checkpoints/step-00000250"),
                  "today the small cat has seen the old dog"], keys("alt+1", "2")),
}


def shoot(binary, folder, name):
    arguments, act, size, *more = SHOTS[name] + (("1440x900",) if len(SHOTS[name]) == 2 else ())
    window = Window(os.path.abspath(binary), *(arguments() if callable(arguments) else arguments))
    window.wait_for_translation()
    settled(window)
    other = act(window)
    settled(window)
    out = os.path.join(folder, name + ".png")
    subprocess.run(["import", "-window", other or "root", "-strip", "png24:" + out], check=True)
    subprocess.run(["convert", out, "-crop", size + "+0+0", "+repage", *itertools.chain(*more), "-dither", "None",
                    "-colors", str(N_COLOURS), "-strip", "-define", "png:compression-level=9", "png8:" + out], check=True)
    window.close()


if __name__ == "__main__":
    if len(sys.argv) < 4 or not set(sys.argv[3:]) <= set(SHOTS):
        sys.exit(f"usage: {sys.argv[0]} BUILD/app/regard FOLDER NAME...\nNAMEs: {' '.join(SHOTS)}")
    for shot in sys.argv[3:]:
        shoot(sys.argv[1], sys.argv[2], shot)
