#!/usr/bin/env python3
"""gloss.py REGARD-CLI: what words mean (assets/gloss) is there for every word of the lessons and examples.

SPDX-License-Identifier: GPL-3.0-or-later

Those are the words of all sentences that lessons, examples and the window's first text show, in both languages, and of
what the bundled model makes of the English ones. It speaks TAP.
"""

import configparser
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = {"en": ["word", "zh_CN", "de", "fr"], "de": ["word", "zh_CN", "en", "fr"]}
MOST = 20  # characters of a meaning, which stands under a word
NO_WORDS = {"nonsense"}  # an example


def read(language):
    """The words of a file with their meanings, and what is wrong with it."""
    path = ROOT / f"assets/gloss/{language}.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    wrong = [] if lines[0].startswith("#") and "CC0-1.0" in lines[0] else ["line 1: a remark with the licence"]
    if lines[1].split("\t") != COLUMNS[language]:
        wrong.append(f"line 2: {COLUMNS[language]}")
    words = {}
    for number, line in enumerate(lines[2:], 3):
        fields = line.split("\t")
        if len(fields) != len(COLUMNS[language]) or any(not field or field != field.strip() for field in fields):
            wrong.append(f"line {number}: a meaning in each of {COLUMNS[language][1:]}")
        elif fields[0] != fields[0].lower() or fields[0] in words or (words and fields[0] < list(words)[-1]):
            wrong.append(f"line {number}: “{fields[0]}” is not in small letters, is there twice, or not in its place")
        elif max(map(len, fields[1:])) > MOST:
            wrong.append(f"line {number}: more than {MOST} characters")
        words[fields[0]] = fields[1:]
    return words, wrong


def texts_of_lessons():
    for path in sorted((ROOT / "assets/lessons").glob("*.lesson.md")):
        _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
        yield from re.findall(r"^text: *(.+)$", head, re.MULTILINE)
        for block in re.findall(r"^```regard\n(.*?)^```$", body, re.MULTILINE | re.DOTALL):
            yield from re.findall(r"^text (.+)$", block, re.MULTILINE)


def texts():
    """Whatever is shown, by its language."""
    found = {"en": set(texts_of_lessons()), "de": set()}
    examples = configparser.ConfigParser(interpolation=None, delimiters="=", comment_prefixes="#")
    examples.read(ROOT / "assets/examples.ini", encoding="utf-8")
    for name in examples.sections():
        if name not in NO_WORDS:
            found[examples[name]["lang"]].add(examples[name]["text"])
    schema = ElementTree.parse(ROOT / "assets/io.github.regard.Regard.gschema.xml")
    found["en"].add(schema.find(".//key[@name='text']/default").text.strip('"'))
    return found


def translate(cli, lines):
    result = subprocess.run([cli, "translate"], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, encoding="utf-8",
                            check=True)
    return result.stdout.splitlines()


def words_of(lines):
    """In small letters, without the punctuation around them; numbers are none."""
    stripped = (re.sub(r"^\W+|\W+$", "", word).lower() for line in lines for word in line.split())
    return {word for word in stripped if word and not any(map(str.isdigit, word))}


def main():
    shown = texts()
    wanted = {"en": words_of(shown["en"]),
              "de": words_of(shown["de"]) | words_of(translate(sys.argv[1], sorted(shown["en"])))}
    count = 0
    for language in COLUMNS:
        words, wrong = read(language)
        missing = sorted(wanted[language] - set(words))
        for fault, what in ((wrong, "has a meaning in each language for each word, in order"),
                            (missing, f"has the {len(wanted[language])} words of lessons, examples and translations")):
            count += 1
            print(f"{'not ok' if fault else 'ok'} {count} - assets/gloss/{language}.tsv {what}")
            for line in fault:
                print(f"# {line}")
    print(f"1..{count}")


main()
