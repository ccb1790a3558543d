#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other models, good and broken, and what is remembered from one start to the next.

    test_models.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import os
import shutil
import sys
import tempfile

import regard
from driver import run_tap, wait_for
from regard import Window

FOLDER = tempfile.mkdtemp(prefix="regard-models-")
SETTINGS = {"GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": os.path.join(FOLDER, "config")}
TEXT = "My brother bought an old house."
BINARY = regard.binary_from(sys.argv)
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "checkpoints")


class session:
    """What the tests have in common; the window is another one after a new start."""

    window = None
    translation = None


def bundled():
    """The folder that the window says it has its model from."""
    window = session.window
    detail = window.find("label", lambda name: name.startswith("bundled ·"))
    return os.path.expanduser(detail.get_description())


def copy_of_bundled(name, without=(), cut=()):
    """A folder with the bundled model's files, some left out, some cut off in the middle."""
    folder = os.path.join(FOLDER, name)
    shutil.copytree(bundled(), folder)
    for file in without:
        os.unlink(os.path.join(folder, file))
    for file in cut:
        path = os.path.join(folder, file)
        os.truncate(path, os.path.getsize(path) // 2)
    return folder


def open_model(window, folder):
    """Ctrl+O, and the path typed into the chooser's location."""
    window.key("ctrl+o")
    window.answer_file_chooser("Open Model", folder)


def test_opens():
    os.makedirs(SETTINGS["XDG_CONFIG_HOME"])
    window = session.window = Window(BINARY, TEXT, env=SETTINGS)
    session.translation = window.wait_for_translation()


def still_works(window):
    """The old model translates, and the text is what it was."""
    window.wait_for_source(TEXT)
    assert window.translation() == session.translation
    window.replace_text("I have two dogs.")
    text = window.attend("I have two dogs.", "cross", 4, 1)["meta"]["translation"]
    window.wait_for_translation(text)
    window.replace_text(TEXT)
    window.wait_for_translation(session.translation)
    assert window.status(r"bundled · .*")


def test_broken_weights():
    window = session.window
    folder = copy_of_bundled("cut-weights", cut=["model.safetensors"])
    open_model(window, folder)
    window.wait_for_banner("model.safetensors", "goes on working", "text is kept")
    still_works(window)


def test_missing_vocabulary():
    window = session.window
    folder = copy_of_bundled("no-vocabulary", without=["vocab.json"])
    open_model(window, folder)
    window.wait_for_banner("vocab.json", "goes on working", "text is kept")
    still_works(window)


def test_folder_without_a_model():
    window = session.window
    folder = os.path.join(FOLDER, "empty")
    os.mkdir(folder)
    open_model(window, folder)
    window.wait_for_banner("config.json", "goes on working", "text is kept")
    still_works(window)


def test_banner_can_be_dismissed():
    window = session.window
    close = window.find("push button", "Dismiss", window.banner)
    assert close, "the banner's close button has no name"
    window.click(close)
    wait_for(lambda: not window.is_showing_banner(), "the banner to go")


def test_another_model():
    """With other numbers of layers and heads: it takes over, pictures and all."""
    window = session.window
    open_model(window, os.path.realpath(os.path.join(DATA, "odd-sizes-swish")))
    window.wait_for_status(r"odd-sizes-swish · .*")
    window.wait_for_source(TEXT)
    wait_for(
        lambda: window.translation() != session.translation, "the other model's translation"
    )
    assert not window.is_showing_banner(), window.banner_text()


def test_back_to_the_bundled_one():
    """By the menu at the model's name, with the keyboard."""
    window = session.window
    window.click(window.get("push button", lambda name: name.startswith("The model")))
    item = window.get("menu item", lambda name: "bundled" in name)
    window.park_pointer()
    window.key("Home", "Return")
    window.wait_for_translation(session.translation)
    window.wait_for_status(r"bundled · .*")


def test_remembers():
    """Head, kind, colours, view and text are there again after quitting."""
    window = session.window
    window.click(window.heatmap, 0.02, 0.02)
    _, layer, head = window.place()
    place = ("encoder", layer + 1, head + 2)
    window.key("1", "Page_Down", "bracketright", "bracketright")
    window.wait_for_place(*place)
    window.choose(window.get("combo box", "Colours"), "Magma")
    window.key("ctrl+q")
    status = window.wait_for_end()
    assert status == 0, f"it ended with {status}: {window.errors()}"
    assert window.errors() == "", window.errors()

    window = session.window = Window(BINARY, env=SETTINGS)
    window.wait_for_source(TEXT)
    window.wait_for_translation(session.translation)
    window.wait_for_place(*place)
    window.get("label", "Magma")


def test_starts_with_a_broken_model():
    """--model with a folder that cannot be opened: said, and the bundled one instead."""
    folder = os.path.join(FOLDER, "cut-weights")
    session.window.close()
    window = session.window = Window(BINARY, "--model", folder, TEXT)
    window.wait_for_banner("model.safetensors", "text is kept")
    window.wait_for_translation(session.translation)
    window.wait_for_source(TEXT)
    window.key("ctrl+q")
    status = window.wait_for_end()
    assert status == 0, f"it ended with {status}: {window.errors()}"


TESTS = [
    test_opens,
    test_broken_weights,
    test_missing_vocabulary,
    test_folder_without_a_model,
    test_banner_can_be_dismissed,
    test_another_model,
    test_back_to_the_bundled_one,
    test_remembers,
    test_starts_with_a_broken_model,
]

if __name__ == "__main__":
    status = run_tap(TESTS)
    shutil.rmtree(FOLDER)
    sys.exit(status)
