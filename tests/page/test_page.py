# SPDX-License-Identifier: GPL-3.0-or-later
"""An interactive page, as a file and in a browser: test_page.py REGARD-CLI.

The file is compared with the CSV of the same heads, and with its own hashes. A browser is skipped where it is not
installed, Chromium and Firefox alike; they are not among the packages of the tests, since each is larger than all of them.
"""

import base64
import csv
import hashlib
import html
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

from browser import Browser
from firefox import Firefox

TEXT = "The animal didn't cross the street because it was too tired."
HOSTILE = "</script><script>document.title='taken'</script> <!-- <b onclick=x>&amp; {data}"
NONE = 65535


def attend(path, *arguments):
    subprocess.run([CLI, "attend", *arguments, "-o", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def weights_of(data):
    raw = base64.b64decode(data["weights"])
    return struct.unpack(f"<{len(raw) // 2}H", raw)


def test_weights(folder):
    """Every weight of every head is that of the CSV, to half a step of 16 bits; what is masked has none."""
    page = attend(f"{folder}/all.html", "--kind", "all", "--head", "all", TEXT)
    table = attend(f"{folder}/all.csv", "--kind", "all", "--head", "all", TEXT)
    data = data_of(page)
    steps, n_told = weights_of(data), 0
    heads = {}
    names = {"Encoder self-attention": "encoder", "Decoder self-attention": "decoder", "Cross-attention": "cross"}
    for head in data["heads"]:
        heads[names[head["kind"]], head["layer"], head["head"]] = head
    assert len(heads) == len(data["heads"]) == 144
    for kind, layer, head, query, _, key, _, weight in list(csv.reader(table.splitlines()))[1:]:
        h = heads[kind, int(layer), int(head)]
        step = steps[h["at"] + int(query) * len(data["axes"][h["axis"]]["cols"]) + int(key)]
        assert step != NONE
        value = h["lo"] + step / (NONE - 1) * (h["hi"] - h["lo"])
        assert abs(value - float(weight)) <= (h["hi"] - h["lo"]) / (NONE - 1) / 2 + 1e-7, (kind, layer, head, value, weight)
        n_told += 1
    assert n_told == sum(step != NONE for step in steps)
    axes = data["axes"]
    assert [t["t"] for t in axes[data["heads"][data["first"]]["axis"]]["cols"]][-1] == "⏎"


def test_size(folder):
    """144 heads of thirty tokens are less than a megabyte."""
    text = " ".join(["I have two dogs and I love my dogs"] * 4) + "."
    german = " ".join(["Ich habe zwei Hunde und ich liebe meine Hunde"] * 4) + "."
    path = f"{folder}/thirty.html"
    data = data_of(attend(path, "--kind", "all", "--head", "all", "--target", german, text))
    assert min(len(axis["cols"]) for axis in data["axes"]) >= 30, [len(axis["cols"]) for axis in data["axes"]]
    assert os.path.getsize(path) <= 1_000_000, os.path.getsize(path)


def test_policy(folder):
    """Only this script and this style may run, by their hashes, and no address stands in the file."""
    page = attend(f"{folder}/one.html", "--layer", "2", "--head", "3", TEXT)
    policy = html.unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1])
    assert policy.startswith("default-src 'none';"), policy
    for name, pattern in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        found = re.findall(pattern, page, re.DOTALL)
        assert len(found) == 1
        digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy, policy
    assert not re.search(r"https?:|//[a-z]+\.|url\(|@import|<link|<img|<iframe", page)


def test_text_is_text(folder):
    """What looks like markup, in the sentence and so in tokens, title and caption, stays text."""
    page = attend(f"{folder}/hostile.html", "--head", "1", HOSTILE)
    assert page.count("</script>") == 2 and page.count("<script") == 2 and "<b onclick" not in page
    assert "".join(t["t"] for t in data_of(page)["axes"][0]["cols"]).count("<") == HOSTILE.count("<")
    assert html.escape("</script>") in page


