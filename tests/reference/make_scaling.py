"""Golden points of classical scaling: tests/data/scaling.safetensors, by numpy.linalg.eigh in double.

For each case "<name>.distances" [n][n], "<name>.points" [n][2] and "<name>.share": of points of a
plane ("plane"), of a space of seven dimensions ("space"), and of Jensen-Shannon distances between
random distributions ("shannon", the square root of the divergence in bits), as the map of heads has.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import pathlib

import numpy as np
from safetensors.numpy import save_file

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


def jensen_shannon(p):
    def entropy(q):
        return -(q * np.log2(np.maximum(q, 1e-300))).sum(-1)

    mean = (p[:, None] + p[None]) / 2
    h = entropy(p)
    return np.sqrt(np.maximum(entropy(mean) - (h[:, None] + h[None]) / 2, 0))


def scale(d):
    n = len(d)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ (d * d) @ centre)
    points = vectors[:, [-1, -2]] * np.sqrt(values[[-1, -2]])
    return points * np.sign((points**3).sum(0)), values[-2:].sum() / values.sum()


if __name__ == "__main__":
    random = np.random.default_rng(25)
    points = {"plane": random.normal(size=(9, 2)) * [3, 1], "space": random.normal(size=(40, 7))}
    cases = {k: np.linalg.norm(p[:, None] - p[None], axis=-1) for k, p in points.items()}
    cases["shannon"] = jensen_shannon(random.dirichlet(np.full(12, 0.3), size=60))
    tensors = {}
    for name, d in cases.items():
        d = d.astype(np.float32).astype(np.float64)  # what the file holds is what is scaled
        np.fill_diagonal(d, 0)
        place, share = scale(d)
        tensors[f"{name}.distances"] = d.astype(np.float32)
        tensors[f"{name}.points"] = place.astype(np.float32)
        tensors[f"{name}.share"] = np.array([share], np.float32)
    save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()},
              DATA / "scaling.safetensors")
