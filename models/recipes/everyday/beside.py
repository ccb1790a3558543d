#!/usr/bin/env python3
"""English and German sentences that do not belong together, side by side: for a tokenizer alone.

    models/recipes/everyday/beside.py CORPORA > beside.tsv

regard-train learns its pieces from pairs. What has no translation is paired by chance here: German of
Tatoeba, Common Voice and two collections of sentences to read aloud, beside as many English ones, drawn
from all there are.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import lzma
import pathlib
import random
import sys

N_GERMAN = 123284  # lines of mono-de before the encyclopedia
SEED = 21


def read(path):
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    mono = pathlib.Path(sys.argv[1]) / "mono"
    german = read(mono / "mono-de.txt.xz")[:N_GERMAN]
    english = read(mono / "mono-en.txt.xz")
    random.seed(SEED)
    random.shuffle(english)
    for pair in zip(english, german):
        print("\t".join(pair))


if __name__ == "__main__":
    main()
