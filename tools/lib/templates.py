#!/usr/bin/env python3
"""templates.py FOLDER REGARD-CLI: writes regard.pot and regard-texts.pot, all that is to be translated.

SPDX-License-Identifier: GPL-3.0-or-later

The first is what sources mark for gettext; the second what lessons, glossary and examples say, which are data.
What xgettext complains of goes to standard error.
"""

import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

from catalogue import quote

ROOT = Path(__file__).resolve().parents[2]
# What i18n.gettext of meson has by its preset "glib".
MARKS = ["_", "N_", "C_:1c,2", "NC_:1c,2", "g_dngettext:2,3", "g_dpgettext2:2c,3"]
FLAGS = ["N_:1:pass-c-format", "C_:2:pass-c-format", "NC_:2:pass-c-format", "g_dngettext:2:pass-c-format",
         "g_strdup_printf:1:c-format", "g_string_printf:2:c-format", "g_string_append_printf:2:c-format",
         "g_set_error:4:c-format", "g_markup_printf_escaped:1:c-format"]
# Keys of the glossary, of the examples and of templates of figures that are words, always or where there are two words in a row.
KEYS = {"glossary.ini": (["term", "text", "from"], ["symbol", "equation"]), "examples.ini": (["note"], []),
        "figures/templates.ini": (["name", "about"], [])}
WORDS = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")
HEAD = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"""


def entries(name):
    """Of a file of keys, as a template."""
    always, if_words = KEYS[name]
    found = {}
    for number, line in enumerate((ROOT / "assets" / name).read_text(encoding="utf-8").splitlines(), 1):
        key, _, text = line.partition("=")
        if text and (key in always or key in if_words and WORDS.search(text)):
            found.setdefault(text, f"\n#. {key}\n#: assets/{name}:{number}\nmsgid {quote(text)}\nmsgstr \"\"\n")
    return HEAD + "".join(found.values())


def run(*command, input=None):
    return subprocess.run(command, cwd=ROOT, input=input, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout


def part_of(folder, name):
    return folder / f"{name.replace('/', '-')}.part"


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M%z")


def sources():
    """The rows of po/POTFILES.in."""
    lines = (ROOT / "po/POTFILES.in").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def main(folder, cli):
    folder.mkdir(parents=True, exist_ok=True)
    run("xgettext", "--package-name=regard", "--from-code=UTF-8", "--add-comments", "--sort-by-file",
        *(f"--keyword={mark}" for mark in MARKS), *(f"--flag={flag}" for flag in FLAGS),
        f"--output={folder}/regard.pot", "--files-from=-", input="\n".join(sources()))
    lessons = sorted(map(str, (ROOT / "assets/lessons").glob("*.lesson.md")))
    strings = run(cli, "lesson", "strings", *lessons)
    # The date of files that are begun with it; the command has none.
    texts = {"lessons": strings.replace('"PO-', f'"POT-Creation-Date: {now()}\\n"\n"PO-', 1)}
    texts |= {name: entries(name) for name in KEYS}
    for name, text in texts.items():
        part_of(folder, name).write_text(text, encoding="utf-8")
    run("msgcat", "--use-first", f"--output-file={folder}/regard-texts.pot",
        *(str(part_of(folder, name)) for name in texts))
    for name in texts:
        part_of(folder, name).unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve()))
