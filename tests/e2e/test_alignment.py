#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The alignment lab from outside: links of the sentence by other recipes, and a gold file.

    test_alignment.py BUILD/app/regard        (TAP; needs a display and a session bus)

regard-cli align says what is right.
"""

import json
import os
import re
import sys
import tempfile

import regard
from driver import run_tap, wait_for
from regard import Window, test_quits_in_silence

TEXT = "My brother bought an old house."
GOLD = os.path.join(os.path.dirname(__file__), "..", "data", "gold", "en-de.tsv")


def area(window, name):
    return window.get("image", name)


def links_area(window):
    return area(window, "Links between the words of both texts")


def expected(window, recipe):
    """What the pane says of each source word, by the command line."""
    found = json.loads(
        window.run_cli("align", "--json", "--recipe", recipe,
                       text=f"{TEXT}\t{window.translation()}\n")
    )
    said = []
    for i, word in enumerate(found["source_words"]):
        links = [
            f"{found['target_words'][link['target']]} {link['weight']:.2f}"
            for link in found["links"] if link["source"] == i
        ]
        said.append(f"{word}: {', '.join(links)}" if links else f"{word}: no link")
    return found, said


def assert_links(window, recipe):
    """Every source word, by keys, says the links that the command line prints."""
    found, said = expected(window, recipe)
    window.click(links_area(window), 0.03, 0.05)
    window.park_pointer()
    window.key("Home")
    for words in said:
        wait_for(
            lambda: words in links_area(window).get_description(),
            lambda: f"{words!r}; it says {links_area(window).get_description()!r}",
        )
        window.key("Right")
    return found


def wait_for_note(window, *parts):
    def note():
        return window.find("label", lambda name: name.startswith("alignment"))

    wait_for(
        lambda: note() and all(part in note().get_name() for part in parts),
        lambda: f"a note with {parts}; it is {note() and note().get_name()!r}",
    )


def test_default(window):
    """The layer is chosen by the sentence's norms, and said."""
    window.wait_for_translation()
    window.click(window.heatmap, 0.02, 0.02)
    window.key("alt+7")
    window.click(window.get(None, "Alignment"))
    wait_for_note(window, "norms, layer ", "chosen without gold")
    found = assert_links(window, "")
    wait_for_note(window, f"layer {found['recipe']['of']} ")


def test_recipe(window):
    """Another row, weights of another layer: other links, at once."""
    window.choose(window.get("combo box", "Row"), "output row")
    wait_for_note(window, "output row")
    window.choose(window.get("combo box", "Matrix"), "weights")
    window.choose(window.get("combo box", "Of"), "layer 2")
    wait_for_note(window, "weights, layer 2, output row")
    assert_links(window, "matrix=weights of=2 row=output")


def test_gold(window):
    """A gold file: the best recipe of the list is that of the command line; Enter takes it."""
    window.click(window.get("push button", "Gold File…"), until=lambda: window.is_open("Choose a Gold File"))
    window.answer_file_chooser("Choose a Gold File", os.path.abspath(GOLD))
    window.get("label", lambda name: name.startswith("Click a bar"))
    best = json.loads(window.run_cli("align", "--gold", GOLD, "--vary", "matrix,of,row",
                                     "--top", 1, "--json", "--recipe", "row=output"))["ranking"][0]
    scores = area(window, "Error rates of recipes and heads")
    window.click(scores, 0.03, 0.02)
    window.park_pointer()
    window.key("Home")
    said = re.compile(r"1 of \d+, (norms|weights), (head|layer) ([\d.]+), (input|output) row.*: "
                      r"AER ([\d.]+) % \(([\d.]+) … ([\d.]+)\)")
    found = wait_for(lambda: said.search(scores.get_description()), "the best recipe in words")
    recipe = best["recipe"]
    assert found.group(1, 3, 4) == (recipe["matrix"], recipe["of"], recipe["row"]), found.group(0)
    for text, rate in zip(found.group(5, 6, 7), (best["aer"], best["low"], best["high"])):
        assert abs(float(text) - 100 * rate) < 0.0501, found.group(0)
    window.key("Return")
    wait_for_note(window, f"{recipe['matrix']}, {found.group(2)} {recipe['of']}")
    assert_links(window, " ".join(f"{key}={value}" for key, value in recipe.items()))


def test_wrong_gold(window):
    """A file that is none is named by its line, and what was there stays."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "wrong.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("0-0\n1-2 3--4\n")
        window.click(window.get("push button", "en-de.tsv"), until=lambda: window.is_open("Choose a Gold File"))
        window.answer_file_chooser("Choose a Gold File", path)
        window.get("label", lambda name: "wrong.txt, line 2: expected links" in name)
    assert window.find("push button", "en-de.tsv")


if __name__ == "__main__":
    program = Window(regard.binary_from(sys.argv), TEXT)
    sys.exit(run_tap([test_default, test_recipe, test_gold, test_wrong_gold,
                      test_quits_in_silence], program))
