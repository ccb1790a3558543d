#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page Steps from outside: step through, choose otherwise, read on, take it back; type a word;
follow a branch that died; export. Keys alone, but for one click.

    test_steps.py BUILD/app/regard

regard-cli says what is right: the same search, the same prefix.
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


def search(window, *options):
    """What the command line considers: the one search of `steps -o FILE.json`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "steps.json")
        window.run_cli("steps", "--top", 50, *options, "-o", path, TEXT)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["searches"][0]


def options_at(found, step):
    """The candidates of a step of the best hypothesis, as the page lists them."""
    nodes = [node for each in found["steps"] for node in each["nodes"]]
    at = found["hypotheses"][0]["node"]
    while at is not None and nodes_by(nodes)[at]["parent"] is not None:
        node = nodes_by(nodes)[at]
        if len(path_of(nodes, at)) == step - 1:
            break
        at = node["parent"]
    behind = at if len(path_of(nodes, at)) == step - 1 else None
    (row,) = (row for row in found["steps"][step - 1]["rows"] if row["node"] == behind)
    return row["options"]


def nodes_by(nodes):
    return {node["node"]: node for node in nodes}


def path_of(nodes, at):
    by, path = nodes_by(nodes), []
    while at is not None:
        path.insert(0, by[at])
        at = by[at]["parent"]
    return path


def pieces(window, text):
    return window.run_cli("tokenize", "--target", text=text + "\n").split("\t")[0].split()


def shown(piece):
    return "⏎" if piece == "</s>" else piece


def list_of(window):
    return window.get("image", "What there was to choose from")


def wait_for_step(window, step, of):
    window.get("label", f"step {step} of {of}")


def test_opens_by_its_key(window):
    window.wait_for_source(TEXT)
    window.own = window.wait_for_translation()
    window.plain = search(window)
    assert window.plain["hypotheses"][0]["text"] == window.own
    window.key("alt+4")
    window.n = len(window.plain["hypotheses"][0]["ids"])
    window.get("label", lambda name: re.fullmatch(rf"step \d+ of {window.n}", name) is not None)
    window.tab_to("What there was to choose from")


def test_steps_through(window):
    """Every step says what goes in and what comes out, with the same numbers as the command line."""
    out = [shown(piece) for piece in pieces(window, window.own)]
    window.key("Home")
    for step in range(1, window.n + 1):
        wait_for_step(window, step, window.n)
        goes_in = "start" if step == 1 else out[step - 2]
        window.get("label", f"goes in {goes_in}, comes out {out[step - 1]}")
        if step < window.n:
            window.key("Right")
    window.key("Left")
    wait_for_step(window, window.n - 1, window.n)


def point_at(window, step, rank):
    window.key("Home", *["Right"] * (step - 1))
    wait_for_step(window, step, window.n)
    window.key("Escape", *["Down"] * rank)
    option = options_at(window.plain, step)[rank - 1]
    said = rf"{re.escape(shown(option['piece']))} \(id {option['id']}\): .*"
    description = list_of(window).get_description
    wait_for(
        lambda: re.match(said, description()), lambda: f"{said!r}; it says {description()!r}"
    )
    return option


def test_chooses_the_third_candidate_of_step_4(window):
    option = point_at(window, 4, 3)
    window.key("Return")
    window.chosen = window.wait_for_translation(not_=window.own)
    ids = window.plain["hypotheses"][0]["ids"][:3] + [option["id"]]
    window.wait_for_status(r".* · 4 pieces forced")
    assert window.chosen != window.own
    # The same prefix on the command line gives the same translation, if its text has these pieces.
    head = window.chosen
    found = search(window, "--prefix", head)
    assert found["hypotheses"][0]["ids"][:4] == ids, (found["hypotheses"][0]["ids"], ids)
    window.get("label", f"before: {window.own}")


def own_way(window):
    return window.find("push button", lambda name: name.endswith("Own Way"))


def test_takes_it_back_and_does_it_again(window):
    window.key("ctrl+z")
    window.wait_for_translation(window.own)
    wait_for(lambda: not own_way(window), "no way back")
    window.key("ctrl+shift+z")
    window.wait_for_translation(window.chosen)
    wait_for(lambda: own_way(window), "a way back")
    window.key("ctrl+z")
    window.wait_for_translation(window.own)


def test_says_which_head_chose_it(window):
    window.tab_to("What there was to choose from")
    option = point_at(window, 4, 2)
    window.key("w")
    bars = window.get("image", "Heads that speak for one token and for another")
    says = bars.get_description
    wanted = f"− logit {shown(option['piece'])},"
    wait_for(lambda: wanted in says(), lambda: f"{wanted!r}; it says {says()!r}")
    margin = float(re.search(r"which is (−?[\d.]+)", says())[1].replace("−", "-"))
    options = options_at(window.plain, 4)
    chosen = window.plain["hypotheses"][0]["ids"][3]
    by = {o["id"]: o["logprob"] for o in options}
    assert abs(margin - (by[chosen] - option["logprob"])) < 2e-3, (margin, by)


def test_types_a_word(window):
    window.tab_to("What there was to choose from")
    window.key("Home", "Right", "Right", "Right")
    wait_for_step(window, 4, window.n)
    window.key("slash")
    wait_for(lambda: window.focused().get_name() == "Another word at this step", "the entry")
    window.type("Katzen")
    first = pieces(window, "Katzen")[0]
    label = window.get(
        "label", lambda name: name.startswith(first) and "together log p" in name
    ).get_name()
    numbers = [float(n) for n in re.findall(r"([\d.]+) %", label)]
    assert len(numbers) == len(pieces(window, "Katzen")) - 1, label
    window.key("Return")
    wait_for(lambda: "Katzen" in window.translation(), lambda: window.translation())
    prefix = window.own.rsplit(" ", 1)[0] + " Katzen"
    assert window.translation() == window.run_cli(
        "translate", "--prefix", prefix, text=TEXT + "\n"
    ).strip("\n")
    window.key("ctrl+z")
    window.wait_for_translation(window.own)


def test_forbids(window):
    window.tab_to("What there was to choose from")
    option = point_at(window, 3, 1)
    assert option["id"] == window.plain["hypotheses"][0]["ids"][2]
    window.key("Delete")
    other = window.wait_for_translation(not_=window.own)
    assert other.split()[:2] == window.own.split()[:2], other
    assert other.split()[2] != window.own.split()[2], other
    window.key("ctrl+z")
    window.wait_for_translation(window.own)


def test_follows_a_dead_branch(window):
    """Into the tree, along the translation, down to what was pruned; Enter goes on with it."""
    window.click(window.get("push button", "Tree"))
    window.park_pointer()
    tree = window.tab_to("All hypotheses of the search")
    says = tree.get_description
    window.key("Home")
    nodes = [node for step in window.plain["steps"] for node in step["nodes"]]
    for _ in range(60):
        at = wait_for(lambda: re.match(r"(.+), step (\d+)\n“(.*)”", says()), lambda: says())
        if "pruned in step" in says():
            break
        window.key("Down")
        wait_for(lambda at=at: not says().startswith(at[0]), lambda: f"to leave {says()!r}")
    margin = float(re.search(r"its sum was ([\d.]+) below", says())[1])
    step = int(at[2])
    died = [
        node
        for node in window.plain["steps"][step - 1]["nodes"]
        if node["fate"] == "pruned" and shown(node["piece"]) == at[1]
        and abs(node["margin"] - margin) < 0.006
    ]
    assert died, says()
    window.key("Return")
    branch = window.wait_for_translation(not_=window.own)
    window.wait_for_status(rf".* · {step} pieces? forced")
    path = path_of(nodes, died[0]["node"])
    assert len(path) == step
    assert branch.startswith(at[3]), (branch, at[3])
    window.key("ctrl+z")
    window.wait_for_translation(window.own)


def test_compares(window):
    window.click(window.get("check box", "Compare"))
    other = window.get("image", "All hypotheses of the other search")
    wait_for(
        lambda: "beam 12, length penalty 1" in other.get_description(),
        lambda: f"the other search; it says {other.get_description()!r}",
    )
    window.click(window.get("check box", "Compare"))
    # Newer GTK says nothing at all of what is hidden.
    wait_for(lambda: other.get_description() in ("empty", "", None), "one tree")


def test_exports_the_tree(window):
    """The file that the window writes has the search of the command line, node by node."""
    window.park_pointer()
    window.key("ctrl+e")
    dialog = window.toplevel("Export")
    window.choose(window.get("combo box", "Format", dialog), "JSON data")
    window.choose(window.get("combo box", "What", dialog), "Beam Tree")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tree.json")
        window.click(window.get("push button", lambda name: "Save…" in name, dialog),
                     until=lambda: window.is_open("Save As"))
        window.answer_file_chooser("Save As", path, "Saved tree.json")
        with open(path, encoding="utf-8") as file:
            found = json.load(file)["searches"][0]
    assert found["hypotheses"] == window.plain["hypotheses"]
    for mine, theirs in zip(found["steps"], window.plain["steps"], strict=True):
        assert mine["nodes"] == theirs["nodes"], (mine["step"],)


TESTS = [
    test_opens_by_its_key,
    test_steps_through,
    test_chooses_the_third_candidate_of_step_4,
    test_takes_it_back_and_does_it_again,
    test_says_which_head_chose_it,
    test_types_a_word,
    test_forbids,
    test_follows_a_dead_branch,
    test_compares,
    test_exports_the_tree,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, regard.Window(regard.binary_from(sys.argv), TEXT)))
