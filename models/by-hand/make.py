#!/usr/bin/env python3
"""Writes the model that can be followed on paper: its numbers stand here.

    models/by-hand/make.py [FOLDER]        # default: the folder of this file

A Transformer of one layer and one head a stack, four numbers wide, for four words of each language.
Matrices are written as the paper has them, for row vectors, y = x W + b: a row for each number of x.
Every weight is a multiple of one half; models/recipes/by-hand.py found them.

Needs Python 3 alone, and writes the same bytes every time (tests/checks/check-by-hand.sh).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import struct
import sys

PAIRS = (("cat", "Katze"), ("dog", "Hund"), ("bird", "Vogel"), ("fish", "Fisch"))
D = 4  # of the stream, the head and the feed-forward network alike
POSITIONS = 32

# </s> and <unk> first and <pad> last, as in every Marian model.
PIECES = ["</s>", "<unk>", *("▁" + english for english, _ in PAIRS), *("▁" + german for _, german in PAIRS),
          "<pad>"]
EOS, PAD = 0, len(PIECES) - 1

# A row for each piece: its embedding, which is its row of the output map too, and the bias of its logit.
VOCABULARY = """
-0.5    0 -1.5    2    1
   0    0    0    0   -6
   0    1    0 -1.5   -3
   0 -0.5  0.5   -1   -2
   0    1 -0.5 -0.5   -3
   0 -0.5    0    0   -2
   0   -3  0.5    0  1.5
  -3 -1.5    1  1.5  0.5
   1 -0.5   -1 -2.5    1
  -2    1 -0.5   -1  1.5
   0    0    0    0   -6
"""

# All other maps: four rows of weights, and a fifth where there is a bias. The rest of the biases are 0, gains 1.
MAPS = """
encoder self_attn.q_proj
-2.5    0    0    1
-0.5    0    0 -0.5
   0    0    0    0
   0    0    0  0.5
encoder self_attn.k_proj
  -1    0    0   -2
-0.5    0    0 -0.5
   1    0    0    0
 0.5    0    0    0
encoder self_attn.v_proj
   0    0  0.5  0.5
   0    0    0    0
-1.5    0 -0.5    0
-1.5    0    0    0
encoder self_attn.out_proj
   0    0    0    0
-0.5   -1 -0.5 -0.5
   0  0.5    0    0
-0.5 -0.5   -1 -0.5
encoder fc1
  -2   -1    0  0.5
 0.5 -0.5    0    0
 1.5 -0.5    0    0
 0.5    0    0 -0.5
   0    0    0    1
encoder fc2
  -1 -0.5    1    0
 0.5    0 -0.5    1
   0    0    0    0
   0    0    0 -0.5
 0.5    0    0 -0.5
decoder self_attn.q_proj
   0    0 -0.5    0
   0  0.5 -0.5    0
 0.5    0   -2  0.5
-0.5    0  0.5    0
decoder self_attn.k_proj
   0    0    0    0
   0    0    0    0
  -1    1 -1.5    0
   0 -0.5    1    0
decoder self_attn.v_proj
   0    0    0  1.5
   0    0    0    1
   1   -3    0    0
-1.5  1.5    0  1.5
decoder self_attn.out_proj
   0 -0.5    1    0
   1    0 -0.5    0
   0    0    0    0
 0.5    1    0 -1.5
decoder encoder_attn.q_proj
-0.5    0  0.5   -1
 0.5    0 -0.5  0.5
  -1    0 -1.5   -1
-1.5    0    0  0.5
decoder encoder_attn.k_proj
  -2    0    0    0
   0    0    0    1
   1    0    0    0
 0.5    0    1    0
decoder encoder_attn.v_proj
-0.5    0 -0.5    0
   0    0  2.5    0
  -1    0 -0.5    0
 1.5    0    0    0
decoder encoder_attn.out_proj
   1    0 -1.5    0
   0    0    0    0
  -1  1.5   -1    1
   0    0    0    0
decoder fc1
-1.5  0.5 -1.5  0.5
   1   -1    0   -1
-0.5    1  1.5    0
 0.5 -0.5  0.5    2
   0    0 -0.5  0.5
decoder fc2
   2    0    0 -1.5
  -1    2    0 -0.5
   0   -2    0    1
   0    0 -1.5    1
  -1    0    0    1
