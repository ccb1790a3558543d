"""Golden loss and gradients of one training batch: tests/data/train-gradients.safetensors.

A Transformer written here from the papers with PyTorch's own functions, in float64 with autograd,
padded and masked as one does there; nothing of it is shared with Regard's C, which packs sentences
and has its derivatives by hand. For each variant the file has

    NAME.loss       sum over target tokens of the smoothed loss, and of -ln p of the answers
    NAME.gradient   all gradients, tensors in the order of their names, one after the other

and, of R-Drop (Liang et al. 2021) on logits of two passes, r-drop.logits [2][rows][words], r-drop.loss
(the sum over rows of both) and r-drop.gradient.

Parameters come from a hash of their names (weights.integers), times 2^-8, plus 1 for gains.

    make_train.py [FILE]

SPDX-License-Identifier: GPL-3.0-or-later
"""

import math
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file

import weights

D, HEADS, FFN, VOCABULARY, POSITIONS, LAYERS = 8, 2, 12, 13, 16, 2
EPSILON = 1e-5
ACTIVATIONS = {"relu": F.relu, "silu": F.silu, "gelu": F.gelu}

# As tests/train/test-network-golden.c has them.
VARIANTS = {
    "post-norm-relu": {"activation": "relu", "smoothing": 0.1},
    "deepnorm": {"activation": "relu", "smoothing": 0.1, "deepnorm": True},
    "pre-norm-gelu": {"activation": "gelu", "pre": True},
    "silu-learned": {"activation": "silu", "learned": True, "smoothing": 0.2, "untied": True},
    "window": {"activation": "relu", "window": 2},
    "pre-norm-window-learned": {"activation": "silu", "pre": True, "window": 1, "learned": True},
}

# Ids of source and answer; the decoder reads the last id of the vocabulary first.
BATCH = [
    ([3, 1, 4, 1, 5, 9, 2, 6, 0], [5, 3, 5, 8, 9, 7, 0]),
    ([0], [0]),
    ([2, 7, 1, 8, 0], [2, 8, 1, 8, 2, 8, 4, 5, 9, 0]),
    ([1, 4, 0], [1, 7, 3, 0]),
]


def shapes(variant):
    """Name -> shape of every parameter."""
    named = {"model.shared.weight": (VOCABULARY, D), "final_logits_bias": (1, VOCABULARY)}

    if variant.get("untied"):
        named["lm_head.weight"] = (VOCABULARY, D)

    def linear(name, n_out, n_in):
        named[f"{name}.weight"], named[f"{name}.bias"] = (n_out, n_in), (n_out,)

    def norm(name):
        named[f"{name}.weight"], named[f"{name}.bias"] = (D,), (D,)

    for stack in ("encoder", "decoder"):
        if variant.get("learned"):
            named[f"model.{stack}.embed_positions.weight"] = (POSITIONS, D)
        if variant.get("pre"):
            norm(f"model.{stack}.layer_norm")
        for layer in range(LAYERS):
            prefix = f"model.{stack}.layers.{layer}."
            for attention in ["self_attn"] + ["encoder_attn"] * (stack == "decoder"):
                for p in "qkv":
                    linear(f"{prefix}{attention}.{p}_proj", D, D)
                linear(f"{prefix}{attention}.out_proj", D, D)
                norm(f"{prefix}{attention}_layer_norm")
            linear(f"{prefix}fc1", FFN, D)
            linear(f"{prefix}fc2", D, FFN)
            norm(f"{prefix}final_layer_norm")
    return named


def parameter(name, shape):
    v = weights.integers(name, int(np.prod(shape))).reshape(shape) / 256
    return torch.tensor(v + ("norm" in name and name.endswith("weight")), dtype=torch.float64,
                        requires_grad=True)


