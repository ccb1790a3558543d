#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What if, from outside: heads, words and weights switched and set, with the pointer and with keys
only, and what comes of it read as a screen reader does.

    test_changes.py BUILD/app/regard            (TAP; needs a display and a session bus)

What the window translates with changes is compared with what the command line does with the same.
"""

import re
import sys
import time

import regard
from driver import run_tap, wait_for
from regard import Window, test_quits_in_silence

TEXT = "I have two dogs and a cat."


def translate(window, *changes):
    options = [part for change in changes for part in ("--change", change)]
    return window.run_cli("translate", *options, text=TEXT + "\n").strip()


def wait_for_changes(window, *changes):
    """Until the window says that there are so many, and shows what the command line finds."""
    window.wait_for_n_changes(len(changes))
    window.wait_for_translation(translate(window, *changes))


def reset(window):
    """Whatever an earlier test left."""
    window.key("Escape")
    if window.frame.get_name() != "Regard":
        window.click(window.get("push button", "Reset"))
        wait_for_changes(window)
    window.park_pointer()


def head_says(window, text):
    wait_for(
        lambda: window.heads.get_description() == text,
        lambda: f"{text!r}; it says {window.heads.get_description()!r}",
    )


def test_starts(window):
    window.wait_for_source(TEXT)
    wait_for_changes(window)
    window.thumbnails = window.find_thumbnails()
    window.pitch, window.first = measure(window)


def measure(window):
    """((width, height) from a thumbnail to the next, (x, y) of the first of cross-attention: its
    left upper corner). Slowly: what is swept over in a hurry may be told late."""
    place = ("cross", 4, 2)
    x, y = window.thumbnails[place]
    heads = [window.thumbnails[("cross", 4, h)][0] for h in (1, 8)]
    layers = [window.thumbnails[("cross", l, 2)][1] for l in (1, 6)]
    pitch = ((heads[1] - heads[0]) / 7, (layers[1] - layers[0]) / 5)

    def is_over(x, y):
        window.move_pointer(x, y)
        time.sleep(0.15)
        return window.heads.get_description() == "Cross-attention, layer 4, head 2"

    wait_for(lambda: is_over(x, y), "the pointer over a thumbnail")
    left, top = x, y
    while is_over(left - 1, y):
        left -= 1
    while is_over(x, top - 1):
        top -= 1
    window.park_pointer()
    # The border between two is in the middle of the gap of 4 pixels.
    return pitch, (left + 2 - pitch[0], top + 2 - 3 * pitch[1])


def at(window, layer, head, dx, dy):
    """A point of a thumbnail of cross-attention, from its left upper corner."""
    return (
        round(window.first[0] + (head - 1) * window.pitch[0] + dx),
        round(window.first[1] + (layer - 1) * window.pitch[1] + dy),
    )


def test_corner_switches_a_head(window):
    window.move_pointer(*at(window, 4, 1, 3, 3))
    window.press()
    wait_for_changes(window, "cross 4.1 zero")
    window.move_pointer(*window.thumbnails[("cross", 4, 1)])
    window.press()
    head_says(window, "Cross-attention, layer 4, head 1, off")
    # Nothing has moved: the same place switches it on again.
    window.move_pointer(*at(window, 4, 1, 3, 3))
    window.press()
    wait_for_changes(window)
    head_says(window, "Cross-attention, layer 4, head 1")


def test_row_and_column_numbers(window):
    window.move_pointer(*at(window, 1, 1, -8, window.pitch[1] / 2 - 2))
    window.press()
    wait_for_changes(window, "cross 1.* zero")
    window.move_pointer(*at(window, 1, 3, window.pitch[0] / 2 - 2, -6))
    window.press()
    wait_for_changes(window, "cross 1.1-2 zero", "cross 1.4-8 zero", "cross *.3 zero")
    window.key("ctrl+z", "ctrl+z")
    wait_for_changes(window)


def test_key_and_undo(window):
    window.move_pointer(*window.thumbnails[("encoder", 2, 3)])
    window.press()
    window.park_pointer()
    window.key("x")
    wait_for_changes(window, "encoder 2.3 zero")
    window.key("shift+x")
    wait_for_changes(window, "encoder 2.* zero")
    window.key("ctrl+z")
    wait_for_changes(window, "encoder 2.3 zero")
    window.key("ctrl+z")
    wait_for_changes(window)
    window.key("ctrl+shift+z")
    wait_for_changes(window, "encoder 2.3 zero")
    window.click(window.get("push button", "Reset"))
    wait_for_changes(window)


def test_menu_of_a_head(window):
    """The menu key opens it, and its second row is Uniform's neighbour: Off."""
    reset(window)
    window.move_pointer(*window.thumbnails[("cross", 2, 3)])
    window.press()
    window.park_pointer()
    window.key("Menu")
    item = window.get(None, "Uniform")
    assert item
    window.key("Down", "Down", "Return")
    wait_for_changes(window, "cross 2.3 uniform")
    head_says(window, "Cross-attention, layer 2, head 3, uniform")
    window.key("x")
    wait_for_changes(window)


