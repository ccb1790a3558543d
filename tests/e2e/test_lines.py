#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attention as lines: with the pointer and by keyboard, its numbers beside the command line's.

    test_lines.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import re
import sys
import time

import regard
from driver import run_tap, wait_for
from regard import Window, spoken, test_quits_in_silence

TEXT = "I have two dogs."
PLACE = ("cross", 4, 1)
TOKEN = re.compile(r"(row|column) (.*?): (.*)")


class session:
    area = matrix = None


def said(window):
    """What a screen reader hears of the lines."""
    return session.area.get_description()


def wait_for_said(window, pattern):
    regex = re.compile(pattern)
    return wait_for(lambda: regex.search(said(window)), lambda: f"{pattern!r}; it says {said(window)!r}")


def tokens(side):
    return [spoken(label["text"]) for label in session.matrix[side]]


def find_tokens(window, left):
    """The middle of each label of a list, from the top, with the pointer: [(x, y)]."""
    box = window.box(session.area)
    x, _ = window.position(session.area, 0, 0)
    number = "row" if left else "column"
    seen = {}
    for fraction in (0.28, 0.24, 0.20) if left else (0.80, 0.84, 0.88):
        found = window.sweep(
            session.area,
            x + int(fraction * box.width),
            False,
            lambda text: (m := TOKEN.match(text)) and m.group(1) == number and m.group(0),
            step=5,
        )
        found = [(pixel, text) for pixel, text in found if text]
        if len({text for _, text in found}) >= len(session.matrix["rows" if left else "columns"]):
            for pixel, text in found:
                seen.setdefault(text, []).append(pixel)
            at = x + int(fraction * box.width)
            return [(at, sum(p) // len(p)) for p in sorted(seen.values())]
    raise AssertionError(f"no labels in the lines: {found}")


def test_key_shows_lines(window):
    """L, from the picture: the same head, as lines; and how much is dimmed is said."""
    window.wait_for_translation()
    window.click(window.heatmap, 0.02, 0.02)
    session.matrix = window.attend(TEXT, *PLACE)
    window.key("l")
    session.area = window.get("image", lambda name: name.endswith(" · lines"))
    assert session.area.get_name() == "Cross-attention · layer 4 · head 1 · lines"
    n, m = len(session.matrix["rows"]), len(session.matrix["columns"])
    match = wait_for_said(window, rf"{n} rows, {m} columns; lines of the fewest keys that hold 70 % of "
                                  r"each row; the other (\d+) % is dimmed")
    kept = total = 0.0
    for row in session.matrix["values"]:
        held = 0.0
        for value in sorted(row, reverse=True):
            if held >= 0.7 * sum(row):
                break
            held += value
        kept += held
        total += sum(row)
    assert abs(100 * (1 - kept / total) - int(match.group(1))) <= 1, (match.group(1), kept, total)


def test_pointer_reads_rows(window):
    """Every token of both lists is found with the pointer, and its numbers are those of the engine."""
    session.left, session.right = find_tokens(window, True), find_tokens(window, False)
    assert len(session.left) == len(session.matrix["rows"]), session.left
    assert len(session.right) == len(session.matrix["columns"]), session.right
    for i, (x, y) in enumerate(session.left):
        window.move_pointer(x, y)
        name = re.escape(tokens("rows")[i])
        values = session.matrix["values"][i]
        best = max(range(len(values)), key=values.__getitem__)
        match = wait_for_said(window, rf"^row {name}: (.*?) (\d\.\d+)[,;]")
        assert match.group(1) == tokens("columns")[best], (match.group(0), values)
        assert abs(float(match.group(2)) - values[best]) < 0.0051, (match.group(0), values)


def test_click_shift_drag(window):
    """A click isolates a token, Shift adds one, a drag takes a range, Escape lets go."""
    window.move_pointer(*session.left[1])
    window.press()
    wait_for_said(window, "; 1 token isolated$")
    window.move_pointer(*session.left[3])
    window.hold("shift")
    window.press()
    window.release("shift")
    wait_for_said(window, "; 2 tokens isolated$")
    window.move_pointer(*session.left[0])
    window.hold_button()
    for i in range(0, 5):
        window.move_pointer(*session.left[i])
        time.sleep(0.05)
    window.release_button()
    wait_for_said(window, "; 5 tokens isolated$")
    window.move_pointer(*session.right[2])
    window.press()
    wait_for_said(window, rf"^column {re.escape(tokens('columns')[2])}: .*; 1 token isolated$")
    window.key("Escape")
    window.park_pointer()
    wait_for_said(window, r"^\d+ rows")


def test_line_at_pointer(window):
    """Pointed at, a line says its number; clicked, it is the cell that the matrix keeps."""
    values = session.matrix["values"]
    row = max(range(len(values)), key=lambda r: max(values[r]))
    column = max(range(len(values[row])), key=values[row].__getitem__)
    window.move_pointer(*session.left[row])
    window.press()  # only its lines are meant now
    wait_for_said(window, "1 token isolated")
    pattern = re.compile(
        rf"row {re.escape(tokens('rows')[row])}, column {re.escape(tokens('columns')[column])}, (\d\.\d+), "
        "highest"
    )
    # Near its key it is alone: a third of the way between the labels.
    box, (x, y) = window.box(session.area), window.position(session.area, 0, 0)
    found = window.sweep(
        session.area, x + int(0.6 * box.width), False,
        lambda text: (m := pattern.match(text)) and m.group(0), step=3,
    )
    assert found, said(window)
    pixel, text = found[len(found) // 2]
    assert abs(float(pattern.match(text).group(1)) - values[row][column]) < 0.0051
    window.move_pointer(x + int(0.6 * box.width), pixel)
    wait_for_said(window, pattern.pattern)
    window.press()
    window.park_pointer()
    wait_for_said(window, pattern.pattern)
    window.key("l")
    window.wait_for_cell(tokens("rows")[row], tokens("columns")[column])
    window.key("l", "Escape")
    wait_for_said(window, r"^\d+ rows")


def test_by_keyboard(window):
    """Arrows go from token to token, Space isolates, Shift takes more, Escape lets go."""
    rows, columns = tokens("rows"), tokens("columns")
    window.key("Down", "Home")
    wait_for_said(window, rf"^row {re.escape(rows[0])}: ")
    window.key("Down", "Down", "space")
    wait_for_said(window, rf"^row {re.escape(rows[2])}: .*; 1 token isolated$")
    window.key("shift+Down", "shift+Down")
    wait_for_said(window, rf"^row {re.escape(rows[4])}: .*; 3 tokens isolated$")
    window.key("Right", "Home")
    wait_for_said(window, rf"^column {re.escape(columns[0])}: ")
    window.key("shift+space")
    wait_for_said(window, "; 4 tokens isolated$")
    window.key("Escape")
    wait_for_said(window, r"(?<!isolated)$")
    window.key("bracketright")
    wait_for(lambda: "head 2" in session.area.get_name(), "the next head")
    window.key("bracketleft")
    wait_for(lambda: "head 1" in session.area.get_name(), "the head before")


def test_two_heads(window):
    """Space on a thumbnail chooses it; two that are chosen have a colour each, and are named."""
    thumbnails = window.find_thumbnails(window.place(session.area))
    for place in (("cross", 1, 1), ("cross", 2, 3)):
        window.move_pointer(*thumbnails[place])
        window.hold("ctrl")
        window.press()
        window.release("ctrl")
    window.park_pointer()
    legend = wait_for(lambda: window.find("label", lambda n: "cross 1.1" in n and "cross 2.3" in n), "a legend")
    assert "━" in legend.get_name()
    window.move_pointer(*session.left[0])
    wait_for_said(window, r"cross 1\.1: .*cross 2\.3: ")
    window.park_pointer()
    window.click(window.get("push button", "Choose none"), until=lambda: not window.is_showing(legend))


def test_form_is_remembered(window):
    """The form is a setting: the buttons and the key are the same thing."""
    window.click(window.get("push button", "Matrix"),
                 until=lambda: window.find("image", "Cross-attention · layer 4 · head 1"))
    window.click(window.get("push button", "Lines"), until=lambda: window.is_showing(session.area))


TESTS = [
    test_key_shows_lines,
    test_pointer_reads_rows,
    test_click_shift_drag,
    test_line_at_pointer,
    test_by_keyboard,
    test_two_heads,
    test_form_is_remembered,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, Window(regard.binary_from(sys.argv), TEXT)))
