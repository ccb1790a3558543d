#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effects of heads, and the bench for position encodings: with the pointer, and by keyboard alone.

    test_bench.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import re
import sys
import time

import regard
from driver import run_tap, wait_for, xdotool
from regard import Window, test_quits_in_silence

TEXT = "I have two dogs."


def chip(window, word):
    """A token on the bench, whose name says which encoding it gets."""
    return window.get("push button", lambda name: name.startswith(f"▁{word} at position"))


def wait_for_chip(window, word, encoding):
    wait_for(
        lambda: chip(window, word).get_name().endswith(f": {encoding}"),
        lambda: f"{word} with {encoding!r}; it says {chip(window, word).get_name()!r}",
    )


def test_effects_by_key(window):
    """F: the head that is looked at says its effect, which is what the command line finds."""
    window.wait_for_translation()
    window.click(window.heatmap, 0.02, 0.02)
    window.key("f")
    effect = re.compile(r"Cross-attention, layer 4, head 1, effect ([+-][0-9.]+) nats")
    window.park_pointer()
    said = wait_for(lambda: effect.search(window.heads.get_description()), "an effect in words")
    table = window.run_cli("effects", "--top", 144, TEXT).replace("−", "-")
    found = re.search(r"([+-]?[0-9.]+)\s+cross 4\.1\b", table)
    assert found and abs(float(found.group(1)) - float(said.group(1))) < 0.0051, table
    window.key("f")
    wait_for(lambda: "effect" not in window.heads.get_description(), "no effect any more")


def test_swap_by_drag(window):
    """A token is dragged onto another: they exchange their encodings, and Ctrl+Z takes it back."""
    window.key("alt+5")
    window.click(window.get("push button", "Bench"), 
                 until=lambda: window.find("push button", lambda name: name.startswith("▁have at")))
    wait_for_chip(window, "have", "its own encoding")
    begin, end = window.position(chip(window, "have")), window.position(chip(window, "dog"))
    window.move_pointer(*begin)
    xdotool("mousedown", 1)
    for step in range(1, 9):
        x, y = (int(b + (e - b) * step / 8) for b, e in zip(begin, end))
        window.move_pointer(x, y)
        time.sleep(0.05)
    xdotool("mouseup", 1)
    window.park_pointer()
    wait_for_chip(window, "have", "encoding of position 3")
    wait_for_chip(window, "dog", "encoding of position 1")
    window.wait_for_n_changes(1)
    window.key("ctrl+z")
    wait_for_chip(window, "have", "its own encoding")
    window.wait_for_n_changes(0)


def test_bench_by_keyboard(window):
    """Without the pointer: off and on, shifted, all off; what the encoder knows is said."""
    window.click(chip(window, "two"))  # which marks it, and gives it the keyboard
    window.park_pointer()
    window.key("Delete")
    wait_for_chip(window, "two", "no encoding")
    window.key("Delete", "plus", "plus")
    wait_for_chip(window, "two", "encoding of position 4")
    window.wait_for_n_changes(1)
    window.key("0")
    wait_for_chip(window, "have", "no encoding")
    window.wait_for_status(r"The encoder does not know the order\..*")
    window.key("0")
    window.wait_for_status(r"The encoder knows the order\..*")
    wait_for_chip(window, "two", "its own encoding")


TESTS = [
    test_effects_by_key,
    test_swap_by_drag,
    test_bench_by_keyboard,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, Window(regard.binary_from(sys.argv), TEXT)))
