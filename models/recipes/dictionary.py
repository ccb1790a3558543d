#!/usr/bin/env python3
"""Single words for the training of models/en-de: English, tab, German, from the Ding dictionary.

    apt-get install trans-de-en wamerican-small wbritish-small
    models/recipes/dictionary.py CORPORA > words.tsv

Everyday sentences have few rare words, and what a model has never read it invents. The dictionary
(Frank Richter, GPL-2.0-or-later) has them with their forms: a line is "German; other | form 2 ::
English; other | form 2". Taken are words that a small English word list has too, each with those of
its translations that are likeliest: which occur often in the German of the corpora and translate few
other words. Nouns come with their article, and once more in a short sentence, as a noun is met.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import collections
import lzma
import pathlib
import re
import sys
import zlib

DICTIONARY = "/usr/share/trans/de-en"
WORD_LISTS = ("/usr/share/dict/american-english-small", "/usr/share/dict/british-english-small")
MOST_TRANSLATIONS = 2
SHARE = 0.25  # of the likeliest one's that another's likelihood must be
FIRST = 4  # times as likely is what comes first on both sides of its line

REMARKS = re.compile(r"\{[^{}]*\}|\[[^][]*\]|\([^()]*\)|/[^/]*/|<>|^(?:etw|jdn|jdm)\. | (?:sth|sb)\.$")
GENDER = re.compile(r"\{(m|f|n|pl)\}")
GERMAN = re.compile(r"[A-Za-zÄÖÜäöüß-]+(?: [A-Za-zÄÖÜäöüß-]+)?")
ENGLISH = re.compile(r"(?:to )?[A-Za-z'-]+")
AMBIGUOUS = re.compile(r"[aeiou]|h|one")  # of "a" and "an"

DEFINITE = {"m": "der", "f": "die", "n": "das", "pl": "die"}
INDEFINITE = {"m": "ein", "f": "eine", "n": "ein"}
# All in the nominative, or in a plural that is spelled like it.
SENTENCES = {
    "singular": [
        ("The {en} is here.", "{Der} {de} ist hier."),
        ("Where is the {en}?", "Wo ist {der} {de}?"),
        ("Is that the {en}?", "Ist das {der} {de}?"),
        ("That's my {en}.", "Das ist m{ein} {de}."),
        ("It was her {en}.", "Es war ihr{e} {de}."),
        ("What does the {en} look like?", "Wie sieht {der} {de} aus?"),
    ],
    "plural": [
        ("The {en} are here.", "Die {de} sind hier."),
        ("Where are the {en}?", "Wo sind die {de}?"),
        ("I like {en}.", "Ich mag {de}."),
        ("These are my {en}.", "Das sind meine {de}."),
        ("There are no {en} here.", "Hier gibt es keine {de}."),
        ("He saw the {en}.", "Er hat die {de} gesehen."),
    ],
}


def read_entries():
    """(English, German, gender or None, whether both are the first) as the dictionary has them."""
    for line in open(DICTIONARY, encoding="utf-8"):
        german, separator, english = line.rstrip("\n").partition(" :: ")
        forms = german.split(" | "), english.split(" | ")
        if line.startswith("#") or not separator or len(forms[0]) != len(forms[1]):
            continue
        for german, english in zip(*forms):
            german, english = german.split(";"), english.split(";")
            first = german[0], english[0]
            for pair in [(g, english[0]) for g in german] + [(german[0], e) for e in english[1:]]:
                gender = GENDER.search(pair[0])
                g, e = (" ".join(REMARKS.sub(" ", side.strip()).split()) for side in pair)
                if GERMAN.fullmatch(g) and ENGLISH.fullmatch(e):
                    yield e, g, gender and gender[1], pair == first


def count_german(corpora):
    counts = collections.Counter()
    for path in sorted((corpora / "en-de").glob("*.tsv.xz")):
        for line in lzma.open(path, "rt", encoding="utf-8"):
            counts.update(re.findall(r"\w+", line.split("\t")[1]))
    return counts


def choose(entries, words, counts):
    """The likeliest translations of each English word that the list has."""
    found, translated = collections.defaultdict(dict), collections.defaultdict(set)
    for english, german, gender, is_first in entries:
        translated[german].add(english)
        if english.removeprefix("to ").lower() in words:
            old_gender, was_first = found[english].get(german, (None, False))
            found[english][german] = gender or old_gender, is_first or was_first
    for english, translations in found.items():
        likelihood = {}
        for german, (_, is_first) in translations.items():
            known = min(counts[part] for part in re.findall(r"\w+", german))
            share = (known + 0.5) / len(translated[german])
            likelihood[german] = share * (FIRST if is_first else 1)
        best = sorted(likelihood, key=likelihood.get, reverse=True)[:MOST_TRANSLATIONS]
        for german in best:
            if likelihood[german] >= SHARE * likelihood[best[0]]:
                yield english, german, translations[german][0]


def show(english, german, gender):
    """As a dictionary has it, and nouns in a sentence."""
    if not gender or not german[0].isupper():
        yield english, german
        return
    chance = zlib.crc32(f"{english}|{german}".encode())  # the same in every run
    can_be_a = gender != "pl" and not AMBIGUOUS.match(english)
    article = "the" if chance % 2 else "a" if can_be_a else ""
    before = {"": "", "the": DEFINITE[gender], "a": INDEFINITE.get(gender, "")}[article]
    yield f"{article} {english}".strip(), f"{before} {german}".strip()
    sentences = SENTENCES["plural" if gender == "pl" else "singular"]
    source, target = sentences[chance // 2 % len(sentences)]
    the, a = DEFINITE[gender], INDEFINITE.get(gender, "")
    yield source.format(en=english), target.format(
        de=german, der=the, Der=the.capitalize(), ein=a, e=a.removeprefix("ein")
    )


def main():
    words = set()
    for path in WORD_LISTS:
        words.update(line.strip().lower() for line in open(path, encoding="utf-8"))
    counts = count_german(pathlib.Path(sys.argv[1]))
    for entry in choose(read_entries(), words, counts):
        for pair in show(*entry):
            print(*pair, sep="\t")


if __name__ == "__main__":
    main()
