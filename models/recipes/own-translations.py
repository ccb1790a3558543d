#!/usr/bin/env python3
"""A model's own translations, to train it on: English, tab, German.

    models/recipes/own-translations.py new CORPORA MODEL > self-translated.tsv
    models/recipes/own-translations.py best CORPORA MODEL > best-of-8.tsv

`new` translates everyday English that has no German beside it, the source side of the French pairs
(self-training). `best` takes, of eight translations of a sentence, the one nearest to what people wrote
(Kim & Rush 2016, section 3.3): a text that the model can nearly say already, and a better one than it
says. Both want regard-cli on the PATH, `best` also sacreBLEU.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import collections
import lzma
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TESTS = ("tatoeba-2k", "newstest2014", "newstest2013")
EVERYDAY = ("tatoeba-manythings", "tatoeba-testset-remainder")
SHORTEST = {"new": 30, "best": 26}  # characters; short sentences are known by heart

# Of `best`: text, lines of it that are no validation, words of a sentence, how many of those.
REFERENCES = [
    ("tatoeba-manythings", None, (6, 20), 16000),
    ("tatoeba-testset-remainder", 9187, (5, 25), 7000),
    ("mlqe-pe-wikipedia", None, (6, 30), 2500),
    ("bcontrast-chat", None, (5, 25), 1500),
]
N_BEST = 8
LEAST_BLEU = 35  # of the best one beside its nearest; below it there are words that mean something else


def read(path):
    """The columns of each line of a text."""
    return [line.rstrip("\n").split("\t") for line in lzma.open(path, "rt", encoding="utf-8")]


def key(text):
    return re.sub(r"\W+", "", text.lower())


def translate(model, sentences, *options):
    """The lines that regard-cli prints."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.writelines(s + "\n" for s in sentences)
        file.flush()
        command = ["regard-cli", "translate", "--model", model, *options, file.name]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    return out.removesuffix("\n").split("\n")


def new(corpora, model):
    seen = {key(pair[0]) for name in EVERYDAY for pair in read(corpora / f"en-de/{name}.tsv.xz")}
    for name in TESTS:
        seen.update(key(line[0]) for line in read(corpora / f"test/en-de/{name}.src.txt.xz"))
    sentences = {}
    for name in EVERYDAY:
        for english, *_ in read(corpora / f"en-fr/{name}.tsv.xz"):
            if len(english) >= SHORTEST["new"] and key(english) not in seen:
                sentences.setdefault(key(english), english)
    sentences = list(sentences.values())
    return zip(sentences, translate(model, sentences, "--beam", "4"))


def choose(corpora):
    """English sentences, each with everything it is translated by."""
    draw = random.Random(8)
    for name, end, (least, most), n in REFERENCES:
        found = collections.defaultdict(list)
        for english, german in read(corpora / f"en-de/{name}.tsv.xz")[:end]:
            if len(english) >= SHORTEST["best"] and least <= len(english.split()) <= most:
                found[english].append(german)
        yield from draw.sample(sorted(found.items()), min(n, len(found)))


def best(corpora, model):
    from sacrebleu.metrics import BLEU

    bleu = BLEU(effective_order=True)
    chosen = list(choose(corpora))
    lines = translate(model, [english for english, _ in chosen], "--nbest", str(N_BEST))
    for i, (english, references) in enumerate(chosen):
        found = [line.partition("\t")[2] for line in lines[N_BEST * i : N_BEST * (i + 1)]]
        scores = {t: [bleu.sentence_score(t, [r]).score for r in references] for t in found if t}
        text = max(scores, key=lambda t: sum(scores[t]), default=None)
        if text and max(scores[text]) >= LEAST_BLEU:
            yield english, text


if __name__ == "__main__":
    kinds = {"new": new, "best": best}
    for pair in kinds[sys.argv[1]](pathlib.Path(sys.argv[2]), sys.argv[3]):
        print(*pair, sep="\t")
