#!/usr/bin/python3
"""corpus.py REGARD_CLI TEXT FOLDER [MODEL [SENTENCES]]: `regard-cli corpus` against numpy.

Makes a corpus file of TEXT and, one by one, captures of its lines (`regard-cli capture`), from whose
matrices everything is added up again here: statistics and histograms of every measure of every head,
roles, offsets and distances. Knows the formulas and nothing of Regard's code. Needs numpy.

"""
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import pathlib
import subprocess
import sys

import numpy as np

PUNCTUATION = set("!\"#%&'()*,-./:;?@[\\]_{}¡§«¶·»¿‐‑‒–—―‖‗‘’‚‛“”„‟†‡•‣․‥…")
KINDS = {"encoder": 0, "cross": 1, "decoder": 2}


def measures(kind, a, special, punctuation, rarest):
    """{measure: [L][H]} of one sentence; a [L][H][m][n]."""
    a = a.astype(np.float64)
    m, n = a.shape[2:]
    i, j = np.arange(m)[:, None], np.arange(n)[None, :]
    largest = a.argmax(-1)
    away = abs(i - j) if kind != "cross" else abs(i / max(m - 1, 1) - j / max(n - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(a > 0, a * np.log2(a), 0)
    words = np.where(special, 0, a)
    out = {
        "entropy": -bits.sum(-1).mean(-1),
        "confidence": words.max(-1).mean(-1),
        "distance": (a * away).sum((-1, -2)) / a.sum((-1, -2)),
        "special": (a * special).sum(-1).mean(-1),
        "punctuation": (a * punctuation).sum(-1).mean(-1),
        "first": a[..., 0].mean(-1),
        "rare": (largest == rarest).mean(-1),
    }
    rows = np.arange(m)
    if kind == "cross":
        later = largest[..., 1:] >= largest[..., :-1]
        out["monotone"] = later.mean(-1) if m > 1 else np.zeros(a.shape[:2])
    else:
        def at(k):
            there = (rows + k >= 0) & (rows + k < m)
            return (largest == rows + k)[..., there].sum(-1) / max(there.sum(), 1)
        out["previous"], out["same"] = at(-1), at(0)
        if kind == "encoder":
            out["next"] = at(1)
    return out


def roles(kind, a, special, punctuation, rarest):
    """{role: ([L][H] score, [L][H] share)} of one sentence, for those that it has."""
    a = a.astype(np.float64)
    m, n = a.shape[2:]
    i, j = np.arange(m)[:, None], np.arange(n)[None, :]
    sees = j <= i if kind == "decoder" else np.ones((m, n), bool)
    every = np.ones((m, 1), bool)
    sets = {"special": every & special, "punctuation": every & punctuation, "first": every & (j == 0),
            "rare": every & (j == rarest)}
    if kind == "cross":
        on = (2 * i * (n - 1) + (m - 1)) // (2 * (m - 1)) if m > 1 else 0 * i
        sets["diagonal"] = j == on
    else:
        sets.update({"previous": j == i - 1, "same": j == i})
        if kind == "encoder":
            sets["next"] = j == i + 1
    out = {}
    for role, keys in sets.items():
        keys = keys & sees
        rows = (keys.sum(-1) > 0) & (sees.sum(-1) > 1)
        if not rows.any():
            continue
        mass = (a * keys).sum(-1)[..., rows]
        inside = (mass / keys.sum(-1)[rows]).sum(-1)
        out[role] = inside / (1 / sees.sum(-1)[rows]).sum(), mass.mean(-1)
    return out


def divergences(a):
    """[heads][heads] mean over rows of the Jensen–Shannon divergence in bits."""
    p = a.reshape(-1, *a.shape[2:]).astype(np.float64)

    def g(x):
        return np.where(x > 0, x * np.log2(np.where(x > 0, x, 1)), 0)
    own, rows = g(p).sum((1, 2)), p.shape[1]
    out = np.zeros((len(p), len(p)))
    for k, one in enumerate(p):
        m = (p + one) / 2
        out[k] = (own + own[k]) / 2 - g(m).sum((1, 2))
    return out / rows


def capture(program, model, line, path):
    subprocess.run([program, "capture", *model, "--beam", "1", "-o", path, line], check=True,
                   stdout=subprocess.DEVNULL)
    return dict(np.load(path))


def main():
    program, text, folder = sys.argv[1:4]
    model = ["--model", sys.argv[4]] if len(sys.argv) > 4 else []
    lines = [x for x in pathlib.Path(text).read_text().split("\n") if x.strip()]
    lines = lines[:int(sys.argv[5]) if len(sys.argv) > 5 else None]
    corpus = str(pathlib.Path(folder) / "numpy.regard-corpus")
    subprocess.run([program, "corpus", *model, "--beam", "1", "--sentences", str(len(lines)), "-o",
                    corpus, text], check=True, stdout=subprocess.DEVNULL)
    found = json.loads(subprocess.run([program, "corpus", "show", "--json", corpus], check=True,
                                      capture_output=True).stdout)
    values, scores, offsets, far = {}, {}, {}, {}
    for line in lines:
        c = capture(program, model, line, str(pathlib.Path(folder) / "numpy.npz"))
        for kind in KINDS:
            side = "decoder_input" if kind == "decoder" else "source"
            ids, pieces = c[side + "_ids"], [str(x) for x in c[side + "_tokens"]]
            special = c[side + "_special"] != 0
            bare = [x[1:] if x.startswith("▁") else x for x in pieces]
            punctuation = np.array([len(x) > 0 and set(x) <= PUNCTUATION for x in bare]) & ~special
            rank = np.where(special, -1, ids).astype(float)
            rank[[x == "<unk>" for x in pieces]] = np.inf
            rarest = int(rank.argmax()) if (~special).any() else len(ids)
            a = c[kind + "_attentions"]
            for name, x in measures(kind, a, special, punctuation, rarest).items():
                values.setdefault((kind, name), []).append(x)
            for name, x in roles(kind, a, special, punctuation, rarest).items():
                scores.setdefault((kind, name), []).append(x)
            far[kind] = far.get(kind, 0) + divergences(a)
            if kind != "cross":
                m, rows = a.shape[2], np.arange(a.shape[2])
                for k in range(-8, 9):
                    there = (rows + k >= 0) & (rows + k < m)
                    there &= (k <= 0) | (kind == "encoder")
                    hits = (a.argmax(-1) == rows + k)[..., there].sum(-1)
                    old = offsets.get((kind, k), (0, 0))
                    offsets[kind, k] = old[0] + hits, old[1] + there.sum()
    worst = {"mean": 0, "sd": 0, "skewness": 0, "kurtosis": 0, "least": 0, "most": 0, "role": 0,
             "distance": 0}
    moved = n_bins = wrong_offsets = 0
    for head in found["heads"]:
        kind, place = head["head"].split()
        layer, number = (int(x) - 1 for x in place.split("."))
        expected = {name for (k, name) in values if k == kind}
        assert set(head["measures"]) == expected, (head["head"], set(head["measures"]) ^ expected)
        for name, s in head["measures"].items():
            x = np.array([v[layer, number] for v in values[kind, name]])
            assert s["n"] == len(x)
            d = x - x.mean()
            numbers = {"mean": x.mean(), "sd": x.std(), "least": x.min(), "most": x.max()}
            if x.std() > 1e-3:
                numbers["skewness"] = (d**3).mean() / x.std()**3
                numbers["kurtosis"] = (d**4).mean() / x.std()**4 - 3
            for key, value in numbers.items():
                worst[key] = max(worst[key], abs(s[key] - value))
            x = np.rint(x * 2**30) / 2**30  # as values are added up
            at = np.clip(((x - s["low"]) / (s["high"] - s["low"]) * 50).astype(int), 0, 49)
            moved += abs(np.bincount(at, minlength=50) - np.array(s["bins"])).sum() // 2
            n_bins += len(x)
        for name, r in head["roles"].items():
            x = np.array([v[0][layer, number] for v in scores[kind, name]])
            y = np.array([v[1][layer, number] for v in scores[kind, name]])
            assert r["n"] == len(x), (head["head"], name, r["n"], len(x))
            worst["role"] = max(worst["role"], abs(r["value"] - x.mean()), abs(r["sd"] - x.std()),
                                abs(r["share"] - y.mean()))
        if kind != "cross":
            for k in range(-8, 9):
                hits, rows = offsets[kind, k]
                assert head["offsets"]["rows"][k + 8] == rows
                wrong_offsets += abs(head["offsets"]["hits"][k + 8] - int(hits[layer, number]))
    for kind in KINDS:
        d = np.array(found["distances"][kind], float)
        worst["distance"] = max(worst["distance"], abs(d**2 - far[kind] / len(lines)).max())
    print(f"{len(lines)} sentences, {len(found['heads'])} heads; largest differences:")
    print(", ".join(f"{key} {value:.1e}" for key, value in worst.items()))
    print(f"{moved} of {n_bins} values in another bin, {wrong_offsets} rows at another offset")
    # Captures are of one pass each, the corpus has several sentences in a pass.
    tolerance = {"skewness": 2e-3, "kurtosis": 2e-2, "distance": 3e-6, "role": 2e-4}
    bad = [k for k, v in worst.items() if not v <= tolerance.get(k, 2e-5)]
    if bad or moved > n_bins / 1000 or wrong_offsets > 0.001 * n_bins:
        sys.exit("WRONG: " + ", ".join(bad + ["bins or offsets"] * (not bad)))


main()
