#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A talk of ten states: recorded by its key, given by the keys of a clicker, with a detour in each, and what is back
after it.

    test_talks.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import sys

import regard
from driver import Picture, run_tap, wait_for
from regard import Window, test_quits_in_silence

TEXTS = ["I have two dogs.", "I have a cat.", "The house is old.", "We drink coffee.", "I see a house."]
OWN = "It is raining."
HEADS = [("cross", 4, 1), ("cross", 4, 2)]
STATES = [(text, head) for text in TEXTS for head in HEADS]


def wait_for_slide(window, number):
    """Its place is said below the picture, and it is what was recorded."""
    text, head = STATES[number - 1]
    window.wait_for_status(rf"{number} / {len(STATES)}")
    window.wait_for_source(text)
    window.wait_for_place(*head)


def test_ten_states_are_recorded(window):
    """Two heads of each text; the list says how many there are."""
    for i, (text, head) in enumerate(STATES):
        if text != window.source_text():
            window.replace_text(text)
            window.wait_for_translation()
        if window.place() != head:
            window.key("alt+1", "bracketleft" if head == HEADS[0] else "bracketright")
            window.wait_for_place(*head)
        window.key("ctrl+shift+r")
        name = f"Slide {i + 1} of {i + 1}: cross {head[1]}.{head[2]} · {text}"
        window.get("list item", name)


def type_something(window):
    window.key("ctrl+l", "ctrl+End")
    window.type(" 1 b.")  # letters and digits are the text's now, and so is the space
    wait_for(lambda: window.source_text().endswith(" 1 b."), lambda: window.source_text())
    window.key("Escape")  # and now the talk's again


def step_to_another_head(window):
    before = window.place()
    window.key("bracketright")
    wait_for(lambda: window.place() != before, "another head")


def test_given_with_a_detour_in_each(window):
    """Page Down, as a clicker sends it; Home leads back from wherever one went."""
    detours = [type_something, step_to_another_head]
    window.replace_text(OWN)
    window.wait_for_translation()
    window.key("F5")
    for number in range(1, len(STATES) + 1):
        wait_for_slide(window, number)
        detours[number % len(detours)](window)
        window.key("Home")
        wait_for_slide(window, number)
        window.key("Page_Down")
    wait_for_slide(window, len(STATES))  # behind the last one is none


def test_black_and_a_number(window):
    def is_black():
        return set(Picture().crop(300, 200, 600, 400)) == {0}

    window.key("period")
    wait_for(is_black, "a black screen")
    window.key("Page_Up")
    wait_for(lambda: not is_black(), "the picture")
    wait_for_slide(window, len(STATES))
    window.key("3")
    window.wait_for_status("→ 3")
    window.key("Return")
    wait_for_slide(window, 3)
    window.key("Page_Up")
    wait_for_slide(window, 2)


def test_what_was_there_is_back(window):
    window.key("Escape")
    window.wait_for_source(OWN)
    window.get("list item", f"Slide 1 of {len(STATES)}: cross 4.1 · {TEXTS[0]}")


TESTS = [
    test_ten_states_are_recorded,
    test_given_with_a_detour_in_each,
    test_black_and_a_number,
    test_what_was_there_is_back,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, Window(regard.binary_from(sys.argv), TEXTS[0])))
