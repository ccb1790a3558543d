"""Golden buckets of relative positions: tests/data/relative.safetensors.

What T5 of transformers says of distances from -3000 to 3000, for several numbers of buckets and
largest distances. "encoder.<n>.<m>" and "decoder.<n>.<m>" are rows (distance, bucket), one for each
distance that has another bucket than the one before it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers.models.t5.modeling_t5 import T5Attention

import checkpoints

MOST = 3000
SHAPES = [(32, 128), (32, 256), (64, 128), (8, 20), (32, 1024)]

if __name__ == "__main__":
    tensors = {}
    distances = torch.arange(-MOST, MOST + 1)
    for stack, both in (("encoder", True), ("decoder", False)):
        for n, most in SHAPES:
            buckets = T5Attention._relative_position_bucket(
                distances, bidirectional=both, num_buckets=n, max_distance=most).numpy()
            first = np.flatnonzero(np.diff(buckets, prepend=-1))
            rows = np.stack([distances.numpy()[first], buckets[first]], axis=1)
            tensors[f"{stack}.{n}.{most}"] = rows.astype(np.int32)
    save_file(tensors, checkpoints.DATA / "relative.safetensors")
