#!/usr/bin/env python3
"""glossary.py: the terms of assets/glossary.ini, as a table in docs/help.md.

SPDX-License-Identifier: GPL-3.0-or-later

Without arguments it says what differs, as a test result (TAP); with --write it puts the table into the chapter.
"""

import configparser
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = ROOT / "docs/help.md"


def cell(text):
    return text.replace("|", "\\|")


def make_table():
    terms = configparser.ConfigParser(interpolation=None, delimiters="=", comment_prefixes="#")
    terms.read(ROOT / "assets/glossary.ini", encoding="utf-8")
    rows = []
    for name in sorted(terms.sections(), key=lambda name: terms[name]["term"].casefold()):
        term = terms[name]
        where = f"{term['paper']}" if "paper" in term else f"– ({term['from']})"
        rows.append(f"| **{cell(term['term'])}** | {cell(term['text'])} | {cell(term['equation'])} | {cell(where)} |\n")
    return "| term | | equation | section |\n|---|---|---|---|\n" + "".join(rows)


def main():
    text = CHAPTER.read_text(encoding="utf-8")
    found = re.fullmatch(r"(.*<!-- assets/glossary\.ini: -->\n)(.*)(<!-- :assets/glossary\.ini -->\n.*)", text, re.DOTALL)
    if not found:
        sys.exit("docs/help.md: expected a line <!-- assets/glossary.ini: --> and one <!-- :assets/glossary.ini -->")
    wanted = found[1] + make_table() + found[3]
    if sys.argv[1:] == ["--write"]:
        CHAPTER.write_text(wanted, encoding="utf-8")
        return
    print(f"{'ok' if text == wanted else 'not ok'} 1 - docs/help.md has the terms of assets/glossary.ini "
          "(else: tests/checks/glossary.py --write)")
    print("1..1")


main()
