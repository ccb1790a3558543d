#!/usr/bin/env python3
"""A model with other pieces: its layers stay, each new piece begins as the mean of the old ones it is cut into.

    pip install numpy sentencepiece safetensors
    models/recipes/everyday/transplant.py OLD TOKENIZER OUTPUT

OLD is a model with one vocabulary for both languages, TOKENIZER a folder that regard-train prepare wrote.
OUTPUT gets a model for `fit --start-from`. A new piece that is an old one keeps its embedding and its bias;
another is cut into old pieces as their unigram model would cut it, and begins with the mean of their
embeddings (Gee et al. 2022, "Fast Vocabulary Transfer", section 3). `<pad>` is zero.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import shutil
import sys

import numpy
import safetensors.numpy
import sentencepiece

COPIES_OF_EMBEDDING = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")


def cut(piece, scores, longest):
    """The likeliest way to write a piece as old pieces; characters that the old ones lack are left out."""
    best = [(0.0, [])]
    for end in range(1, len(piece) + 1):
        ways = [(best[end - 1][0] - 100.0, best[end - 1][1])]
        for start in range(max(0, end - longest), end):
            part = piece[start:end]
            if part in scores:
                ways.append((best[start][0] + scores[part], best[start][1] + [part]))
        best.append(max(ways, key=lambda way: way[0]))
    return best[-1][1]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    old, tokenizer, output = map(pathlib.Path, sys.argv[1:])
    ids = json.loads((old / "vocab.json").read_text())
    pieces = json.loads((tokenizer / "vocab.json").read_text())
    model = sentencepiece.SentencePieceProcessor(model_file=str(old / "source.spm"))
    scores = {
        model.id_to_piece(i): model.get_score(i)
        for i in range(model.get_piece_size())
        if not (model.is_control(i) or model.is_unknown(i)) and model.id_to_piece(i) in ids
    }
    longest = max(map(len, scores))

    tensors = safetensors.numpy.load_file(old / "model.safetensors")
    table = tensors["model.shared.weight"].astype(numpy.float32)
    bias = tensors["final_logits_bias"].astype(numpy.float32).reshape(-1)
    new_table = numpy.zeros((len(pieces), table.shape[1]), numpy.float32)
    new_bias = numpy.zeros(len(pieces), numpy.float32)
    kept = 0
    for piece, row in pieces.items():
        parts = [piece] if piece in ids else cut(piece, scores, longest)
        rows = [ids[part] for part in parts] or [ids["<unk>"]]
        kept += piece in ids
        new_table[row] = table[rows].mean(axis=0)
        new_bias[row] = bias[rows].mean()
    new_table[pieces["<pad>"]] = 0

    tensors["model.shared.weight"] = new_table
    tensors["final_logits_bias"] = new_bias.reshape(1, -1)
    for name in COPIES_OF_EMBEDDING:
        if name in tensors:
            tensors[name] = new_table
    output.mkdir(parents=True)
    safetensors.numpy.save_file(
        {name: numpy.ascontiguousarray(t, numpy.float32) for name, t in tensors.items()},
        output / "model.safetensors",
        metadata={"format": "pt"},
    )
    config = json.loads((old / "config.json").read_text())
    config.update(vocab_size=len(pieces), decoder_vocab_size=len(pieces), torch_dtype="float32")
    for key in ("pad_token_id", "decoder_start_token_id"):
        config[key] = pieces["<pad>"]
    config["bad_words_ids"] = [[pieces["<pad>"]]]
    generation = json.loads((old / "generation_config.json").read_text())
    for key in ("pad_token_id", "decoder_start_token_id", "bad_words_ids"):
        if key in generation:
            generation[key] = config[key]
    (output / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (output / "generation_config.json").write_text(json.dumps(generation, indent=1) + "\n")
    for name in ("source.spm", "target.spm", "vocab.json"):
        shutil.copy(tokenizer / name, output / name)
    shutil.copy(old / "tokenizer_config.json", output / "tokenizer_config.json")
    print(f"{len(pieces)} pieces, {kept} of them old ones", file=sys.stderr)


if __name__ == "__main__":
    main()
