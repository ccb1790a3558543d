#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page Measure from outside: a corpus file that regard-cli made, opened by keys; the list, its
order and its filter; sentences, search, and one that is opened; quality over a file. Keys alone.

    test_measure.py BUILD/app/regard

regard-cli says what is right: `corpus show` and `quality` of the same files.
"""

import csv
import io
import os
import re
import sys
import tempfile
import time

import regard
from driver import run_tap

TEXTS = ["Good morning.", "Good morning!", "I have two dogs.", "I had two dogs.", "I don't have two dogs."]
REFERENCES = ["Guten Morgen.", "Guten Tag!", "Ich habe zwei Hunde.", "Ich hatte zwei Katzen.",
              "Ich habe keine zwei Hunde."]


def write(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def open_corpus(window, folder):
    text = write(folder, "dogs.en", TEXTS)
    path = os.path.join(folder, "dogs.regard-corpus")
    window.run_cli("corpus", "-o", path, text)
    window.key("alt+7")
    if button := window.find("push button", "Open…"):
        window.click(button, until=lambda: window.is_open("Open Corpus"))
    else:  # the first time, by keys
        window.tab_to("Open Corpus…")
        window.key("Return")
    window.answer_file_chooser("Open Corpus", path)
    window.wait_for_status(r"144 heads over dogs\.en · 5 sentences · .*")
    return path


def test_heads(window):
    """Without a file it says so; with one there is a row for each head; a filter takes some away."""
    with tempfile.TemporaryDirectory() as folder:
        window.wait_for_translation()
        window.key("alt+7")
        window.wait_for_status(r"A corpus file says what every head does.*")
        path = open_corpus(window, folder)
        shown = list(csv.DictReader(io.StringIO(window.run_cli("corpus", "show", "--csv", path))))
        assert shown, "the command line has no rows"
        entry = window.get(None, "Which heads: kinds, roles, places, numbers")
        window.click_into(entry)
        window.type("cross 4.*")
        window.wait_for_status(r"8 of 144 heads over dogs\.en.*")
        window.key("ctrl+a")
        window.type("nonsense")
        window.wait_for_status(r"“nonsense” is no kind, role, place or measure")
        window.key("ctrl+a", "Delete")
        window.wait_for_status(r"144 heads over dogs\.en.*")


def test_sentences(window):
    """The strongest sentences have the numbers of the command line; Enter opens one."""
    with tempfile.TemporaryDirectory() as folder:
        open_corpus(window, folder)
        window.wait_for_status(r"the 5 sentences with the greatest: Confidence")
        window.click_into(window.get("push button", "Strongest"))
        window.key("Right", "Right", "space")
        window.wait_for_status(r"\d sentences?")
        search = window.get(None, "Words that are searched for")
        window.click_into(search)
        window.type("dogs")
        window.wait_for_status(r"[0-3] sentences?|No sentence of the text is so\.")
        window.click(window.get(None, "Strongest"), 0.5, 0.5)
        window.wait_for_status(r"the 5 sentences with the greatest: Confidence")
        rows = [n for n in window.walk(window.frame) if n.get_role_name() == "list item"
                and any(n.get_name().endswith(t) for t in TEXTS) and window.is_showing(n)]
        assert rows, "no sentence is read aloud"
        said = rows[0].get_name()
        window.click(rows[0], 0.5, 0.5)
        window.wait_for_source(next(t for t in TEXTS if said.endswith(": " + t)))


def test_wrong_file(window):
    """What is no corpus file is named, and the one before stays."""
    with tempfile.TemporaryDirectory() as folder:
        open_corpus(window, folder)
        wrong = write(folder, "wrong.regard-corpus", ["this is no corpus"])
        window.click(window.get(None, "Open…"), until=lambda: window.is_open("Open Corpus"))
        window.answer_file_chooser("Open Corpus", wrong)
        window.wait_for_banner("wrong.regard-corpus", "The corpus before stays open.")
        window.wait_for_status(r"144 heads over dogs\.en.*")


def test_quality(window):
    """Two files chosen, scored, and the number is that of regard-cli quality."""
    with tempfile.TemporaryDirectory() as folder:
        text, wanted = write(folder, "a.en", TEXTS), write(folder, "a.de", REFERENCES)
        table = window.run_cli("quality", "--references", wanted, text)
        bleu = re.search(r"^all\s+5\s+([\d.]+)", table, re.M).group(1)
        window.key("alt+7")
        window.click(window.get(None, "Quality"), until=lambda: window.find("push button", "Text…"))
        window.tab_to("Text…")
        window.key("Return")
        window.answer_file_chooser("Choose a Text", text)
        window.tab_to("References…")
        window.key("Return")
        window.answer_file_chooser("Choose Its References", wanted)
        window.tab_to("Translate and Score")
        window.key("Return")
        window.wait_for_status(r"quality over a\.en · 5 sentences · .*")
        window.tab_to("Quality by the length of the sentences")
        window.key("Home")
        said = window.wait_for_status(r"all 5 sentences: BLEU .*")
        assert f"BLEU {bleu} " in said, (said, bleu)


def test_given(window):
    """A corpus file in the place of a text is shown, and not the one that lies beside the model; a
    damaged one is named, and then that one is."""
    window.close()
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        os.mkdir(model)
        for file in os.listdir(os.environ["REGARD_MODEL_DIR"]):
            os.symlink(os.path.join(os.environ["REGARD_MODEL_DIR"], file), os.path.join(model, file))
        chosen = os.path.join(folder, "chosen.regard-corpus")
        window.run_cli("corpus", "-o", chosen, write(folder, "dogs.en", TEXTS))
        own = write(folder, "own.en", TEXTS[:2])
        window.run_cli("corpus", "-o", os.path.join(model, "own.regard-corpus"), own)
        wrong = write(folder, "wrong.regard-corpus", ["this is no corpus"])
        for path, shown in [(chosen, "dogs"), (wrong, "own")]:
            other = regard.Window(window.binary, path, env={"REGARD_MODEL_DIR": model})
            other.wait_for_status(rf"144 heads over {shown}\.en.*")
            if path == wrong:
                other.wait_for_banner("wrong.regard-corpus")
            assert "regard-corpus" not in other.source_text(), other.source_text()
            time.sleep(0.3)  # nothing may come in its place
            assert other.status(rf"144 heads over {shown}\.en.*")
            other.close()


TESTS = [test_heads, test_sentences, test_wrong_file, test_quality, test_given]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, regard.Window(regard.binary_from(sys.argv), "I have two dogs.")))
