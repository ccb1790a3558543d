#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributions from outside: Show on the Attention page, Trust under the texts, the bench of Measure.
Keys alone, but for the dialog.

    test_show.py BUILD/app/regard

regard-cli says what is right: `attribute` and `trust` of the same sentence.
"""

import json
import os
import re
import sys
import tempfile

import regard
from driver import run_tap, wait_for
from regard import test_quits_in_silence

TEXT = "I have two dogs."
METHODS = [
    "weights",
    "norms",
    "rollout",
    "alti",
    "value-zeroing",
    "occlusion",
    "gradient-input",
    "integrated-gradients",
    "chefer",
]


def attribute(window, *options):
    """What the command line computes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "attribution.json")
        window.run_cli("attribute", *options, "-o", path, TEXT)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["matrices"]


def export(window, folder, name):
    """What the window saves of what is seen, as JSON."""
    path = os.path.join(folder, name)
    window.park_pointer()
    window.key("ctrl+e")
    dialog = window.toplevel("Export")
    window.choose(window.get("combo box", "Format", dialog), "JSON data")
    window.click(window.get("push button", lambda label: "Save…" in label, dialog),
                 until=lambda: window.is_open("Save As"))
    window.answer_file_chooser("Save As", path, f"Saved {name}")
    window.wait_for_closed("Export")
    with open(path, encoding="utf-8") as file:
        return json.load(file)["matrices"]


def values(matrix):
    return [value for row in matrix["values"] for value in row if value is not None]


def assert_same(mine, theirs):
    """The same matrices with the same facts, but for the model's name, which may be a folder's."""
    for a, b in zip(mine, theirs, strict=True):
        for fact in set(a["meta"]) - {"model"}:
            assert a["meta"][fact] == b["meta"][fact], fact
    for a, b in zip(mine, theirs, strict=True):
        assert len(values(a)) == len(values(b)) > 0
        assert max(abs(x - y) for x, y in zip(values(a), values(b), strict=True)) < 1e-5


def wait_for_caption(window, part):
    window.get("label", lambda name: part in name)


def test_shows_the_next_method(window):
    window.wait_for_source(TEXT)
    window.wait_for_translation()
    window.where = window.place()
    window.click(window.heatmap, 0.02, 0.02)
    window.park_pointer()
    for _ in range(4):
        window.key("m")
    wait_for_caption(window, "Ferrando et al. 2022")
    wait_for_caption(window, "the selected head changes nothing")
    with tempfile.TemporaryDirectory() as folder:
        mine = export(window, folder, "alti.json")
    assert_same(mine, attribute(window, "--method", "alti"))
    assert mine[0]["meta"]["method"] == "alti", mine[0]["meta"]
    assert "Ferrando" in mine[0]["meta"]["published"]
    # Rows of ALTI+ are 1 over the source and what the decoder had read.
    for row in mine[0]["values"]:
        assert abs(sum(value or 0 for value in row) - 1) < 1e-4, row


def test_reads_a_cell(window):
    """Keys move over attributions as over weights, and the number is said."""
    window.click(window.heatmap, 0.5, 0.5)
    window.key("ctrl+Home")
    window.park_pointer()
    matrix = attribute(window, "--method", "alti")[0]
    rows, columns = (
        [label["text"] for label in matrix[side]] for side in ("rows", "columns")
    )
    window.key("Right")
    wait_for(
        lambda: window.find(
            "label", f"{rows[0]} ← {columns[1]}  {matrix['values'][0][1]:.4g}"
        ),
        lambda: f"{rows[0]} ← {columns[1]}  {matrix['values'][0][1]:.4g}",
    )
    window.key("Escape")


