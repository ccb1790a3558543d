"""Golden error rates: tests/data/aer.json.

Gold alignments and answers that were drawn, as lines of Pharaoh; AER, precision and recall of each
answer by the definitions of Och & Ney 2003, and its bootstrap interval by numpy: samples of sentences
from the same numbers as mt_bootstrap_draw, written here once more from the published SplitMix64.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import random

import numpy as np

N_SENTENCES, N_SAMPLES, SEED = 40, 300, 7
MASK = (1 << 64) - 1


def mix(state):
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def draw_links(rng, n_source, n_target, density):
    return {(s, t) for t in range(n_target) for s in range(n_source)
            if rng.random() < (density if abs(s - t) < 2 else density / 20)}


def line(links, possible=frozenset()):
    return " ".join(f"{s}{'p' if (s, t) in possible else '-'}{t}"
                    for t, s in sorted((t, s) for s, t in links))


def counts(answer, sure, possible):
    return np.array([len(answer), len(sure), len(answer & sure), len(answer & (possible | sure))])


def rates(sums):
    a, s, a_s, a_p = (float(x) for x in sums)
    return 1 - (a_s + a_p) / (a + s), a_p / a, a_s / s


def main():
    rng = random.Random(20)
    gold, answers = [], {"good": [], "poor": [], "few": []}
    for _ in range(N_SENTENCES):
        shape = rng.randint(1, 14), rng.randint(1, 14)
        sure = draw_links(rng, *shape, 0.4)
        possible = draw_links(rng, *shape, 0.2) - sure
        gold.append((sure, possible))
        answers["good"].append({link for link in sure | possible if rng.random() < 0.8} |
                               draw_links(rng, *shape, 0.05))
        answers["poor"].append(draw_links(rng, *shape, 0.3))
        answers["few"].append({link for link in sure if rng.random() < 0.1})
    draws = np.array([[mix(mix(mix(SEED) + k & MASK) + d & MASK) % N_SENTENCES
                       for d in range(N_SENTENCES)] for k in range(N_SAMPLES)])
    result = {"seed": SEED, "samples": N_SAMPLES,
              "gold": [line(s | p, p) for s, p in gold], "answers": {}}
    for name, links in answers.items():
        each = np.array([counts(a, *g) for a, g in zip(links, gold)])
        aer, precision, recall = rates(each.sum(0))
        samples = [rates(each[d].sum(0))[0] for d in draws]
        low, high = np.quantile(samples, [0.025, 0.975])
        result["answers"][name] = {"links": [line(a) for a in links], "aer": aer,
                                   "precision": precision, "recall": recall,
                                   "low": float(low), "high": float(high)}
    out = pathlib.Path(__file__).parent.parent / "data" / "aer.json"
    out.write_text(json.dumps(result, indent=1) + "\n")
    print(out.name, {n: round(100 * a["aer"], 1) for n, a in result["answers"].items()})


if __name__ == "__main__":
    main()
