"""BLEU and chrF of translations, with the signatures to quote them by.

    xz -dc tatoeba-2k.src.txt.xz | regard-cli translate --beam 4 > out.de
    evaluate.py out.de tatoeba-2k.ref.txt

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys

from sacrebleu.metrics import BLEU, CHRF


def lines(path):
    # Not splitlines(): a line may hold U+2028 and its like.
    return open(path, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")


if __name__ == "__main__":
    found, reference = lines(sys.argv[1]), lines(sys.argv[2])
    assert len(found) == len(reference), f"{len(found)} translations, {len(reference)} references"
    for metric in (BLEU(), CHRF()):
        print(metric.corpus_score(found, [reference]), metric.get_signature())
