"""Write tests/data/marian: small checkpoints, each as Hugging Face has it (NAME-hf) and as Marian does
(NAME), from the same numbers, so that both must give the same capture, bit for bit.

With --converter FILE, transformers' own convert_marian_to_pytorch.py (no longer part of it; the one of
4.40.2 runs), the plain post-norm folder is converted back and must give the numbers it was made of.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import importlib.util
import pathlib
import shutil
import tempfile

import numpy as np

import checkpoints
import marian_export
import variants

SMALL = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 2,
         "decoder_attention_heads": 2, "encoder_ffn_dim": 12, "decoder_ffn_dim": 12,
         "max_position_embeddings": 512, "max_length": 512, "num_beams": 6}
PLAIN = {"bos_token_id": 0, "length_penalty": 1.0}
SHAPES = {
    # "dan", everything tied: what nearly every OPUS-MT model is.
    "post-norm": {"activation_function": "swish"},
    # "da" after "n", with norms at both ends, and a table of positions.
    "pre-norm": {"normalize_before": True, "add_final_layer_norm": True,
                 "normalize_embedding": True, "static_position_embeddings": False,
                 "scale_embedding": False, "activation_function": "relu",
                 "max_position_embeddings": 40, "max_length": 40, "decoder_ffn_dim": 10,
                 "tie_word_embeddings": False, "length_penalty": 0.6, "num_beams": 3},
    # Two vocabularies, nothing tied.
    "untied": {"share_encoder_decoder_embeddings": False, "tie_word_embeddings": False,
               "activation_function": "gelu"},
}


def vocabularies(name: str) -> tuple:
    source, target, vocab, target_vocab = checkpoints.tokenizer_files(name == "untied")
    if target_vocab:
        # Both end in <pad>; config.json has one id for it, so one is filled up to the other.
        pad = max(len(vocab), len(target_vocab)) - 1
        vocab = checkpoints.with_pad_at(vocab, pad, pad + 1)
        target_vocab = checkpoints.with_pad_at(target_vocab, pad, pad + 1)
    return source, target, vocab, target_vocab


def write_hugging_face(name: str, folder: pathlib.Path):
    source, target, vocab, target_vocab = vocabularies(name)
    size = len(vocab)
    options = dict(checkpoints.BASE | SMALL | PLAIN | SHAPES[name], vocab_size=size,
                   decoder_vocab_size=size, pad_token_id=size - 1,
                   decoder_start_token_id=size - 1, bad_words_ids=[[size - 1]],
                   renormalize_logits=True)
    model = variants.build(options)
    tensors = {k: v.detach().numpy().copy()
               for k, v in variants.parameters(model, options).items()}
    for key, value in tensors.items():
        if "embed_tokens" in key or key in ("model.shared.weight", "lm_head.weight"):
            value[-1] = 0
        if key == "final_logits_bias":
            value[:, -1] = 0
        if key == "model.decoder.embed_positions.weight":
            value[:] = tensors["model.encoder.embed_positions.weight"]
    if options["share_encoder_decoder_embeddings"]:
        # Marian has one matrix for both; transformers 5 does not tie them if the output is not tied.
        for stack in ("encoder", "decoder"):
            key = f"model.{stack}.embed_tokens.weight"
            if key in tensors:
                tensors[key] = tensors["model.shared.weight"]
    folder.mkdir(parents=True, exist_ok=True)
    checkpoints.save_safetensors(folder / "model.safetensors", tensors, "F32")
    checkpoints.write_json(folder / "config.json", options)
    checkpoints.write_json(folder / "vocab.json", vocab, indent=0)
    if target_vocab:
        checkpoints.write_json(folder / "target_vocab.json", target_vocab, indent=0)
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)


def check_against(converter: pathlib.Path, marian: pathlib.Path, original: pathlib.Path):
    """Convert with transformers' own script; compare every number."""
    spec = importlib.util.spec_from_file_location("convert_marian", converter)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "en-de"
        shutil.copytree(marian, copy)
        # It takes max_position_embeddings from dim-emb; nothing else depends on that.
        converted = module.OpusState(copy).load_marian_model().state_dict()
    expected = marian_export.read_weights(original)
    for name, value in expected.items():
        found = converted[name].numpy()
        assert found.shape == value.shape and np.array_equal(found, value), name
    print(f"{len(expected)} tensors, as {converter.name} has them")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--converter", type=pathlib.Path)
    arguments = parser.parse_args()
    root = checkpoints.DATA / "marian"
    for name in SHAPES:
        write_hugging_face(name, root / f"{name}-hf")
        marian_export.save(marian_export.export(root / f"{name}-hf"), root / name)
        print(name)
    # As it is downloaded. The npz in it is compressed once more, so nothing can be used in place.
    marian_export.save(marian_export.export(root / "post-norm-hf"), root / "opus-2020-02-26.zip",
                       deflate=True)
    if arguments.converter:
        check_against(arguments.converter, root / "post-norm", root / "post-norm-hf")
