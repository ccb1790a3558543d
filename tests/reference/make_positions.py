"""Golden rows of position tables: tests/data/positions.safetensors.

"halves.<d>" and "interleaved.<d>" are rows "rows" of the sinusoids, from the paper's formula in
double; "fairseq.<d>" likewise of M2M-100's, which are checked against transformers' own; "table" is
what transformers built for the bundled model, rows "table.rows".

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import MarianMTModel
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding

import checkpoints

ROWS = [0, 1, 2, 3, 17, 63, 64, 255, 511, 1023]
TABLE_ROWS = [0, 1, 2, 50, 127, 300, 511]

if __name__ == "__main__":
    tensors = {"rows": np.array(ROWS, np.int32), "table.rows": np.array(TABLE_ROWS, np.int32)}
    for d in (2, 10, 256, 512):
        angle = np.array(ROWS)[:, None] / 10000.0 ** (2 * np.arange(d // 2)[None, :] / d)
        sines, cosines = np.sin(angle), np.cos(angle)
        tensors[f"halves.{d}"] = np.concatenate([sines, cosines], axis=1).astype(np.float32)
        tensors[f"interleaved.{d}"] = np.stack([sines, cosines], axis=2).reshape(
            len(ROWS), d).astype(np.float32)
        if d in (10, 256):
            half = d // 2
            angle = np.array(ROWS)[:, None] * np.exp(
                -np.arange(half) * np.log(10000) / (half - 1))[None, :]
            table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
            theirs = M2M100SinusoidalPositionalEmbedding.get_embedding(max(ROWS) + 1, d)[ROWS]
            assert np.allclose(table, theirs.numpy(), rtol=0, atol=1e-4), d
            tensors[f"fairseq.{d}"] = table.astype(np.float32)
    model = MarianMTModel.from_pretrained(checkpoints.BUNDLED, dtype=torch.float32)
    tensors["table"] = model.model.encoder.embed_positions.weight.detach().numpy()[TABLE_ROWS]
    save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()},
              checkpoints.DATA / "positions.safetensors")