def test_is_of_one_layer_and_head(window):
    """Norms have both to choose from; a signed method has neither."""
    window.key("M", "M")
    wait_for_caption(window, "Kobayashi et al. 2020")
    window.key("b", "b")
    place = window.where
    wait_for_caption(window, f"Head {place[2]} of layer {place[1]} in every attention")
    with tempfile.TemporaryDirectory() as folder:
        mine = export(window, folder, "norms.json")
    assert_same(
        mine,
        attribute(window, "--method", "norms", "--layer", place[1], "--head", place[2]),
    )
    assert (mine[0]["meta"]["layer"], mine[0]["meta"]["head"]) == (place[1], place[2])
    window.key("b")
    for _ in range(4):
        window.key("m")
    wait_for_caption(window, "nats of log p that the word loses")
    with tempfile.TemporaryDirectory() as folder:
        mine = export(window, folder, "occlusion.json")
    assert_same(mine, attribute(window, "--method", "occlusion"))
    assert min(values(mine[0])) < 0 < max(values(mine[0]))


def test_is_of_one_word(window):
    window.key("n")
    window.get("label", lambda name: name.startswith("One word: "))
    with tempfile.TemporaryDirectory() as folder:
        mine = export(window, folder, "word.json")
    assert len(mine[0]["values"]) == 1
    assert_same(mine, attribute(window, "--method", "occlusion", "--token", mine[0]["meta"]["token"]))
    window.key("n")


def test_goes_back_to_weights(window):
    for _ in range(len(METHODS) - METHODS.index("occlusion")):
        window.key("m")
    wait_for(
        lambda: not window.find("label", lambda name: "nats of log p" in name), "no attribution"
    )
    window.get("label", lambda name: re.fullmatch(r"layer \d+ · head \d+", name) is not None)


def strip(window, name):
    return window.get("image", f"Pieces of the {name}")


def test_says_what_is_from_the_source(window):
    """T; every piece says its number, the same as the command line's."""
    found = json.loads(window.run_cli("trust", "--json", TEXT))
    window.key("t")
    for name, side, key in (("translation", "target", "share"), ("source", "source", "use")):
        node = strip(window, name)
        wait_for(lambda node=node: window.is_showing(node), "the pieces")
        tokens = found[side]
        wanted = (
            f"{100 * tokens[0][key]:.0f} % from the source"
            if key == "share"
            else f"used {tokens[0][key]:.2f}"
        )
        window.point(node, 0.03, 0.3, until=lambda node=node, wanted=wanted: wanted in node.get_description())
    window.park_pointer()


def test_follows_what_is_typed(window):
    window.replace_text("I have two cats.")
    window.wait_for_source("I have two cats.")
    found = json.loads(window.run_cli("trust", "--json", "I have two cats."))
    window.wait_for_translation(found["translation"])
    node = strip(window, "translation")
    wanted = f"{100 * found['target'][0]['share']:.0f} % from the source"
    window.point(node, 0.03, 0.3, until=lambda: wanted in node.get_description())
    window.replace_text(TEXT)
    window.wait_for_source(TEXT)
    window.wait_for_translation()
    window.park_pointer()


def test_compares_all_methods(window):
    """The pane of Measure has the numbers of `attribute --method all`."""
    window.key("alt+7")
    window.click(window.get(None, "Attributions"))
    area = window.get("image", "One word by all methods of attribution")
    wait_for(lambda: window.find("label", lambda name: "hangs on, by" in name), "the note")
    window.key("alt+7")  # from the button of the pane to its picture
    wait_for(lambda: window.has_state(area, "FOCUSED"), "the keyboard in the picture")
    window.key("n")
    wait_for(lambda: not window.find("progress bar", "Computing attributions"), "all methods")
    assert window.is_showing(area)
    with tempfile.TemporaryDirectory() as folder:
        mine = export(window, folder, "bench.json")
    assert [label["piece"] for label in mine[0]["rows"]] == METHODS
    assert_same(mine, attribute(window, "--method", "all", "--token", mine[0]["meta"]["token"]))
    assert mine[0]["meta"]["token"] == 2, mine[0]["meta"]["token"]


TESTS = [
    test_shows_the_next_method,
    test_reads_a_cell,
    test_is_of_one_layer_and_head,
    test_is_of_one_word,
    test_goes_back_to_weights,
    test_says_what_is_from_the_source,
    test_follows_what_is_typed,
    test_compares_all_methods,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, regard.Window(regard.binary_from(sys.argv), TEXT)))