"""

# ---- Files --------------------------------------------------------------------------------------


def read_maps() -> dict:
    """Name -> rows of numbers."""
    found = {}
    for line in MAPS.strip().splitlines():
        if line[0].isalpha():
            rows = found.setdefault(line.replace(" ", ".layers.0."), [])
        else:
            rows.append([float(word) for word in line.split()])
    return found


def tensors() -> dict:
    """Name in the checkpoint -> (shape, numbers). A linear map is stored [out][in]."""
    vocabulary = [[float(word) for word in line.split()] for line in VOCABULARY.strip().splitlines()]
    found = {"model.shared.weight": ([len(PIECES), D], [number for row in vocabulary for number in row[:D]]),
             "final_logits_bias": ([1, len(PIECES)], [row[D] for row in vocabulary])}
    for name, rows in read_maps().items():
        columns = zip(*rows[:D])
        found[f"model.{name}.weight"] = ([D, D], [number for column in columns for number in column])
        found[f"model.{name}.bias"] = ([D], rows[D] if len(rows) > D else [0.0] * D)
    for norm in ("encoder.layers.0.self_attn", "encoder.layers.0.final", "decoder.layers.0.self_attn",
                 "decoder.layers.0.encoder_attn", "decoder.layers.0.final"):
        found[f"model.{norm}_layer_norm.weight"] = ([D], [1.0] * D)
        found[f"model.{norm}_layer_norm.bias"] = ([D], [0.0] * D)
    return found


def safetensors() -> bytes:
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (shape, numbers) in sorted(tensors().items()):
        part = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def sentencepiece() -> bytes:
    """A unigram model (sentencepiece_model.proto) that knows whole words and changes no letter."""
    def varint(number: int) -> bytes:
        out = b""
        while number > 127:
            out += bytes([number % 128 + 128])
            number //= 128
        return out + bytes([number])

    def field(number: int, value) -> bytes:
        if isinstance(value, int):
            return varint(number * 8) + varint(value)
        if isinstance(value, float):
            return varint(number * 8 + 5) + struct.pack("<f", value)
        return varint(number * 8 + 2) + varint(len(value)) + value

    normal, unknown, control = 1, 2, 3
    pieces = [("<unk>", 0.0, unknown), ("<s>", 0.0, control), ("</s>", 0.0, control)]
    pieces += [(piece, -1.0, normal) for piece in PIECES if piece.startswith("▁")]
    out = b"".join(field(1, field(1, piece.encode()) + field(2, score) + field(3, kind))
                   for piece, score, kind in pieces)
    unigram = 1
    out += field(2, field(3, unigram) + field(4, len(pieces)))  # trainer_spec
    # normalizer_spec: a space before the first word, no two in a row, and they are part of words.
    return out + field(3, field(1, b"identity") + field(3, 1) + field(4, 1) + field(5, 1))


def config() -> dict:
    return {
        "model_type": "marian", "architectures": ["MarianMTModel"],
        "activation_function": "relu", "d_model": D,
        "vocab_size": len(PIECES), "decoder_vocab_size": len(PIECES),
        "encoder_layers": 1, "encoder_attention_heads": 1, "encoder_ffn_dim": D,
        "decoder_layers": 1, "decoder_attention_heads": 1, "decoder_ffn_dim": D,
        "max_position_embeddings": POSITIONS, "static_position_embeddings": True,
        "scale_embedding": True, "normalize_before": False, "normalize_embedding": False,
        "add_final_layer_norm": False, "share_encoder_decoder_embeddings": True,
        "tie_word_embeddings": True, "is_encoder_decoder": True, "dropout": 0.0,
        **generation(), "torch_dtype": "float32",
    }


def generation() -> dict:
    return {"bad_words_ids": [[PAD]], "bos_token_id": EOS, "decoder_start_token_id": PAD, "eos_token_id": EOS,
            "forced_eos_token_id": EOS, "max_length": POSITIONS, "num_beams": 4, "pad_token_id": PAD}


def write(folder: pathlib.Path) -> None:
    def put_json(name: str, value) -> None:
        text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8")

    put_json("config.json", config())
    put_json("generation_config.json", generation())
    put_json("tokenizer_config.json", {"source_lang": "en", "target_lang": "de", "model_max_length": POSITIONS})
    put_json("vocab.json", {piece: number for number, piece in enumerate(PIECES)})
    (folder / "model.safetensors").write_bytes(safetensors())
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(sentencepiece())


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent))
