#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures from files, and languages to translate into: with the keyboard only.

    test_captures.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import os
import shutil
import sys
import tempfile

import regard
from driver import run_tap, wait_for
from regard import Window

FOLDER = tempfile.mkdtemp(prefix="regard-captures-")
SETTINGS = regard.used({
    "GSETTINGS_BACKEND": "keyfile",
    "XDG_CONFIG_HOME": os.path.join(FOLDER, "config"),
    "XDG_DATA_HOME": os.path.join(FOLDER, "data"),
})
BINARY = regard.binary_from(sys.argv)
DATA = os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
)
TRANSLATION = os.path.join(DATA, "foreign-translation.npz")
ENCODER = os.path.join(DATA, "foreign-encoder.npz")
MODEL = os.path.join(DATA, "checkpoints", "multi-target")
TEXT = "the cat sat on the mat ."


class session:
    """What the tests have in common; the window is another one after a new start."""

    window = None
    translation = None


def wait_for_focus(window, node):
    wait_for(lambda: window.has_state(node, "FOCUSED"), lambda: f"the focus on {node.get_name()!r}")


def open_capture(window, path):
    """F10, and the first entry of the menu; then the path, typed."""
    window.park_pointer()
    window.key("F10")
    wait_for_focus(window, window.get("menu item", "Open Capture…"))
    window.key("Return")
    window.answer_file_chooser("Open Capture", path)


def test_text_first():
    window = session.window = Window(BINARY, "I have two dogs.", env=SETTINGS)
    session.translation = window.wait_for_translation()


def test_opens_from_the_menu():
    window = session.window
    open_capture(window, ENCODER)
    window.wait_for_banner("foreign-encoder.npz", "2 layers × 3 heads, 11 tokens", "text is kept")
    window.wait_for_place("encoder", *window.place()[1:])
    tokens = window.get("text", "Tokens")
    assert window.text_of(tokens) == "the dogs were playing in the rain ."
    assert not window.find("text", "Translation")


def test_cells_by_keys():
    """Heads and cells of the file, as those of a translation."""
    window = session.window
    window.key("ctrl+l", "F6")  # from the text to the pictures: there is no second text
    window.key("bracketleft", "bracketleft", "Page_Up", "Page_Up")
    window.wait_for_place("encoder", 1, 1)
    window.wait_for_banner("foreign-encoder.npz")


def test_another_file():
    window = session.window
    open_capture(window, TRANSLATION)
    window.wait_for_banner("foreign-translation.npz")
    window.get("text", "Translation")
    assert window.translation() not in ("", session.translation)


def test_refused():
    """A file that is cut off: named, and everything stays."""
    window = session.window
    cut = os.path.join(FOLDER, "cut.npz")
    shutil.copy(TRANSLATION, cut)
    os.truncate(cut, 3000)
    shown = window.source_text()
    open_capture(window, cut)
    window.wait_for_banner("cut.npz: expected a zip archive", "Nothing was changed")
    assert window.source_text() == shown


def test_typing_leads_back():
    window = session.window
    window.key("ctrl+l")
    window.type(" It")
    window.wait_for_source("I have two dogs. It")
    window.key("BackSpace", "BackSpace", "BackSpace")
    window.wait_for_source("I have two dogs.")
    window.wait_for_translation(session.translation)


def test_ends_and_remembers():
    """A file that is shown at the end is not what was typed."""
    window = session.window
    open_capture(window, ENCODER)
    window.wait_for_banner("foreign-encoder.npz")
    window.quit()
    window = session.window = Window(BINARY, env=SETTINGS)
    window.wait_for_source("I have two dogs.")
    window.wait_for_translation(session.translation)
    window.quit()


def test_named_at_the_start():
    window = session.window = Window(BINARY, TRANSLATION, env=SETTINGS)
    window.wait_for_banner("foreign-translation.npz")
    window.key("ctrl+l", "Right", "space", "BackSpace")
    window.wait_for_translation(session.translation)
    window.quit()


def listed(window, choice):
    """What the list that is open offers."""
    items = (n for n in window.walk(choice) if n.get_role_name() == "list item")
    labels = (window.find("label", root=n) for n in items if window.is_showing(n))
    return [window.text_of(label) for label in labels if label]


def test_languages():
    """Alt+O, a few letters, Return: the text is translated anew."""
    window = session.window = Window(BINARY, "--model", MODEL, TEXT, env=SETTINGS)
    choice = window.get("combo box", "Language of the translation")
    window.get("label", "Afrikaans", choice)
    first = window.wait_for_translation()
    window.park_pointer()
    window.key("alt+o")
    wait_for(lambda: "Danish" in listed(window, choice), "the list of languages")
    window.type("luxem")
    wait_for(lambda: "Danish" not in listed(window, choice), "few languages in the list")
    assert "Luxembourgish" in listed(window, choice)
    window.key("Down", "Return")
    wait_for(lambda: window.find("label", "Luxembourgish", choice), "another language")
    wanted = window.run_cli("translate", "--model", MODEL, "--to", "ltz", text=TEXT + "\n")
    assert wanted.strip() != first
    window.wait_for_translation(wanted.strip())


def test_language_is_remembered():
    session.window.quit()
    window = session.window = Window(BINARY, env=SETTINGS)
    choice = window.get("combo box", "Language of the translation")
    window.get("label", "Luxembourgish", choice)
    window.quit()


TESTS = [
    test_text_first,
    test_opens_from_the_menu,
    test_cells_by_keys,
    test_another_file,
    test_refused,
    test_typing_leads_back,
    test_ends_and_remembers,
    test_named_at_the_start,
    test_languages,
    test_language_is_remembered,
]

if __name__ == "__main__":
    status = run_tap(TESTS)
    shutil.rmtree(FOLDER)
    sys.exit(status)
