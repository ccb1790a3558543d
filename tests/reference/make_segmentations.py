"""tests/data/segmentations.json: the most probable ways to cut a sentence, and their shares.

    make_segmentations.py

SentencePiece finds the segmentations and their probabilities; the shares are p^alpha, divided by
their sum (Kudo 2018, section 3.1).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib

import numpy
import sentencepiece

ROOT = pathlib.Path(__file__).parents[2]
CASES = [  # text, nbest_size, alpha
    ("I have two dogs.", 8, 0.2),
    ("I have two dogs.", 64, 0.5),
    ("I have two dogs.", 3, 0),
    ("Straßenbahnhaltestellenhäuschen", 16, 0.1),
    ("日本 is far away 😀", 16, 0.3),
    ("He traveled in Europe in late spring.", 64, 0.2),
    ("a", 64, 1),
]


def main():
    spm = sentencepiece.SentencePieceProcessor(model_file=str(ROOT / "tests/data/frozen/en-de/source.spm"))
    cases = []
    for text, size, alpha in CASES:
        best = spm.nbest_encode(text, nbest_size=size, return_type="proto").nbests
        scores = numpy.array([b.score for b in best], dtype=numpy.float64)
        shares = numpy.exp(alpha * (scores - scores.max()))
        cases.append({
            "text": text, "nbest_size": size, "alpha": alpha,
            "segmentations": [" ".join(p.piece for p in b.pieces) for b in best],
            "shares": [round(float(s), 9) for s in shares / shares.sum()],
        })
    out = ROOT / "tests/data/segmentations.json"
    text = json.dumps({"sentencepiece": sentencepiece.__version__, "cases": cases},
                      ensure_ascii=False, indent=1)
    out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
