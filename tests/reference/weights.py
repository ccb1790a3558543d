"""Weights from a hash: the same numbers in Python and in C, so that a checkpoint of a real size
need not be stored anywhere to be tested.

Element i of a tensor is an 8-bit integer drawn by hashing the tensor's name and i, times a power
of two. Such a number is exact in F32, F16 and BF16, so one set of golden results serves every
storage type. tests/engine/hash-weights.c is the twin of this file.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

BLOCK = 1 << 22  # elements that are drawn at a time: a large tensor takes little more memory than its own

def fnv1a(name: str) -> int:
    """32-bit FNV-1a of the UTF-8 bytes of a name."""
    h = 0x811C9DC5
    for byte in name.encode():
        h = ((h ^ byte) * 0x01000193) & 0xFFFFFFFF
    return h


def integers(name: str, n: int, first: int = 0) -> np.ndarray:
    """n integers from number `first` on, uniform in -128..127: murmur3's finaliser over fnv1a(name) +
    i * golden ratio."""
    i = np.arange(first, first + n, dtype=np.uint64)
    x = (i * 0x9E3779B1 + fnv1a(name)) & 0xFFFFFFFF
    x ^= x >> np.uint64(16)
    x = (x * 0x85EBCA6B) & 0xFFFFFFFF
    x ^= x >> np.uint64(13)
    x = (x * 0xC2B2AE35) & 0xFFFFFFFF
    x ^= x >> np.uint64(16)
    return (x >> np.uint64(24)).astype(np.int64) - 128


def exponent(name: str, shape: tuple) -> int:
    """log2 of the scale: uniform integers in ±128 have deviation 74, so a matrix with n_in columns
    and scale 2^-k gives outputs of deviation 74 * sqrt(n_in) / 2^k, wanted near 1; queries and
    keys get twice that, so that attention has peaks."""
    if name.endswith("bias"):
        return 10
    if "embed" in name or "shared" in name or "lm_head" in name:
        return 11 if shape[-1] >= 256 else 9
    k = 6 + (int(shape[-1]).bit_length() - 1 + 1) // 2
    return k - 1 if ".q_proj." in name or ".k_proj." in name else k


def tensor(name: str, shape: tuple) -> np.ndarray:
    """float32 tensor of a given name and shape."""
    out = np.empty(int(np.prod(shape)), np.float32)
    for first in range(0, out.size, BLOCK):
        v = integers(name, min(BLOCK, out.size - first), first)
        if "norm" in name and name.endswith("weight"):
            v = 1.0 + (v >> 4) / 64.0  # a gain: 0.875 .. 1.109
        else:
            v = v * 2.0 ** -exponent(name, shape)
        out[first:first + BLOCK] = v
    return out.reshape(shape)
