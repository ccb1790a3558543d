"""Give a published model's tokenizer a checkpoint of its own: its vocabulary and SentencePiece files
with one tiny layer of hash weights, so that the engine opens it without hundreds of megabytes.

    stub_checkpoint.py MODEL_DIR OUT_DIR

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import shutil
import sys

import checkpoints
import variants

if __name__ == "__main__":
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    options = json.loads((source / "config.json").read_text(encoding="utf-8"))
    options.update(
        d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, num_hidden_layers=1)
    for file in ("vocab.json", "source.spm", "target.spm", "tokenizer_config.json"):
        shutil.copyfile(source / file, out / file)
    checkpoints.write_json(out / "config.json", options)
    kept = {k: options[k] for k in options if k in checkpoints.BASE or k in (
        "vocab_size", "decoder_vocab_size", "pad_token_id", "decoder_start_token_id")}
    model = variants.build(kept)
    tensors = {k: v.detach().numpy() for k, v in variants.parameters(model, kept).items()}
    checkpoints.save_safetensors(out / "model.safetensors", tensors, "F16")
