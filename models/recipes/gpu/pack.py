#!/usr/bin/env python3
"""A prepared folder and sentences of one language in one file, for a machine that has neither.

    models/recipes/gpu/pack.py PREPARED CORPORA OUT.npz

Of the largest and least everyday sources only a part of the pairs goes along, shown the more often. Sentences of
the tests that prepare.json excludes are left out. Wants NumPy and SentencePiece.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import lzma
import pathlib
import re
import sys
import unicodedata

import numpy as np
import sentencepiece

KEPT = {"msdocs-dynamics-ht": 0.33, "msdocs-dev-ht": 0.33, "msdocs-older-ht": 0.5, "ui-strings": 0.2,
        "debian-package-descriptions": 0.4, "lexicon-ding-phrases": 0.5, "docs-po": 0.7}
SEED = 5
# Sentences without a translation: those of Tatoeba, of Common Voice and to read aloud, and a children's encyclopedia.
MONO = {"de": ("mono-de.txt.xz", 213546), "en": ("mono-en.txt.xz", 389069)}
SHORTEST, LONGEST = 3, 64  # tokens, </s> among them


def plain(sentence):
    """Without regard to case and punctuation."""
    return " ".join(re.findall(r"\w+", sentence.lower()))


def read(path):
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [unicodedata.normalize("NFC", line.rstrip("\n")) for line in file]


def mono(path, n, excluded, tokenizer, ids, eos):
    lines = [line for line in read(path)[:n] if plain(line) not in excluded]
    sentences = [np.append(ids[pieces], eos).astype(np.uint16) for pieces in tokenizer.encode(lines)]
    sentences = [s for s in sentences if SHORTEST <= len(s) <= LONGEST]
    return np.concatenate(sentences), np.array([len(s) for s in sentences], np.uint16)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    prepared, corpora = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sources = [s for s in json.loads((prepared / "manifest.json").read_text())["sources"] if s.get("pairs")]
    random = np.random.default_rng(SEED)
    keep = np.concatenate([random.random(s["pairs"]) < KEPT.get(s["name"], 1) for s in sources])
    of = np.repeat(np.arange(len(sources)), [s["pairs"] for s in sources])
    out = {
        "names": np.array([s["name"] for s in sources]),
        "counts": np.bincount(of[keep], minlength=len(sources)),
        # The weight of a source is that of a pair, which may be there in several segmentations.
        "weights": np.array([s["weight"] / s.get("segmentations", 1) / KEPT.get(s["name"], 1) for s in sources]),
    }
    for part in ("train", "heldout"):
        for side in ("source", "target"):
            ids = np.load(prepared / f"{part}.{side}.npy")
            n = np.diff(np.load(prepared / f"{part}.{side}-offsets.npy").astype(np.int64))
            if part == "train":
                ids, n = ids[np.repeat(keep, n)], n[keep]
            out[f"{part}.{side}"], out[f"{part}.{side}.n"] = ids, n.astype(np.uint16)
    vocab = json.loads((prepared / "vocab.json").read_text())
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(prepared / "source.spm"))
    ids = np.array([vocab[tokenizer.id_to_piece(i)] for i in range(tokenizer.get_piece_size())])
    exclude = json.loads((pathlib.Path(__file__).parent / "prepare.json").read_text())["exclude"]
    excluded = {plain(line) for name in exclude for line in read(corpora / name)}
    for language, (name, n) in MONO.items():
        out[language], out[language + ".n"] = mono(corpora / "mono" / name, n, excluded, tokenizer, ids, vocab["</s>"])
    np.savez(sys.argv[3], **out)


if __name__ == "__main__":
    main()
