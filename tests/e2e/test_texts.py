#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of all kinds, typed and pasted: signs of other scripts, none at all, paragraphs, long ones.

    test_texts.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import sys
import time

import regard
from driver import run_tap, wait_for, xdotool
from regard import Window, test_quits_in_silence

START = "I have two dogs."
PARAGRAPH = "The house is old. My brother sees two dogs. We drink coffee."


def cli_translation(window, text):
    return window.attend(text, "cross", 4, 1)["meta"]["translation"]


def test_umlauts_chinese_emoji(window):
    """Typed with the keyboard; what the model cannot know is kept, and translated as it can."""
    text = "Käthe Größe says 世界 and 😀."
    window.wait_for_translation()
    window.replace_text(text)
    window.wait_for_translation(cli_translation(window, text))
    assert window.banner_text() == ""
    window.key("BackSpace", "BackSpace")
    window.wait_for_source(text[:-2])


def test_undo_brings_the_text_back(window):
    window.replace_text("She sees a red house.")
    window.wait_for_translation(cli_translation(window, "She sees a red house."))
    window.key("ctrl+a", "Delete")
    window.wait_for_source("")
    window.key("ctrl+z")
    window.wait_for_source("She sees a red house.")
    window.wait_for_translation(cli_translation(window, "She sees a red house."))


def test_empty_text(window):
    """No translation, no picture, no complaint; the examples instead, and one of them can be had."""
    window.key("ctrl+l", "ctrl+a", "Delete")
    window.wait_for_translation("")
    examples = window.get("list", "Example sentences")
    assert window.banner_text() == ""
    first = window.get("list item", lambda name: name.startswith("The animal"), examples)
    sentence = first.get_name()
    window.click(first, 0.3, 0.5)
    window.park_pointer()
    window.wait_for_source(sentence)
    window.wait_for_translation(cli_translation(window, sentence))
    wait_for(lambda: window.box(window.heatmap).height > 200, "the pictures")


def test_only_blanks_are_no_text(window):
    window.replace_text("   ")
    window.wait_for_translation("")
    assert window.banner_text() == ""


def test_paragraph_shows_the_sentence_at_the_caret(window):
    """All three are translated; caret in the second: its pieces and its picture."""
    sentences = [s.strip() + "." for s in PARAGRAPH.split(".") if s.strip()]
    window.replace_text(PARAGRAPH)
    window.wait_for_status(r"\d+ pieces · sentence 3 of 3")
    whole = " ".join(cli_translation(window, sentence) for sentence in sentences)
    window.wait_for_translation(whole)
    window.key("ctrl+Home", *["ctrl+Right"] * 6)  # "My brother|"
    n = window.count_pieces(sentences[1])
    window.wait_for_status(rf"{n} pieces · sentence 2 of 3")
    wait_for(
        lambda: window.heatmap.get_description().endswith(f"{n} columns"),
        lambda: f"{n} columns; it says {window.heatmap.get_description()!r}",
    )
    assert window.translation() == whole
    window.key("alt+Up")
    window.wait_for_status(r"\d+ pieces · sentence 1 of 3")
    window.key("alt+Down", "alt+Down")
    window.wait_for_status(r"\d+ pieces · sentence 3 of 3")


def test_long_sentence_leaves_the_window_alive(window):
    """As many tokens as the model has positions, and keys that overtake each translation of them.

    That keys are answered while work is held back is shown by tests/app/test-translator.c, where nothing
    depends on how fast the machine is."""
    words = "the old man and the young woman see"
    n = 512 // window.count_pieces(words)
    text = " ".join([words] * n)
    while window.count_pieces(text) < 512:
        text += " the"
    assert window.count_pieces(text) == 512
    window.paste(text)
    for letter in "abcdefgh":
        window.key(letter)
        window.wait_for_source(text + letter)
        window.key("BackSpace")
        window.wait_for_source(text)
    window.wait_for_status(r"512 pieces · sentence 1 of 1")
    wait_for(
        lambda: window.heatmap.get_description().endswith("512 columns"),
        lambda: f"512 columns; it says {window.heatmap.get_description()!r}",
    )
    assert window.banner_text() == ""


def test_text_beyond_the_positions(window):
    """The banner says how much is too much; text and last picture stay; a shorter text goes."""
    text = ("word " * 800)[:4000].strip()
    window.paste(text)
    says = window.wait_for_banner("512", "Your text is kept")
    assert window.source_text() == text
    assert any(part in says for part in ("tokens", "pieces", "positions")), says
    assert window.heatmap.get_description().endswith("512 columns")
    window.replace_text(START)
    window.wait_for_translation(cli_translation(window, START))
    wait_for(lambda: not window.is_showing_banner(), "the banner to go")


def test_fast_typing_ends_with_the_last_text(window):
    """Keys without a pause: what was overtaken never comes back."""
    text = "The president of the small country has not yet said what he thinks about it."
    window.key("ctrl+l", "ctrl+a", "Delete")
    window.type(text, delay=1)
    window.wait_for_source(text)
    wanted = cli_translation(window, text)
    window.wait_for_translation(wanted)
    time.sleep(0.3)  # nothing may come after it
    assert window.translation() == wanted


def test_pages_are_left_while_they_compute(window):
    """A page is looked at, left at once, and its text cleared: nothing is shown under a name that is
    not its own, and the program goes on. As fast as keys can be."""
    long = " and ".join(["I have two dogs"] * 60) + "."
    n = window.count_pieces(long)
    for page in range(2, 8):
        window.key("alt+1")
        window.paste(long)
        wait_for(
            lambda: window.heatmap.get_description().endswith(f"{n} columns"),
            lambda: f"{n} columns; it says {window.heatmap.get_description()!r}",
            60,
        )
        xdotool("key", "--delay", "1", f"alt+{page}", "alt+1", "ctrl+l", "ctrl+a", "Delete")
        window.wait_for_source("")
        window.wait_for_translation("")
    window.replace_text(START)
    window.wait_for_translation(cli_translation(window, START))


TESTS = [
    test_umlauts_chinese_emoji,
    test_undo_brings_the_text_back,
    test_empty_text,
    test_only_blanks_are_no_text,
    test_paragraph_shows_the_sentence_at_the_caret,
    test_long_sentence_leaves_the_window_alive,
    test_text_beyond_the_positions,
    test_fast_typing_ends_with_the_last_text,
    test_pages_are_left_while_they_compute,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, Window(regard.binary_from(sys.argv), START)))
