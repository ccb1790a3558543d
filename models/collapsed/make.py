#!/usr/bin/env python3
"""Writes the model whose tokens collapse: what goes wrong where every head looks everywhere.

    models/collapsed/make.py [FOLDER]      # default: the folder of this file

Vocabulary, tokenizer and writing are those of models/by-hand. In the encoder all queries and keys are 0, so that
each head looks at all tokens alike, and what it adds is their mean, STRENGTH times; the feed-forward networks
add nothing. After each layer norm the tokens are more alike.

Needs Python 3 alone, and writes the same bytes every time (tests/checks/check-by-hand.sh).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("by_hand", HERE.parent / "by-hand" / "make.py")
sys.dont_write_bytecode = True
by_hand = importlib.util.module_from_spec(spec)
spec.loader.exec_module(by_hand)

D, LAYERS, STRENGTH = 8, 6, 1.0


def embeddings() -> list:
    """A row for each piece: the signs of Hadamard's matrix, of which each two rows differ in half."""
    def sign(row: int, column: int) -> float:
        return -1.0 if bin(row & column).count("1") % 2 else 1.0

    rows = []
    for number, piece in enumerate(by_hand.PIECES):
        row = number % D
        rows.append([(sign(row, column) if column != D - 1 - row else 0.5) * (0.0 if piece == "<pad>" else 1.0)
                     for column in range(D)])
    return rows


def diagonal(number: float) -> list:
    return [number if row == column else 0.0 for row in range(D) for column in range(D)]


def tensors() -> dict:
    """Name in the checkpoint -> (shape, numbers)."""
    pieces = len(by_hand.PIECES)
    found = {"model.shared.weight": ([pieces, D], [number for row in embeddings() for number in row]),
             "final_logits_bias": ([1, pieces], [0.0] * pieces)}

    def put(name: str, numbers: list) -> None:
        found[f"model.{name}.weight"] = ([D, D], numbers)
        found[f"model.{name}.bias"] = ([D], [0.0] * D)

    def put_norm(name: str) -> None:
        found[f"model.{name}_layer_norm.weight"] = ([D], [1.0] * D)
        found[f"model.{name}_layer_norm.bias"] = ([D], [0.0] * D)

    stacks = (("encoder", LAYERS, ("self_attn",)), ("decoder", 1, ("self_attn", "encoder_attn")))
    for stack, layers, attentions in stacks:
        for layer in range(layers):
            for attention in attentions:
                name = f"{stack}.layers.{layer}.{attention}"
                put(f"{name}.q_proj", diagonal(0.0))
                put(f"{name}.k_proj", diagonal(0.0))
                put(f"{name}.v_proj", diagonal(1.0))
                put(f"{name}.out_proj", diagonal(STRENGTH))
                put_norm(name)
            put(f"{stack}.layers.{layer}.fc1", diagonal(1.0))
            put(f"{stack}.layers.{layer}.fc2", diagonal(0.0))
            put_norm(f"{stack}.layers.{layer}.final")
    return found


def config() -> dict:
    return {**plain_config(), "d_model": D, "encoder_layers": LAYERS, "encoder_attention_heads": 2,
            "encoder_ffn_dim": D, "decoder_attention_heads": 2, "decoder_ffn_dim": D}


plain_config = by_hand.config
by_hand.tensors, by_hand.config = tensors, config

if __name__ == "__main__":
    by_hand.write(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
