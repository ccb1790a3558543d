"""The shape of the published OPUS-MT models (d 512, 6+6 layers, 8 heads, swish, 54,688 pieces), with
weights from the hash. tests/engine/hash-weights.c writes the same checkpoint, so that 144 MB need
not be kept anywhere.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import pathlib

import checkpoints
import variants

VOCAB_SIZE = 54688
STRIDE = 337  # the pieces of the tiny vocabulary are spread over the large one: coprime, see below

CONFIG = dict(
    checkpoints.BASE, activation_function="swish", d_model=512, encoder_layers=6, decoder_layers=6,
    encoder_attention_heads=8, decoder_attention_heads=8, encoder_ffn_dim=2048,
    decoder_ffn_dim=2048, max_position_embeddings=512, max_length=512, vocab_size=VOCAB_SIZE,
    decoder_vocab_size=VOCAB_SIZE, pad_token_id=VOCAB_SIZE - 1,
    decoder_start_token_id=VOCAB_SIZE - 1, bad_words_ids=[[VOCAB_SIZE - 1]])


def vocabulary() -> dict:
    """</s> 0, <unk> 1, the tiny vocabulary's other pieces at 2, 339, 676 …, fillers between."""
    _, _, tiny, _ = checkpoints.tokenizer_files(False)
    by_id = sorted((i, piece) for piece, i in tiny.items() if piece != "<pad>")
    vocab = {"</s>": 0, "<unk>": 1, "<pad>": VOCAB_SIZE - 1}
    vocab.update({piece: 2 + (i - 2) * STRIDE for i, piece in by_id if i >= 2})
    used = set(vocab.values())
    vocab.update({f"<filler{i}>": i for i in range(VOCAB_SIZE) if i not in used})
    return vocab


def save_tokenizer(folder: pathlib.Path):
    source, target, _, _ = checkpoints.tokenizer_files(False)
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    checkpoints.write_json(folder / "vocab.json", vocabulary(), indent=0)
    checkpoints.write_json(folder / "config.json", CONFIG)
    checkpoints.write_json(folder / "tokenizer_config.json",
                           {"source_lang": "en", "target_lang": "de"})


def build():
    return variants.build(CONFIG)
