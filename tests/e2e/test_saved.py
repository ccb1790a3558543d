#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions in files: what was looked at is saved, and opened again with the same pixels; what is
missing is said, and what is no session.

    test_saved.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import json
import os
import shutil
import sys
import tempfile
import time
import zipfile

import regard
from driver import Picture, run_tap, wait_for
from regard import Window

FOLDER = tempfile.mkdtemp(prefix="regard-saved-")
BINARY = regard.binary_from(sys.argv)
# Shots without a change, one each 0.3 seconds and the time of a shot.
STILL = 6
MODEL = os.environ["REGARD_MODEL_DIR"]
DOGS = os.path.join(FOLDER, "dogs.regard")
OWN = os.path.join(FOLDER, "own", "my-model")
TEXT = "I have two dogs."


def settings(name):
    """As on another machine."""
    home = os.path.join(FOLDER, name)
    os.makedirs(os.path.join(home, "config"))
    return regard.used({
        "GSETTINGS_BACKEND": "keyfile",
        "XDG_CONFIG_HOME": os.path.join(home, "config"),
        "XDG_DATA_HOME": os.path.join(home, "data"),
    })


class session:
    """What the tests have in common; the window is another one after a new start."""

    window = None
    before = None
    translation = None


def pixels(window):
    """The large picture and the thumbnails, when they have been still for two seconds: a ring around what
    has the focus, a bar for scrolling and a picture that is not finished stand still for less."""
    window.park_pointer()
    shots = []
    while len(shots) < STILL or len(set(shots[-STILL:])) > 1:
        picture = Picture()
        boxes = [window.box(node) for node in (window.heads, window.heatmap)]
        places = [window.position(node, 0, 0) for node in (window.heads, window.heatmap)]
        shots.append(
            b"".join(
                picture.crop(round(x), round(y), int(box.width), int(box.height))
                for (x, y), box in zip(places, boxes)
            )
        )
        assert len(shots) < 60, "a picture that stands still"
        time.sleep(0.3)
    return shots[-1]


def wait_for_pixels(window, wanted):
    """The same pixels as `wanted`; else it is said how many bytes differ, and between which."""
    found = b""

    def same():
        nonlocal found
        found = pixels(window)
        return found == wanted

    def difference():
        unlike = [i for i, (one, other) in enumerate(zip(found, wanted)) if one != other]
        return f"the same pixels; {len(unlike)} bytes differ of {len(wanted)}, {unlike[:1]} to {unlike[-1:]}"

    wait_for(same, difference)


def add_change(window, line):
    window.key("ctrl+shift+k")
    window.toplevel("Changes in the Model")
    window.key("ctrl+End", "Return")
    window.type(line)
    window.wait_for_n_changes(2)
    window.key("Escape")
    window.wait_for_closed("Changes in the Model")


def save(window, path):
    window.key("ctrl+s")
    window.answer_file_chooser("Save Session", path, f"Saved {os.path.basename(path)}")
    assert os.path.exists(path)


def open_from_menu(window, path):
    window.park_pointer()
    window.key("F10")
    window.get("menu item", "Open Session…")
    window.key("Down", "Down", "Return")
    window.answer_file_chooser("Open Session", path)


def test_type_switch_hide_keep_compare():
    window = session.window = Window(BINARY, env=settings("here"))
    window.replace_text(TEXT)
    window.wait_for_translation()
    window.key("ctrl+r")  # keep as reference
    window.key("F6", "F6")  # to the heads
    window.key("2", "Page_Up")
    window.key("x")
    window.wait_for_n_changes(1)
    add_change(window, "source 3 hide")
    window.wait_for_status(r".* · 2 changes")
    session.translation = window.translation()
    for _ in range(3):  # A, B, B - A
        window.key("ctrl+d")
    window.wait_for_status(r"A: .* log p of its words .*")
    window.key("alt+1", "ctrl+l")  # a ring around what has the focus goes by itself after some seconds
    session.before = pixels(window)


