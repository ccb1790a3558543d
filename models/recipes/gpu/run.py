#!/usr/bin/env python3
"""The bundled model on a graphics card, in two runs, each of a given length.

    models/recipes/gpu/run.py back DATA.npz MODEL BACK.npz SECONDS
    models/recipes/gpu/run.py model DATA.npz MODEL BACK.npz SECONDS SECONDS OUT

MODEL is the folder from which both begin, DATA what pack.py made. `back` trains German to English and translates
the German sentences that nobody has translated. `model` trains English to German with those beside, translates the
English sentences that nobody has translated with the mean of its last steps, and trains on with these, too. With
--steps the numbers are steps instead of seconds: a repetition.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
import time

import marian_torch as mt  # first: it says how PyTorch is to take memory
import numpy as np
import torch

BATCH_TOKENS = 32000  # of the longer side, with its padding
RATE = 1e-3
AGREE = 1.0  # the weight of R-Drop in the last part
WEIGHT_BACK, WEIGHT_SELF = 1.0, 0.5
WORST_BACK, WORST_SELF = 0.05, 0.1  # the share of translations that is thought too unlikely
SEED = 21
BEGIN = time.time()


def say(text):
    print(f"[{time.time() - BEGIN:6.1f}] {text}", flush=True)


def offsets(n):
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(n.astype(np.int64))])


class Data:
    """What pack.py made: sides of pairs, sentences of one language, and the weight of each pair."""

    def __init__(self, path):
        z = np.load(path)
        self.sides = {part: [(z[f"{part}.{s}"], offsets(z[f"{part}.{s}.n"])) for s in ("source", "target")]
                      for part in ("train", "heldout")}
        self.mono = {s: (z[s], offsets(z[s + ".n"])) for s in ("de", "en")}
        self.weights = np.repeat(z["weights"], z["counts"])


def plausible(source, target, scores, worst):
    """Which translations are finished, likely enough, no token three times in a row, and of a length that can be."""
    n, m = np.array([len(t) for t in target]), np.diff(source[1])
    good = (n > 1) & (n <= 1.7 * m + 3) & (m <= 1.7 * n + 3)
    if not good.any():
        sys.exit("no translation is plausible: the training was too short")
    good &= scores >= np.quantile(scores[good], worst)
    for i in np.flatnonzero(good):
        t = target[i]
        good[i] = not any(a == b == c for a, b, c in zip(t, t[1:], t[2:]))
    return good


def translated(network, sentences, worst, what):
    """(the sentences whose translation is plausible, their translations)."""
    out, scores = mt.translate(network, sentences)
    which = np.flatnonzero(plausible(sentences, out, scores, worst))
    say(f"{what}: {len(out)} sentences, {sum(map(bool, out))} finished, {len(which)} plausible")
    ids, at = sentences
    return mt.flat([ids[at[i] : at[i + 1]] for i in which]), mt.flat([out[i] for i in which])


def validator(sides, device):
    """The first half of the held-out pairs is everyday text, the second news."""
    pairs = mt.Pairs(sides, device)
    n = len(pairs)
    halves = [(0, n // 2), (n // 2, n)]
    return lambda net: "validation: everyday {:.4f}, news {:.4f}".format(*mt.heldout_loss(net, pairs, halves))


def main():
    argv = [a for a in sys.argv[1:] if a != "--steps"]
    if len(argv) not in (5, 7) or argv[0] != ("back" if len(argv) == 5 else "model"):
        sys.exit(__doc__)
    lengths = argv[4:6] if argv[0] == "model" else argv[4:5]
    if not all(length.isdigit() and int(length) > 0 for length in lengths):
        sys.exit(f"expected lengths to be whole numbers above 0, found {' '.join(lengths)}")
    data, back = Data(argv[1]), argv[3]
    config, tensors = mt.read_model(argv[2])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(SEED)
    trainer = mt.Trainer(config, tensors, device)
    say(f"{device}, {len(data.weights)} pairs")

    def train(pairs, weights, length, validate, **options):
        length = {"steps": int(length), "seconds": 0} if "--steps" in sys.argv else {"seconds": int(length)}
        mt.train(trainer, pairs, weights, rate=RATE, batch_tokens=BATCH_TOKENS, say=say, validate=validate, every=45,
                 **length, **options)

    if argv[0] == "back":
        turned = {part: sides[::-1] for part, sides in data.sides.items()}
        pairs, validate = mt.Pairs(turned["train"], device), validator(turned["heldout"], device)
        train(pairs, data.weights, argv[4], validate, warmup=300, hold=0.3)
        german, english = translated(mt.mean_network(trainer), data.mono["de"], WORST_BACK, "back")
        np.savez(back, s=english[0], sn=np.diff(english[1]).astype(np.uint16), t=german[0],
                 tn=np.diff(german[1]).astype(np.uint16))
        return

    def with_made(*made):
        """The pairs and those that models made: (source, target, weight)."""
        sides = [mt.joined([data.sides["train"][s]] + [m[s] for m in made]) for s in (0, 1)]
        weights = np.concatenate([data.weights] + [np.full(len(m[0][1]) - 1, m[2]) for m in made])
        return mt.Pairs(sides, device), weights

    z = np.load(back)
    back = (z["s"], offsets(z["sn"])), (z["t"], offsets(z["tn"])), WEIGHT_BACK
    validate = validator(data.sides["heldout"], device)
    train(*with_made(back), argv[4], validate, warmup=400, hold=1.0)
    own = *translated(mt.mean_network(trainer), data.mono["en"], WORST_SELF, "self"), WEIGHT_SELF
    train(*with_made(back, own), argv[5], validate, warmup=1, hold=0.15, agree=AGREE, seed=2)
    mt.write_model(trainer.mean, argv[6])


if __name__ == "__main__":
    main()
