"""Models of the real sizes of other families, with weights from a hash, as save_pretrained writes them.

    write_shape.py SHAPE FOLDER [--tokenizer FOLDER] [--dtype float16]

SHAPE: m2m-418m is M2M-100's (12 + 12 layers, d 1,024, 128,112 rows: 1.9 GB), flan-small and flan-base are
Flan-T5's (0.3 and 1.0 GB). The pieces are those of the bundled model, with others behind them that no text
has, so that texts have as many tokens as with a real tokenizer; --tokenizer takes the tokenizer files of a
real model instead. Needs torch, transformers and sentencepiece.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import pathlib
import shutil
import sys

import torch
from sentencepiece import sentencepiece_model_pb2

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/reference"))
import families  # noqa: E402 the folder is known only now

FLAN = families.GATED | {"d_kv": 64, "vocab_size": 32128, "decoder_start_token_id": 0, "pad_token_id": 0,
                         "eos_token_id": 1}
# name -> (kind of tokenizer, special pieces, pieces, model_type, configuration)
FAIRSEQ_PIECES, T5_PIECES = ("<unk>", "<s>", "</s>"), ("<pad>", "</s>", "<unk>")
SHAPES = {
    "m2m-418m": ("m2m", FAIRSEQ_PIECES, 128003, "m2m_100", {
        "d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16,
        "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096,
        "max_position_embeddings": 1024, "vocab_size": 128112, "scale_embedding": True,
        "activation_function": "relu"}),
    "flan-small": ("t5", T5_PIECES, 32000, "t5", FLAN | {
        "d_model": 512, "d_ff": 1024, "num_layers": 8, "num_heads": 6}),
    "flan-base": ("t5", T5_PIECES, 32000, "t5", FLAN | {
        "d_model": 768, "d_ff": 2048, "num_layers": 12, "num_heads": 12}),
}


def padded(special, n_pieces) -> bytes:
    """The bundled model's pieces behind the special ones of a family, and fillers behind them."""
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString((ROOT / "models/en-de/source.spm").read_bytes())
    ordinary = [(p.piece, p.score) for p in model.pieces if p.type == p.NORMAL]
    lowest = min(score for _, score in ordinary)
    fillers = n_pieces - len(special) - len(ordinary)
    assert fillers >= 0, fillers
    ordinary += [(f"▁filler{i}", lowest - 1) for i in range(fillers)]
    del model.pieces[:]
    for piece in special:
        kind = model.SentencePiece.UNKNOWN if piece == "<unk>" else model.SentencePiece.CONTROL
        model.pieces.add(piece=piece, score=0, type=kind)
    for piece, score in ordinary:
        model.pieces.add(piece=piece, score=score, type=model.SentencePiece.NORMAL)
    trainer = model.trainer_spec
    ids = {piece: i for i, piece in enumerate(special)}
    trainer.vocab_size = n_pieces
    trainer.unk_id, trainer.eos_id = ids["<unk>"], ids["</s>"]
    trainer.bos_id, trainer.pad_id = ids.get("<s>", -1), ids.get("<pad>", -1)
    return model.SerializeToString()


def write(shape, folder, tokenizer=None, dtype="float32"):
    kind, special, n_pieces, model_type, options = SHAPES[shape]
    folder.mkdir(parents=True, exist_ok=True)
    if tokenizer:
        for file in tokenizer.iterdir():
            if file.is_file() and file.name not in ("config.json", "generation_config.json") and (
                    file.suffix in (".json", ".model", ".txt")) and "index" not in file.name:
                shutil.copyfile(file, folder / file.name)
    else:
        n_ids = families.old_tokenizer(kind, folder, padded(special, n_pieces))
        assert n_ids + families.SPARE[kind] == options["vocab_size"], n_ids
    config_class, model_class = families.CLASSES[model_type]
    model = model_class(config_class(**options)).eval()
    families.fill(model)
    if model_type == "t5":  # which has no 1 / √d_k: its queries are small instead
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if name.endswith(".q.weight"):
                    parameter.mul_(0.125)
    families.set_generation(model, {"max_length": 200})
    model.to(getattr(torch, dtype)).save_pretrained(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tokenizer", type=pathlib.Path)
    parser.add_argument("--dtype", choices=("float32", "float16", "bfloat16"), default="float32")
    asked = parser.parse_args()
    write(asked.shape, asked.folder, asked.tokenizer, asked.dtype)