def test_pieces_by_keys(window):
    """Hidden, replaced with completion, zeroed: keys only, from the text by Tab."""
    reset(window)
    pieces = window.get("image", "Pieces of the source")
    window.key("ctrl+l", "Tab")
    wait_for(lambda: window.has_state(pieces, "FOCUSED"), "the focus on the pieces")
    window.key("Home", "Right", "Right", "Delete")
    wait_for_changes(window, "source 3 hide")
    assert "hidden from the model" in pieces.get_description(), pieces.get_description()
    window.key("F2")
    window.get("text", lambda name: name == "Another piece")
    window.type("three")
    window.key("Return")
    wait_for(
        lambda: "replaced by ▁three" in pieces.get_description(),
        lambda: f"▁three; it says {pieces.get_description()!r}",
    )
    window.wait_for_translation(translate_three(window))
    window.key("shift+Delete", "shift+Delete")
    wait_for_changes(window, "source 3 zero")
    window.key("Delete")
    wait_for_changes(window)


def translate_three(window):
    """With the piece in the place of the third; its id as the tokenizer has it."""
    row = window.run_cli("tokenize", text="three\n").split("\t")
    numbers = next(column for column in row if re.match(r"\d+( |$)", column))
    return translate(window, f"source 3 piece {numbers.split()[0]}")


def test_weight_by_drag(window):
    """With Shift a cell is dragged; without it nothing is changed."""
    reset(window)
    window.move_pointer(*window.thumbnails[("cross", 4, 1)])
    window.press()
    window.park_pointer()
    ys, xs = window.find_cells()
    drag(window, xs[2], ys[1], 260)
    assert window.frame.get_name() == "Regard"
    window.key("Escape")
    window.hold("shift")
    drag(window, xs[2], ys[1], 260)
    window.release("shift")
    wait_for_changes(window, "cross 4.1 query 2 key 3 set 1")
    window.key("ctrl+z")  # all of the drag
    wait_for_changes(window)


def drag(window, x, y, dx):
    window.move_pointer(x, y)
    window.hold_button()
    for step in range(0, dx + 1, 20):
        window.move_pointer(x + step, y)
    window.release_button()
    window.park_pointer()


def test_weight_by_keys(window):
    reset(window)
    window.key("Escape", "Right", "Down", "Right", "w")  # the first Right pins a cell
    window.get("spin button", "Weight")
    window.key("ctrl+a")
    window.type("0.75")
    window.key("Return")
    wait_for_changes(window, "cross 4.1 query 2 key 2 set 0.75")
    cell = wait_for(window.cell, "a cell")
    assert cell["weight"] == "0.75", cell
    window.key("Delete", "Delete")  # what was set is taken back, then the key is hidden
    wait_for_changes(window, "cross 4.1 query 2 key 2 hide")
    window.key("BackSpace")
    wait_for_changes(window)


def test_list_by_keys(window):
    reset(window)
    window.key("ctrl+k")
    entry = window.get("text", "Another change")
    for line in ("cross 4.1 zero", "encoder window 2"):
        focus(window, entry)
        window.type(line)
        window.key("Return")
        window.get("text", f"Change {line}")
    window.key("Escape")
    wait_for_changes(window, "cross 4.1 zero", "encoder window 2")
    window.key("ctrl+k")
    made = window.get(None, "Make cross 4.1 zero")
    focus(window, made)
    window.key("space", "Escape")
    wait_for_changes(window, "encoder window 2")


def focus(window, node):
    """By Tab, as far as it takes."""
    for _ in range(40):
        if window.has_state(node, "FOCUSED"):
            return
        window.key("Tab")
        time.sleep(0.05)
    raise AssertionError(f"Tab does not reach {node.get_name()!r}")


def test_copy_and_paste(window):
    reset(window)
    window.paste_text("cross 1 uniform\nsource 2 hide\n")
    window.key("ctrl+shift+v")
    wait_for_changes(window, "cross 1 uniform", "source 2 hide")
    window.click(window.get("push button", "Reset"))
    wait_for_changes(window)
    window.key("ctrl+z")
    wait_for_changes(window, "cross 1 uniform", "source 2 hide")
    window.key("ctrl+alt+c")
    wait_for(
        lambda: window.clipboard("UTF8_STRING") == b"cross 1 uniform\nsource 2 hide",
        lambda: f"the changes as text; it is {window.clipboard('UTF8_STRING')!r}",
    )


TESTS = [
    test_starts,
    test_corner_switches_a_head,
    test_row_and_column_numbers,
    test_key_and_undo,
    test_menu_of_a_head,
    test_pieces_by_keys,
    test_weight_by_drag,
    test_weight_by_keys,
    test_list_by_keys,
    test_copy_and_paste,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, Window(regard.binary_from(sys.argv), TEXT)))
