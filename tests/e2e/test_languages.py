#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The window in Chinese and in German, found by the names that it has there: read, exported, learned.

    test_languages.py BUILD/app/regard         (TAP; needs a display and a session bus)

What a thing is called comes out of the catalogues of the build, so no word of another language stands here.
"""

import gettext
import os
import subprocess
import sys
import tempfile

import regard
from driver import Program, run_tap, wait_for

TEXT = "Our green house has five windows."
LOCALES = {"zh_CN": "zh_CN", "de": "de_DE"}
FOLDER = tempfile.mkdtemp(prefix="regard-languages-")


def make_locale(name):
    """Only what the window asks of it; False where the system has no source of locales."""
    source = os.path.join(FOLDER, f"{name}.source")
    with open(source, "w", encoding="ascii") as file:
        for part in ("LC_NUMERIC", "LC_MESSAGES"):
            file.write(f'{part}\ncopy "{name}"\nEND {part}\n')
    target = os.path.join(FOLDER, f"{name}.UTF-8")
    command = ["localedef", "--quiet", "-c", "-i", source, "-f", "UTF-8", "--no-archive", target]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return os.path.isdir(target)


class Window(Program):
    """The program in a language, shown and idle."""

    def __init__(self, binary, language):
        catalogues = os.path.join(os.path.dirname(binary), "..", "po")
        self.binary, self.language = binary, language
        catalogue = gettext.translation("regard", catalogues, [language])
        self.says = catalogue.gettext
        # The letters that go with Alt are part of a message, not of a name. What has none is meant where both are there.
        messages = [(text, said) for text, said in catalogue._catalog.items() if isinstance(text, str)]
        self.plain = {text.replace("_", ""): said.replace("_", "") for text, said in messages} | dict(messages)
        self.teaches = gettext.translation("regard-texts", os.path.join(catalogues, "texts"), [language]).gettext
        locale = f"{LOCALES[language]}.UTF-8"
        environment = regard.used(dict(os.environ)) | {
            "LOCPATH": FOLDER, "LC_ALL": "", "LANG": "C.UTF-8", "LANGUAGE": language, "LC_MESSAGES": locale,
            "LC_NUMERIC": locale,
        }
        super().__init__([binary, "--new-instance", TEXT], "regard", "Regard", environment)
        self.park_pointer()

    def called(self, role, name, root=None):
        """What is called that in English."""
        return self.get(role, self.plain[name], root)

    @property
    def heatmap(self):
        return self.get("image", lambda name: name.split(" · ")[0] == self.says("Cross-attention"))


def is_translated(window, *names):
    assert all(window.says(name) != name for name in names), [n for n in names if window.says(n) == n]


def test_reads(window):
    """Text and translation, the large head and its cells, by the keyboard."""
    is_translated(window, "Source", "Translation", "Cross-attention", "Export", "Learn")
    assert window.text_of(window.called("text", "Source")) == TEXT
    target = window.called("text", "Translation")
    wait_for(lambda: window.text_of(target) != "", "a translation")
    picture = window.heatmap
    place = picture.get_name()
    window.click(picture)
    window.key("Down", "Right")
    wait_for(lambda: picture.get_description() not in ("", place), "a cell")
    said = picture.get_description()
    # Its weight is a number as the language writes it.
    assert ("0," in said) == (window.language == "de"), said
    assert "row " not in said and "column " not in said, said
    window.key("bracketright")
    wait_for(lambda: picture.get_name() != place, "another head")


def test_exports(window):
    """A table that is read by programs has the bytes that the command line writes in English."""
    path = os.path.join(FOLDER, f"head-{window.language}.csv")
    window.key("ctrl+e")
    dialog = window.toplevel(window.says("Export"))
    window.choose(window.called("combo box", "Format", dialog), window.says("CSV table"))
    save = window.plain["Save…"]
    window.click(window.get("push button", lambda name: save in name, dialog),
                 until=lambda: window.is_open(window.says("Save As")))
    # The name is what has the keys.
    chooser = window.toplevel(window.says("Save As"))
    entries = lambda: [n for n in window.walk(chooser) if n.get_role_name() in ("text", "entry")]  # noqa: E731
    entry = wait_for(lambda: next((n for n in entries() if window.has_state(n, "FOCUSED")), None), "an entry")
    window.key("ctrl+a")
    window.type(path)
    wait_for(lambda: window.text_of(entry) == path, lambda: f"{path}; it is {window.text_of(entry)!r}")
    window.key("Return")
    window.wait_for_closed(window.says("Save As"))
    window.wait_for_closed(window.says("Export"))
    with open(path, encoding="utf-8", newline="") as file:
        rows = file.read()
    assert rows.startswith("queries: translation \\ keys: source,"), rows[:80]
    values = [field for row in rows.splitlines()[1:] for field in row.split(",")[1:] if field]
    assert values and all(0 <= float(value) <= 1 for value in values)


def test_learns(window):
    """The list of lessons, one of them, and its first two steps, in words that somebody translated."""
    title = window.teaches("A row")
    assert title != "A row"
    window.key("F4")
    window.click(window.get("list item", lambda name: name.startswith(title)))
    window.called("push button", "Next")
    assert window.find("label", lambda name: "A row" in name) is None
    window.key("alt+Right")
    window.key("Escape")


def test_quits(window):
    window.key("ctrl+q")
    assert window.wait_for_end() == 0, window.errors()
    assert window.errors() == "", window.errors()


def main():
    binary = regard.binary_from(sys.argv)
    if not all(make_locale(name) for name in LOCALES.values()):
        print("1..0 # SKIP localedef has no sources of locales")
        return 0
    tests = []
    windows = {}

    def in_language(language, test):
        def run():
            windows.setdefault(language, None)
            windows[language] = windows[language] or Window(binary, language)
            test(windows[language])

        run.__name__ = f"{test.__name__}_{language}"
        run.__doc__ = test.__doc__
        return run

    for language in LOCALES:
        tests += [in_language(language, test) for test in (test_reads, test_exports, test_learns, test_quits)]
    return run_tap(tests, None)


if __name__ == "__main__":
    sys.exit(main())
