#!/usr/bin/python3
"""recompute.py FILE.npz: every number of `regard-cli inside -o FILE.npz`, computed again.

Knows equation 1 of "Attention Is All You Need" and nothing of Regard, and that T5 has a bias for
each distance and no divisor. A row is a token.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import sys

import numpy as np

a = {name: value for name, value in np.load(sys.argv[1]).items()}
x, y = a["read_queries"], a["read_keys"]
d = a["queries"].shape[1]
head, query, key = a["place"][0, 1:].astype(int) - 1
wrong = 0


def same(name, found, wanted, tolerance=1e-4):
    """Within tolerance of the largest number; what is masked is -inf on both sides."""
    global wrong
    found, wanted = np.asarray(found), np.asarray(wanted)
    masked = np.isinf(wanted)
    ok = np.array_equal(masked, np.isinf(found))
    error = np.abs(found[~masked] - wanted[~masked]).max() / max(np.abs(wanted[~masked]).max(), 1)
    wrong += not (ok and error <= tolerance)
    print("ok" if ok and error <= tolerance else "WRONG", name, error)


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


mask = np.where(np.isinf(a["scores"]), -np.inf, 0)
same("q = x W_Q + b_Q", a["queries"], x @ a["W_Q"].T + a["b_Q"])
same("k = y W_K + b_K", a["keys"], y @ a["W_K"].T + a["b_K"])
same("v = y W_V + b_V", a["values"], y @ a["W_V"].T + a["b_V"])
same("q k", a["products"], a["queries"] @ a["keys"].T)
bias = a.get("score_bias", np.zeros_like(mask))
scores = [a["products"] / divisor + bias + mask for divisor in (np.sqrt(d), 1)]
# Whether the model divides the file does not say; one of the two it is.
seen = mask == 0
errors = [np.abs(a["scores"][seen] - each[seen]).max() for each in scores]
is_divided = errors[0] < errors[1]
name = "q k / sqrt(d_k)" if is_divided else "q k"
name += " + bias + mask" if "score_bias" in a else " + mask"
same(name, a["scores"], scores[0 if is_divided else 1])
same("softmax", a["weights"], softmax(a["scores"]))
same("weights v", a["context"], a["weights"] @ a["values"])
same("this head's context", a["head_contexts"][head], a["context"][query])
same("z W_O", a["head_added"][head], a["context"][query] @ a["W_O"].T)
same("all heads + b_O", a["output"][query], a["head_added"].sum(0) + a["b_O"][0])
same("pairs of parts", a["parts"].sum(), a["scores"][query, key])

q, k, m = a["queries"][query], a["keys"], mask[query]
t = np.tanh(q + k).sum(-1)  # W, U the identity, v ones
cosine = k @ q / np.linalg.norm(q) / np.linalg.norm(k, axis=1)
forms = np.array([k @ q, k @ q / np.sqrt(d), k @ q, t, t, cosine])
same("similarities", a["similarity_scores"], forms)
same("their softmax", a["similarity_weights"], softmax(forms + m))
for divisor, entropy, largest, gradient, *row in a["divisors"]:
    w = softmax(a["products"][query] / divisor + bias[query] + m)
    same("softmax of q k / %.3g" % divisor, row, w)
    bits, size = -(w * np.log2(w + 1e-300)).sum(), np.linalg.norm(np.diag(w) - np.outer(w, w))
    same("its numbers", [entropy, largest, gradient], [bits, w.max(), size])
independent = np.sqrt(d) * a["queries"].std() * a["keys"].std()
same("spread", a["spread"][0], [a["products"][mask == 0].std(), np.sqrt(d), independent])


def normal_numbers(seed, count):
    """SplitMix64, and the cosine of Box and Muller."""
    z = (seed + 0x9E3779B97F4A7C15 * np.arange(1, 2 * count + 1, dtype=object)) % 2**64
    z = z.astype(np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    u = (((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(float) + 0.5) / 2**53
    return np.sqrt(-2 * np.log(u[::2])) * np.cos(2 * np.pi * u[1::2])


if "made_up" in a:
    vectors = normal_numbers(1, (32 + 16) * 1024).reshape(48, 1024)
    d_k = round(a["made_up"][1, 0].astype(float) ** 2)
    products = vectors[:32, :d_k] @ vectors[32:, :d_k].T
    for row, divisor in zip(a["made_up"], (1, np.sqrt(d_k))):
        w = softmax(products / divisor)
        means = [divisor, products.std(), w.max(1).mean(), (1 - (w**2).sum(1)).mean()]
        same("made-up numbers, d_k = %d, by %.3g" % (d_k, divisor), row, [*means, *w[0]])
sys.exit(wrong > 0)
