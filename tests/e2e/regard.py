# SPDX-License-Identifier: GPL-3.0-or-later
"""Regard's window as the tests see it: its parts by their accessible names, and what they say.

Where a thumbnail or a cell lies on the screen is found out with the pointer: it is moved across
the picture, and the accessible description tells what it is over. So the tests know no layout.
"""

import itertools
import json
import os
import re
import subprocess
import tempfile
import time

from driver import Picture, Program, comes, wait_for

KINDS = {"Encoder self-attention": "encoder", "Cross-attention": "cross"}
KINDS["Decoder self-attention"] = "decoder"

HEAD = re.compile(r"(?P<kind>.+), layer (?P<layer>\d+), head (?P<head>\d+)")
CELL = re.compile(
    r"row (?P<row>.*), column (?P<column>.*?), (?:(?P<weight>\d\.\d+), "
    r"(?:highest|rank (?P<rank>\d+)) of (?P<n>\d+)|(?P<masked>masked).*)"
)


def used(environment):
    """The environment of somebody who used the program before, who has all controls and no welcome."""
    folder = os.path.join(environment["XDG_CONFIG_HOME"], "glib-2.0", "settings")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "keyfile"), "w", encoding="utf-8") as file:
        file.write("[io/github/regard/Regard]\nsimple=false\n")
    return environment