def test_save():
    window = session.window
    save(window, DOGS)
    window.quit()
    with zipfile.ZipFile(DOGS) as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        assert names == {"session.json", "capture.npz", "a.npz", "b.npz"}, names
        saved = json.loads(archive.read("session.json"))
    assert saved["text"] == TEXT and saved["look"]["compare"] == "difference"
    assert FOLDER not in json.dumps(saved) and MODEL not in json.dumps(saved)


def test_same_pixels():
    """On another machine."""
    window = session.window = Window(BINARY, "It rains.", env=settings("there"))
    window.wait_for_translation()
    open_from_menu(window, DOGS)
    window.wait_for_source(TEXT)
    window.wait_for_translation(session.translation)
    window.wait_for_status(r"A: .* log p of its words .*")
    window.key("ctrl+l")
    wait_for_pixels(window, session.before)


def test_everything_is_live():
    window = session.window
    window.key("ctrl+l", "ctrl+End")
    window.type(" It rains.")
    window.wait_for_source(TEXT + " It rains.")
    window.wait_for_translation(not_=session.translation)


def test_no_sessions():
    """Cut off, of another version, of another program, no archive: named, and nothing changes."""
    window = session.window
    shown = window.source_text()

    def refused(name, *words):
        open_from_menu(window, os.path.join(FOLDER, name))
        window.wait_for_banner(name, *words, "Nothing was changed")
        assert window.source_text() == shown

    cut = os.path.join(FOLDER, "cut.regard")
    shutil.copy(DOGS, cut)
    os.truncate(cut, 3000)
    refused("cut.regard", "expected a zip archive")
    with zipfile.ZipFile(DOGS) as archive:
        description = archive.read("session.json")
    with zipfile.ZipFile(os.path.join(FOLDER, "next.regard"), "w") as archive:
        archive.writestr("session.json", description.replace(b'"version": 1', b'"version": 2'))
    refused("next.regard", "expected version 1 of the format", "found 2, written by regard")
    with zipfile.ZipFile(os.path.join(FOLDER, "photos.regard"), "w") as archive:
        archive.writestr("cat.jpg", b"")
    refused("photos.regard", "expected a session of Regard")
    with open(os.path.join(FOLDER, "text.regard"), "w", encoding="utf-8") as file:
        file.write("no archive")
    refused("text.regard", "expected a zip archive")
    window.quit()


def test_model_missing():
    """Its picture is there all the same, with what is needed; and then it goes on."""
    shutil.copytree(MODEL, OWN)
    with open(os.path.join(OWN, "generation_config.json"), "a", encoding="utf-8") as file:
        file.write("\n")
    window = Window(BINARY, "--model", OWN, TEXT, env=settings("owner"))
    translation = window.wait_for_translation()
    window.key("ctrl+l")
    before = pixels(window)
    path = os.path.join(FOLDER, "own.regard")
    save(window, path)
    window.quit()
    away = OWN + "-away"
    os.rename(OWN, away)

    window = Window(BINARY, path, env=settings("stranger"))
    said = window.wait_for_banner(
        "own.regard: my-model", "is not on this machine", "What is shown was saved with it."
    )
    assert "SHA-256 " in said and "regard/models" in said, said
    wait_for(lambda: window.translation() == translation, "the translation")
    inspected = window.run_cli("inspect", path)
    sha256 = said.split("SHA-256 ")[1].split()[0].rstrip(".")
    assert sha256 in inspected, inspected
    window.key("ctrl+o")
    window.answer_file_chooser("Open Model", away)
    wait_for(lambda: "is not on this machine" not in window.banner_text(), "the model")
    window.wait_for_source(TEXT)
    window.wait_for_translation(translation)
    window.key("ctrl+l")
    wait_for_pixels(window, before)
    window.quit()


TESTS = [
    test_type_switch_hide_keep_compare,
    test_save,
    test_same_pixels,
    test_everything_is_live,
    test_no_sessions,
    test_model_missing,
]

if __name__ == "__main__":
    status = run_tap(TESTS)
    shutil.rmtree(FOLDER)
    sys.exit(status)
