#!/usr/bin/env python3
"""Sentences of a test that are in a training text, or nearly: status 1 if there are any.

    models/recipes/near-copies.py tests/data/reading-100.en.txt CORPORA/en-de/*.xz …

A text has its English first in each line, before a tab or alone; plain or compressed by xz. Case and
punctuation do not count. Two sentences are near copies if of the words that either has both have 80 %
(Jaccard), or if at most a fifth of the letters must be changed to make one from the other (Levenshtein's
distance by the length of the longer). Prints the nearest sentence of each line of the test, nearest first.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import collections
import lzma
import re
import sys

NEAR = 0.8
WORTH_A_LOOK = 0.45  # of the words in common: below that the letters are not compared


def read(path):
    """The first column of each line."""
    opened = lzma.open if path.endswith(".xz") else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")[0]


def words(sentence):
    return re.findall(r"[\w']+", sentence.lower().replace("’", "'"))


def distance(a, b, limit):
    """Levenshtein's, or more than limit if it is more."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
        if min(row) > limit:
            return limit + 1
        above = row
    return above[-1]


def likeness(a, b, shared):
    """The greater of the two, 0 … 1; a and b are lists of words with so many different ones in common."""
    by_words = shared / (len(set(a)) + len(set(b)) - shared)
    if by_words < WORTH_A_LOOK:
        return by_words
    a, b = " ".join(a), " ".join(b)
    longer = max(len(a), len(b))
    return max(by_words, 1 - distance(a, b, longer // 2) / longer)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    test = list(read(sys.argv[1]))
    tokens = [words(sentence) for sentence in test]
    having = collections.defaultdict(list)
    for i, sentence in enumerate(tokens):
        for word in set(sentence):
            having[word].append(i)
    nearest = [(0.0, "", "")] * len(test)
    for path in sys.argv[2:]:
        for line in read(path):
            other = words(line)
            if len(other) > 60:
                continue
            shared = collections.Counter(i for word in set(other) for i in having.get(word, ()))
            for i, n in shared.items():
                if 2 * n >= len(set(tokens[i])):
                    nearest[i] = max(nearest[i], (likeness(tokens[i], other, n), line, path))
    for i in sorted(range(len(test)), key=lambda i: -nearest[i][0]):
        value, line, path = nearest[i]
        print(f"{value:.2f}\t{test[i]}\t{line}\t{path.rsplit('/', 1)[-1]}")
    return any(value >= NEAR for value, _, _ in nearest)


if __name__ == "__main__":
    sys.exit(main())