class Window(Program):
    """The program with the frozen model as its bundled one, shown and idle."""

    def __init__(self, binary, *arguments, env=None):
        super().__init__([binary, "--new-instance", *arguments], "regard", "Regard", env)
        self.binary = binary
        self.cli = os.path.join(os.path.dirname(binary), "regard-cli")
        self.park_pointer()
        self.source = self.get("text", "Source")
        self.target = self.get("text", "Translation")
        self.banner = self.find("alert", showing=False)
        # While nothing is said, one thing lies in the other down to the first that holds several.
        content = self.frame
        while len(children := content.children()) == 1:
            content = children[0]
        self._overlay = content.get_parent()
        self.source_status = self.target_status = None
        self._heads = self._heatmap = None

    def quit(self):
        """By its key; it ends well, and has said nothing on standard error."""
        self.key("ctrl+q")
        status = self.wait_for_end()
        assert status == 0, f"it ended with {status}: {self.errors()}"
        assert self.errors() == "", self.errors()

    # -- parts that appear with the first translation -------------------------------------------

    @property
    def heads(self):
        self._heads = self._heads or self.get("image", "Heads")
        return self._heads

    @property
    def heatmap(self):
        """The large picture: its name is kind, layer and head, its description the cell."""
        self._heatmap = self._heatmap or self.get(
            "image", lambda name: name.split(" · ")[0] in KINDS
        )
        return self._heatmap

    # -- text ------------------------------------------------------------------------------------

    def source_text(self):
        return self.text_of(self.source)

    def translation(self):
        return self.text_of(self.target)

    def wait_for_source(self, text):
        wait_for(
            lambda: self.source_text() == text,
            lambda: f"the text {text!r}; it is {self.source_text()!r}",
        )

    def wait_for_translation(self, text=None, not_=""):
        """Until the translation is this text; without one, until there is another than not_."""
        wait_for(
            lambda: self.translation() == text
            if text is not None
            else self.translation() not in ("", not_),
            lambda: f"the translation {text!r}; it is {self.translation()!r}",
        )
        return self.translation()

    def replace_text(self, text):
        """With real keys: select all, type. A busy program may read a borrowed key too late (type): then slower."""
        for borrowed in (350, 1000, 3000):
            self.key("ctrl+l", "ctrl+a", "Delete")
            self.wait_for_source("")
            self.type(text, borrowed=borrowed)
            if text.isascii() or comes(lambda: self.source_text() == text, timeout=10):
                break
        self.wait_for_source(text)

    def paste(self, text):
        """In the place of all text, from the clipboard."""
        self.paste_text(text)
        self.key("ctrl+l", "ctrl+a", "ctrl+v")
        self.wait_for_source(text)

    def status(self, pattern):
        """First label whose whole text matches; None without one."""
        regex = re.compile(pattern)
        return self.find("label", lambda name: regex.fullmatch(name) is not None)

    def wait_for_status(self, pattern):
        return wait_for(lambda: self.status(pattern), f"a label like {pattern!r}").get_name()

    def banner_text(self):
        """What the banner says, all of it; "" while there is none."""
        if not self.is_showing_banner():
            return ""
        labels = (n for n in self.walk(self.banner) if n.get_role_name() == "label")
        return "\n".join(self.text_of(n) for n in labels if self.is_showing(n))

    def is_showing_banner(self):
        return self.box(self.banner).height > 4

    def wait_for_banner(self, *parts):
        """Until it says each of the parts."""
        wait_for(
            lambda: all(part in self.banner_text() for part in parts),
            lambda: f"a banner with {parts}; it says {self.banner_text()!r}",
        )
        return self.banner_text()

    def wait_for_n_changes(self, n):
        """Until the title says that so much is changed in the model."""
        said = "Regard" if n == 0 else f"Regard – {n} change{'s' if n > 1 else ''}"
        wait_for(
            lambda: self.frame.get_name() == said,
            lambda: f"the title {said!r}; it is {self.frame.get_name()!r}",
        )

    def answer_file_chooser(self, title, path, says=None):
        """Types a path into GTK's file chooser, which is open or about to be, and Return; until it has closed and
        the window has said something."""
        chooser = self.toplevel(title)
        self.park_pointer()
        entry = self.find("text", "Name:", chooser)
        if not entry:  # to open, not to save: Ctrl+L makes room for a location
            self.key("ctrl+l")
        entry = wait_for(lambda: self._focused_entry(chooser), "an entry for the path")
        self.key("ctrl+a")
        self.type(path)

        def is_typed():
            text = self.text_of(entry)
            if text != path and text.startswith(path):  # completed in the entry, and selected
                self.key("Delete")
            return text == path

        wait_for(is_typed, lambda: f"the path {path}; it is {self.text_of(entry)!r}", every=0.2)
        self.key("Return")

        said = []

        def hears():
            """It says so for three seconds: nothing that takes long may be asked in between."""
            if says in self.toasts():
                said.append(says)
            return said

        is_over = hears if says else lambda: not self.is_open(title)
        if not comes(is_over, timeout=2) and self.is_open(title) and self._is_at_rest() and self.is_open(title):
            self.key("Return")  # a list of completions took the first one
        wait_for(is_over, lambda: f"{title!r} to close, and {says!r}; it says {self.toasts()}")
        self.wait_for_closed(title)

    def _is_at_rest(self):
        """Whether it has nothing to do any more, so that each key that was pressed has had its effect."""
        answers = []

        def answers_at_once():
            began = time.monotonic()
            self.frame.get_name()
            answers.append(time.monotonic() - began < 0.1)
            return len(answers) >= 10 and all(answers[-10:])

        return comes(answers_at_once, timeout=20)

    def toasts(self):
        """What the window says for three seconds. Only where that appears is looked, which is quick."""
        labels = (n for toast in self._overlay.children()[1:] for n in self.walk(toast)
                  if n.get_role_name() == "label")
        return [self.name_of(label) for label in labels]

    def _focused_entry(self, root):
        entries = (n for n in self.walk(root) if n.get_role_name() in ("text", "entry"))
        return next((n for n in entries if self.has_state(n, "FOCUSED")), None)

    # -- the keyboard ----------------------------------------------------------------------------

    def stops(self):
        return [n for n in self.walk() if self.has_state(n, "FOCUSABLE")]

    def focused(self, stops=None):
        stops = stops or self.stops()
        return wait_for(lambda: next((n for n in stops if self.has_state(n, "FOCUSED")), None), "a focus")

    def tab_to(self, name):
        """By Tab, as somebody without a pointer does. Slow where there are many stops: what only wants to go on
        clicks, once one test has shown that a key leads there."""
        seen, stops = [], self.stops()
        for _ in range(60):
            node = comes(lambda: next((n for n in stops if self.has_state(n, "FOCUSED")), None), timeout=5)
            if not node:  # what came since then has it, or nothing: Tab leads on from there, too
                self.key("Tab")
                stops = self.stops()
                continue
            if node.get_name() == name:
                return node
            seen.append(node.get_name())
            self.key("Tab")
            wait_for(lambda node=node: not self.has_state(node, "FOCUSED"), "Tab to lead on")
        raise AssertionError(f"{name!r} not reached; there are {seen}")

    # -- pictures --------------------------------------------------------------------------------

    def place(self, picture=None):
        """(kind, layer, head) of the large picture (the matrix), from 1."""
        kind, layer, head = (picture or self.heatmap).get_name().split(" · ")[:3]
        return KINDS[kind], int(layer.split()[-1]), int(head.split()[-1])

    def wait_for_place(self, kind, layer, head):
        wait_for(
            lambda: self.place() == (kind, layer, head),
            lambda: f"{kind} {layer} {head}; it is {self.heatmap.get_name()!r}",
        )

    def cell(self):
        """The description of the cell as its parts; None if it speaks of no cell."""
        match = CELL.fullmatch(self.heatmap.get_description())
        return match and match.groupdict()

    def wait_for_cell(self, row, column):
        wait_for(
            lambda: self.cell() and (self.cell()["row"], self.cell()["column"]) == (row, column),
            lambda: f"row {row}, column {column}; it says {self.heatmap.get_description()!r}",
        )
        return self.cell()

    def sweep(self, node, fixed, horizontal, read, step=9):
        """Move the pointer across a node in a straight line; [(pixel, read(description))] where
        read found something. fixed: the other coordinate, a pixel of the screen. Where the machine
        is busy the answer comes late, so that it is asked again in the middle of what was found, and
        once more, slower, if that is not so."""
        (x, y), box = self.position(node, 0, 0), self.box(node)
        begin, length = (x, box.width) if horizontal else (y, box.height)

        def look(pixel):
            self.move_pointer(*((pixel, fixed) if horizontal else (fixed, pixel)))

        def says(pixel, value):
            look(pixel)
            end = time.monotonic() + 1
            while read(node.get_description()) != value and time.monotonic() < end:
                time.sleep(0.01)
            return read(node.get_description()) == value

        for pause in (0.018, 0.05, 0.15, 0.5):  # the first is a frame
            found = []
            for pixel in range(begin + 2, begin + length - 2, step):
                look(pixel)
                time.sleep(pause)
                value = read(node.get_description())
                if value is not None:
                    found.append((pixel, value))
            runs = [(value, [p for p, _ in run]) for value, run in itertools.groupby(found, lambda f: f[1])]
            once = [(v, p) for v, p in runs if sum(v == other for other, _ in runs) == 1]
            if all(says((p[0] + p[-1]) // 2, value) for value, p in once):
                break
        return found

    @staticmethod
    def _middles(found):
        """{value: the middle pixel of those that said it}, from a sweep."""
        pixels = {}
        for pixel, value in found:
            pixels.setdefault(value, []).append(pixel)
        return {value: (min(p) + max(p)) // 2 for value, p in pixels.items()}

    def find_thumbnails(self, here=None):
        """{(kind, layer, head): (x, y)}: the middle of every thumbnail. Beside the thumbnails the
        description is that of the large picture, here, so lines are searched where that is not."""

        def read(description):
            match = HEAD.match(description)
            return match and (KINDS[match["kind"]], int(match["layer"]), int(match["head"]))

        (x, y), box, here = self.position(self.heads, 0, 0), self.box(self.heads), here or self.place()
        for share in (0.6, 0.3):
            found = self.sweep(self.heads, x + int(share * box.width), False, read)
            column = [(pixel, place[:2]) for pixel, place in found if place[2] != here[2]]
            if column:
                break
        rows = self._middles(column)
        row = next(place for place in rows if place != here[:2])
        found = self.sweep(self.heads, rows[row], True, read)
        columns = self._middles([(pixel, p[2]) for pixel, p in found if p[:2] == row])
        self.park_pointer()
        return {(*r, h): (columns[h], rows[r]) for r in rows for h in columns}

    def find_cells(self):
        """([y], [x]): the middle of every row and column of the large picture, in order. Only for
        pictures whose row and column tokens are all different."""
        (x, y), box = self.position(self.heatmap, 0, 0), self.box(self.heatmap)

        def read(description):
            match = CELL.fullmatch(description)
            return match and (match["row"], match["column"])

        down = self.sweep(self.heatmap, x + box.width // 2, False, read, 11)
        across = self.sweep(self.heatmap, y + box.height // 2, True, read, 11)
        rows = self._middles([(pixel, cell[0]) for pixel, cell in down])
        columns = self._middles([(pixel, cell[1]) for pixel, cell in across])
        self.park_pointer()
        return list(rows.values()), list(columns.values())

    # -- the command line, as an independent witness -----------------------------------------------

    def run_cli(self, *arguments, text=None):
        command = [self.cli, *map(str, arguments)]
        done = subprocess.run(
            command, input=text, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def count_pieces(self, text):
        return len(self.run_cli("tokenize", text=text + "\n").split("\t")[0].split())

    def attend(self, text, kind, layer, head):
        """The matrix that the command line finds: {"rows", "columns", "values", "meta"}."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "attend.json")
            self.run_cli("attend", "--kind", kind, "--layer", layer, "--head", head, "-o", path, text)
            with open(path, encoding="utf-8") as file:
                return json.load(file)["matrices"][0]


def spoken(label):
    """A token's label as the descriptions say it."""
    if label == "⏎":
        return "end of sentence"
    return label[1:] if label.startswith("▁") and len(label) > 1 else label


def thumbnails_now(thumbnails, half=7):
    """{place: pixels} of the middle of each thumbnail, of one picture of the screen."""
    picture = Picture()
    return {
        place: picture.crop(x - half, y - half, 2 * half, 2 * half)
        for place, (x, y) in thumbnails.items()
    }


def binary_from(argv):
    """What the tests' programs are called with: the path of the program under test."""
    if len(argv) != 2:
        raise SystemExit(f"usage: {argv[0]} BUILD/app/regard")
    return os.path.abspath(argv[1])


def test_quits_in_silence(window):
    """The last test of a session."""
    window.quit()
