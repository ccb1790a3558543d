#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other models, good and broken, and what is remembered from one start to the next.

    test_models.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import os
import shutil
import sys
import tempfile
import time

import regard
from driver import comes, run_tap, wait_for
from regard import Window

FOLDER = tempfile.mkdtemp(prefix="regard-models-")
SETTINGS = {
    "GSETTINGS_BACKEND": "keyfile",
    "XDG_CONFIG_HOME": os.path.join(FOLDER, "config"),
    "XDG_DATA_HOME": os.path.join(FOLDER, "data"),
}
MODELS = os.path.join(FOLDER, "data", "regard", "models")
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
    return os.path.expanduser(detail.get_description().splitlines()[0])


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
    """For the first time ever: with a welcome and few controls, and typing leads on. All controls are a click away,
    and are what there is from then on."""
    os.makedirs(SETTINGS["XDG_CONFIG_HOME"])
    window = session.window = Window(BINARY, env=SETTINGS)
    window.wait_for_translation()
    assert window.find("push button", "With All Controls")
    window.key("ctrl+a", "Delete")
    # What a stack does not show any more keeps its place on the bus: what comes instead has none before.
    window.get("label", "Type a sentence, and watch every head")
    window.replace_text(TEXT)
    # On a busy machine a half of it is translated before.
    session.translation = window.attend(TEXT, "cross", 4, 1)["meta"]["translation"]
    window.wait_for_translation(session.translation)
    assert window.find("push button", "Switch Head Off") and not window.find("push button", "Copy")
    window.click(window.get("push button", "Full"), until=lambda: window.find("push button", "Copy"))


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
    window.click(close, until=lambda: not window.is_showing_banner())


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


def row(window, part):
    """The row of the list of models that says this, when it is there."""
    return window.get("list item", lambda name: part in name)


def wait_for_focus(window, node):
    wait_for(lambda: window.has_state(node, "FOCUSED"), lambda: f"the focus on {node.get_name()!r}")


def test_back_to_the_bundled_one():
    """By the list at the model's name, with the keyboard."""
    window = session.window
    window.park_pointer()
    window.key("ctrl+m")
    wait_for_focus(window, row(window, ", odd-sizes-swish · "))
    window.key("Home")
    wait_for_focus(window, row(window, "English → German, en-de · "))
    window.key("Return")
    window.wait_for_translation(session.translation)
    window.wait_for_status(r"bundled · .*")


def put_model(name, without=()):
    """A small model where models are found, some of its files left out."""
    folder = os.path.join(MODELS, name)
    shutil.copytree(os.path.join(DATA, "pre-norm-plain"), folder)
    for file in (*without, "tokenizer_config.json"):
        os.unlink(os.path.join(folder, file))


def test_found_models():
    """What is put into the folder for models is in the list: opened by name, or it says why not."""
    window = session.window
    put_model("Helsinki-NLP/opus-mt-en-fr")
    put_model("opus-mt-en-mg", without=["source.spm"])
    window.key("ctrl+m")
    half = row(window, "English → Malagasy, ")
    assert "source.spm is missing" in half.get_name(), half.get_name()
    whole = row(window, "English → French, ")
    assert "opus-mt-en-fr" in whole.get_name(), whole.get_name()
    assert "in use" in row(window, "English → German, en-de · ").get_name()

    window.key("End")
    wait_for_focus(window, half)
    window.key("Return")
    window.wait_for_banner("opus-mt-en-mg: source.spm is missing.", "goes on working")
    still_works(window)

    window.key("ctrl+m")
    wait_for_focus(window, row(window, "English → German, en-de · "))
    window.key("End", "Up")
    wait_for_focus(window, row(window, "English → French, "))
    window.key("Return")
    window.wait_for_status(r"opus-mt-en-fr · .*")
    window.get("push button", lambda name: name.startswith("Model: "))
    assert window.status("English → French")
    wait_for(lambda: not window.is_showing_banner(), "the banner to go")


def test_forgets_a_recent_model():
    """Delete takes the model out of the recent ones; Escape goes back to the text."""
    window = session.window
    window.key("ctrl+m")
    # The list is shown as it was when it was closed, and made anew when the folders have been read: only then
    # is the model in use a recent one, beside the one of another shape.
    wait_for(lambda: len(recent_buttons(window)) == 2, "both recent models")
    # Opened again it is shown as it is, and the row in use has the keyboard.
    window.key("Escape")
    wait_for(lambda: not recent_buttons(window), "the list to close")
    window.key("ctrl+m")
    wait_for_focus(window, row(window, "English → French, "))
    window.key("Delete")
    wait_for(lambda: len(recent_buttons(window)) == 1, "a recent model less")
    assert row(window, "English → French, ")
    window.key("Escape")
    wait_for(lambda: not recent_buttons(window), "the list to close")
    window.replace_text(TEXT)


