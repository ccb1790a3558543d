#!/usr/bin/env python3
"""Of pairs whose English a model wrote, those whose English could be English.

    models/recipes/everyday/plausible.py MONO-EN.xz < pairs.tsv > plausible.tsv

A model that is not yet good invents words, repeats itself or stops early. Kept are pairs all of whose
English words stand twice or more in MONO-EN, without a word three times in a row, and with 0.6 to 2
English words for each German one.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import collections
import lzma
import re
import sys

WORD = re.compile(r"[^\W_]+")
SEEN = 2
LEAST, MOST = 0.6, 2.0  # English words for each German one


def words(text):
    return WORD.findall(text.lower())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count = collections.Counter()
    with lzma.open(sys.argv[1], "rt", encoding="utf-8") as lines:
        for line in lines:
            count.update(words(line))
    for line in sys.stdin:
        english, german = (words(side) for side in line.rstrip("\n").split("\t"))
        repeated = any(a == b == c for a, b, c in zip(english, english[1:], english[2:]))
        known = all(word.isdigit() or count[word] >= SEEN for word in english)
        if known and not repeated and LEAST * len(german) <= len(english) <= MOST * len(german):
            sys.stdout.write(line)


if __name__ == "__main__":
    main()