def test_refused(folder):
    """What is not attention has no page, and a kind of its own no layer."""
    for arguments, words in (
        (["layers", "-o", f"{folder}/x.html", TEXT], "-o wants a file name"),
        (["attend", "--kind", "all", "-o", f"{folder}/x.html", TEXT], "--kind all wants --head all"),
        (["attend", "--kind", "all", "--head", "all", "--layer", "1", "-o", f"{folder}/x.html", TEXT], "no --layer"),
    ):
        run = subprocess.run([CLI, *arguments], capture_output=True, text=True)
        assert run.returncode == 2 and words in run.stderr, run.stderr
        assert not os.path.exists(f"{folder}/x.html")


def drive(kind, folder):
    """Pointed at, clicked, driven by keys: it says the numbers of the file, asks nobody, and complains of nothing."""
    path = f"{folder}/all.html"
    data = data_of(attend(path, "--kind", "all", "--head", "all", TEXT))
    browser = kind()
    try:
        browser.open(path)
        says = "document.getElementById('read').textContent"
        name = "document.getElementById('name').textContent"
        assert browser.get("document.querySelectorAll('nav button').length") == 144
        first = browser.get(name)
        assert first == data["heads"][data["first"]]["title"]

        # A cell, by the pointer and by keys.
        box = browser.get("(({left, top}) => [left, top])(document.getElementById('base').getBoundingClientRect())")
        browser.point(box[0] + 250, box[1] + 200)
        browser.wait(f"{says}.startsWith('row “')")
        browser.get("document.getElementById('base').focus()")
        browser.point(2, 2)
        browser.press("ArrowDown")
        browser.press("ArrowDown")
        browser.press("ArrowRight")
        head = data["heads"][data["first"]]
        axis = data["axes"][head["axis"]]
        value = weights_of(data)[head["at"] + len(axis["cols"]) + 1] / (NONE - 1)
        browser.wait(f"{says}.includes(': {value:.3f}, number')")
        assert axis["cols"][1]["t"] in browser.get(says)

        # Other heads, and the three ways to show one.
        browser.press("]")
        assert browser.get(name) != first
        browser.press("[")
        assert browser.get(name) == first
        browser.press("PageUp")
        assert f"layer {head['layer'] - 1}" in browser.get(name)
        browser.press("t")
        cells = browser.get("document.querySelectorAll('#table td').length")
        assert cells == len(axis["rows"]) * len(axis["cols"])
        browser.press("l")
        browser.get("document.querySelectorAll('nav button')[60].click()")
        browser.get("document.getElementById('theme').click()")
        browser.press("m")
        assert browser.get("document.documentElement.scrollWidth <= innerWidth")
        browser.open(f"{folder}/hostile.html")
        assert browser.get("document.title").startswith("Cross-attention")
        assert browser.get("document.scripts.length") == 2
        assert browser.said == [], browser.said
        assert browser.foreign == [], browser.foreign
    finally:
        browser.close()


def test_browser(folder):
    drive(Browser, folder)


def test_firefox(folder):
    drive(Firefox, folder)


CLI = sys.argv[1]
TESTS = [test_weights, test_size, test_policy, test_text_is_text, test_refused, test_browser, test_firefox]
BROWSERS = {test_browser: ("Chromium", Browser), test_firefox: ("Firefox", Firefox)}


def main():
    print(f"1..{len(TESTS)}")
    with tempfile.TemporaryDirectory() as folder:
        for n, test in enumerate(TESTS, 1):
            name, browser = BROWSERS.get(test, (None, None))
            if browser and not browser.program():
                print(f"ok {n} {test.__name__} # SKIP {name} is not installed")
                continue
            try:
                test(folder)
                print(f"ok {n} {test.__name__}")
            except Exception as error:  # noqa: BLE001 — each test by itself
                import traceback

                print("# " + traceback.format_exc().replace("\n", "\n# "))
                print(f"not ok {n} {test.__name__}: {error!r}"[:300])


main()