def test_search():
    """Many models are found by typing: Escape takes the words away, Down and Return choose."""
    window = session.window
    for code in ("da", "nl", "sv", "fi", "it", "es", "pt", "ro"):
        put_model(f"opus-mt-en-{code}")
    window.key("ctrl+m")
    row(window, "English → Romanian, ")
    # Rows that are filtered out stay on the bus; the first one that is seen has the focus.
    window.type("italian")
    window.key("Escape")
    window.type("en-ro")
    time.sleep(0.5)  # a search waits for the end of the word
    window.key("Down")
    wait_for_focus(window, row(window, "English → Romanian, "))
    window.key("Return")
    window.wait_for_status(r"opus-mt-en-ro · .*")


def test_watch_a_model_learn():
    """The training that comes along: from the menu, by keys, and by its slider."""
    window = session.window
    window.key("F10")
    entry = window.get("menu item", "Watch a Model Learn")

    def is_reached():
        window.key("Down")
        time.sleep(0.1)
        return window.has_state(entry, "FOCUSED")

    wait_for(is_reached, "the focus on the entry of the menu")
    window.key("Return")
    window.wait_for_status(r"step-00000000 · .*")
    window.wait_for_source("today the small cat has seen the old dog")
    assert not window.is_showing_banner(), window.banner_text()
    right = "heute hat die kleine Katze den alten Hund gesehen"
    window.wait_for_translation(not_=right)

    slider = window.get("slider", "Checkpoint of the training")
    window.key(*["alt+Page_Down"] * 15)
    window.wait_for_status(r"step-00001000 · .*")
    window.wait_for_translation(right)
    window.key("alt+Page_Up", "alt+Page_Up")
    window.wait_for_status(r"step 320 · 14 of 16")
    window.wait_for_status(r"step-00000320 · .*")
    assert slider.get_current_value() == 13
    keep = window.get("check box", "Keep Translation")
    window.click(keep)
    wait_for(lambda: window.has_state(keep, "CHECKED"), "the check mark")

    def is_at_slider():  # older GTK has one more stop between the two
        window.key("shift+Tab")
        time.sleep(0.3)  # the bus hears of the focus a moment later
        return window.has_state(slider, "FOCUSED")

    wait_for(is_at_slider, "the focus on the slider of checkpoints")
    window.key("Home")
    window.wait_for_status(r"step-00000000 · .*")
    window.wait_for_translation(right)
    window.park_pointer()
    window.click(keep)
    window.wait_for_translation(not_=right)
    assert not window.is_showing_banner(), window.banner_text()


def recent_buttons(window):
    name = "Take out of recent models"
    return [
        n
        for n in window.walk()
        if window.role_of(n) == "push button" and n.get_name() == name and window.is_showing(n)
    ]


def test_back_again():
    window = session.window
    window.key("ctrl+m")

    def is_first():  # rows are other ones once the list is read
        bundled = row(window, "English → German, en-de · ")
        window.key("Home")
        return comes(lambda: window.has_state(bundled, "FOCUSED"), timeout=2)

    wait_for(is_first, "the focus on the bundled model")
    window.key("Return")
    window.wait_for_source(TEXT)  # which the training had put aside
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
    window.quit()

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


def test_starts_with_a_folder():
    """A model's folder in the place of a text is opened, by its path or its name; a folder of that
    name that holds no model leaves a word a word."""
    small = os.path.realpath(os.path.join(DATA, "odd-sizes-swish"))
    os.mkdir(os.path.join(FOLDER, "dogs"))
    before = os.getcwd()
    for word, model, source in [
        (small, "odd-sizes-swish", None),
        ("cut-vocabulary", None, None),
        ("dogs", None, "dogs"),
    ]:
        os.chdir(FOLDER)
        if word == "cut-vocabulary":
            shutil.copytree(small, word)
            os.truncate(os.path.join(word, "vocab.json"), 10)
        window = session.window = Window(BINARY, word)
        os.chdir(before)
        if model:
            window.wait_for_status(rf"{model} · .*")
        elif source:
            window.wait_for_source(source)
        else:
            window.wait_for_banner("vocab.json")
        assert source or word not in window.source_text(), window.source_text()
        window.close()


TESTS = [
    test_opens,
    test_broken_weights,
    test_missing_vocabulary,
    test_folder_without_a_model,
    test_banner_can_be_dismissed,
    test_another_model,
    test_back_to_the_bundled_one,
    test_found_models,
    test_forgets_a_recent_model,
    test_search,
    test_watch_a_model_learn,
    test_back_again,
    test_remembers,
    test_starts_with_a_broken_model,
    test_starts_with_a_folder,
]

if __name__ == "__main__":
    status = run_tap(TESTS)
    shutil.rmtree(FOLDER)
    sys.exit(status)