class Reference:
    def __init__(self, variant):
        self.variant = variant
        self.p = {name: parameter(name, shape) for name, shape in shapes(variant).items()}

    def linear(self, name, x):
        return F.linear(x, self.p[f"{name}.weight"], self.p[f"{name}.bias"])

    def norm(self, name, x, epsilon=EPSILON):
        return F.layer_norm(x, (D,), self.p[f"{name}.weight"], self.p[f"{name}.bias"], epsilon)

    def residual(self, stack):
        """DeepNorm's alpha, Wang et al. 2022, table 2 (encoder-decoder)."""
        if not self.variant.get("deepnorm"):
            return 1
        if stack == "encoder":
            return 0.81 * (LAYERS**4 * LAYERS) ** (1 / 16)
        return (3 * LAYERS) ** (1 / 4)

    def embed(self, stack, ids):
        n = ids.shape[1]
        if self.variant.get("learned"):
            positions = self.p[f"model.{stack}.embed_positions.weight"][:n]
        else:
            angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, D, 2) / D).double()
            # Regard's table is made of floats.
            positions = torch.cat([angle.sin(), angle.cos()], 1).float().double()
        return math.sqrt(D) * F.embedding(ids, self.p["model.shared.weight"]) + positions

    def attention(self, name, x, memory, mask):
        def heads(y):
            return y.view(*y.shape[:2], HEADS, D // HEADS).transpose(1, 2)

        q, k, v = (heads(self.linear(f"{name}.{p}_proj", y))
                   for p, y in (("q", x), ("k", memory), ("v", memory)))
        scores = q @ k.transpose(2, 3) / math.sqrt(D // HEADS)
        a = scores.masked_fill(~mask[:, None], -math.inf).softmax(-1)
        return self.linear(f"{name}.out_proj", (a @ v).transpose(1, 2).flatten(2))

    def sub_layer(self, stack, norm, x, f):
        if self.variant.get("pre"):
            return x + f(self.norm(norm, x))
        alpha = self.residual(stack)
        # LN(alpha x + f) with the epsilon of LN(x + f / alpha), which is what the file has.
        return self.norm(norm, alpha * x + f(x), EPSILON * alpha**2)

    def stack(self, stack, ids, self_mask, memory=None, cross_mask=None):
        x = self.embed(stack, ids)
        n = ids.shape[1]
        if self.variant.get("window"):
            i = torch.arange(n)
            self_mask = self_mask & ((i[:, None] - i).abs() <= self.variant["window"])
        # A row of padding sees itself, so that it is a number; nothing reads it.
        self_mask = self_mask | torch.eye(n, dtype=torch.bool)
        activation = ACTIVATIONS[self.variant["activation"]]
        for layer in range(LAYERS):
            p = f"model.{stack}.layers.{layer}."
            x = self.sub_layer(stack, f"{p}self_attn_layer_norm", x,
                               lambda y: self.attention(f"{p}self_attn", y, y, self_mask))
            if memory is not None:
                x = self.sub_layer(stack, f"{p}encoder_attn_layer_norm", x,
                                   lambda y: self.attention(f"{p}encoder_attn", y, memory,
                                                            cross_mask))
            x = self.sub_layer(stack, f"{p}final_layer_norm", x, lambda y: self.linear(
                f"{p}fc2", activation(self.linear(f"{p}fc1", y))))
        return self.norm(f"model.{stack}.layer_norm", x) if self.variant.get("pre") else x

    def loss(self):
        source = pad([s for s, _ in BATCH], 0)
        answer = pad([t for _, t in BATCH], -100)
        target = pad([[VOCABULARY - 1] + t[:-1] for _, t in BATCH], 0)
        there = pad([[1] * len(s) for s, _ in BATCH], 0).bool()[:, None]
        causal = torch.ones(target.shape[1], target.shape[1]).tril().bool()[None]
        memory = self.stack("encoder", source, there)
        h = self.stack("decoder", target, causal, memory, there)
        output = self.p.get("lm_head.weight", self.p["model.shared.weight"])
        logits = F.linear(h, output) + self.p["final_logits_bias"]
        logits, answer = logits.flatten(0, 1), answer.flatten()
        smoothing = self.variant.get("smoothing", 0.0)
        return (F.cross_entropy(logits, answer, reduction="sum", label_smoothing=smoothing),
                F.cross_entropy(logits, answer, reduction="sum"))


def r_drop(alpha=5.0, smoothing=0.1, rows=5, words=37):
    """Both passes' losses and alpha / 2 times their divergences, as the authors' code has it."""
    logits = torch.tensor(weights.integers("r-drop", 2 * rows * words).reshape(2, rows, words) / 32,
                          dtype=torch.float64, requires_grad=True)
    answer = torch.arange(rows) * 7 % words
    first, second = logits.log_softmax(-1)
    plain = sum(F.cross_entropy(z, answer, reduction="sum", label_smoothing=smoothing)
                for z in logits)
    divergence = (F.kl_div(second, first, reduction="sum", log_target=True) +
                  F.kl_div(first, second, reduction="sum", log_target=True))
    loss = plain + alpha / 2 * divergence
    loss.backward()
    return {"r-drop.logits": logits.detach().float().numpy(),
            "r-drop.loss": np.array([loss.item()], dtype=np.float32),
            "r-drop.gradient": logits.grad.float().numpy()}


def pad(rows, value):
    n = max(map(len, rows))
    return torch.tensor([row + [value] * (n - len(row)) for row in rows])


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(
        __file__).parent.parent / "data" / "train-gradients.safetensors"
    tensors = {}
    for name, variant in VARIANTS.items():
        reference = Reference(variant)
        smoothed, plain = reference.loss()
        smoothed.backward()
        tensors[f"{name}.loss"] = np.array([smoothed.item(), plain.item()], dtype=np.float32)
        tensors[f"{name}.gradient"] = torch.cat(
            [reference.p[n].grad.flatten() for n in sorted(reference.p)]).float().numpy()
        print(name, smoothed.item(), plain.item(), tensors[f"{name}.gradient"].size)
    tensors |= r_drop()
    save_file(tensors, path)


if __name__ == "__main__":
    main()
