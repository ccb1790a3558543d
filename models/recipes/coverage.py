#!/usr/bin/env python3
"""How many pairs have each of the most frequent words of everyday English.

    models/recipes/coverage.py CORPORA [PAIRS.tsv[.xz]]            the table of own-pairs.md
    models/recipes/coverage.py --missing 8 CORPORA [PAIRS.tsv.xz]  words in fewer pairs than 8: word, own, human

CORPORA is the folder of corpora (en-de, en-de-2, mono); PAIRS are those of our own, own-pairs.tsv.xz if it is
not given. The words are the 10,000 most frequent of what people write from day to day: of mono-en, of Tatoeba, of
the sentences of a dictionary, a chat, picture books and a phrasebook; in the form in which they stand there,
without regard to case. Names are left out: words that stand in the middle of a sentence with a capital more often
than without. Human pairs are those of Tatoeba, the dictionary's sentences, the chat and the picture books.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import collections
import lzma
import os
import re
import sys

N_WORDS = 10_000
BARS = (1, 3, 5, 8)
HUMAN = (
    "en-de/tatoeba-manythings.tsv.xz",
    "en-de/tatoeba-testset-remainder.tsv.xz",
    "en-de/dict-ding-sentences.tsv.xz",
    "en-de/bcontrast-chat.tsv.xz",
    "en-de-2/tatoeba-extra.tsv.xz",
    "en-de-2/stories-african-storybook.tsv.xz",
)
EVERYDAY = ("mono/mono-en.txt.xz", "en-de-2/tatoeba-pivot.tsv.xz", "en-de-2/phrasebook-refugee.tsv.xz", *HUMAN)
WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")


def sentences(path):
    """The first column of each line."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")[0]


def words(sentence):
    """Pairs of the word in small letters and whether it has a capital that the place does not ask for."""
    for i, word in enumerate(WORD.findall(sentence)):
        yield word.lower().replace("’", "'"), i > 0 and word[0].isupper()


def most_frequent(corpora):
    n, capital = collections.Counter(), collections.Counter()
    for name in EVERYDAY:
        for sentence in sentences(os.path.join(corpora, name)):
            for i, (word, is_capital) in enumerate(words(sentence)):
                n[word] += 1
                capital[word] += (is_capital and 1) or (i > 0 and -1)
    is_word = lambda word: word in ("i", "i'm", "i'll", "i've", "i'd") or (capital[word] <= 0 and len(word) > 1) or word == "a"
    return [word for word, _ in n.most_common() if is_word(word)][:N_WORDS]


def contexts(paths):
    """For each word the number of different sentences that have it."""
    n = collections.Counter()
    for sentence in {sentence for path in paths for sentence in sentences(path)}:
        n.update({word for word, _ in words(sentence)})
    return n


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--missing", type=int, metavar="N")
    parser.add_argument("corpora")
    parser.add_argument("pairs", nargs="?", default=os.path.join(here, "own-pairs.tsv.xz"))
    options = parser.parse_args()
    wanted = most_frequent(options.corpora)
    own = contexts([options.pairs])
    human = contexts([os.path.join(options.corpora, name) for name in HUMAN])
    if options.missing:
        for word in wanted:
            if own[word] + human[word] < options.missing:
                print(word, own[word], human[word], sep="\t")
        return 0
    print(f"of {len(wanted):,} words, in at least", *(f"{n} pair" if n == 1 else f"{n}" for n in BARS), sep=" | ")
    print("our own pairs", *(f"{sum(own[w] >= n for w in wanted):,}" for n in BARS), sep=" | ")
    both = [own[w] + human[w] for w in wanted]
    print("our own and the human pairs", *(f"{sum(c >= n for c in both):,}" for n in BARS), sep=" | ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
