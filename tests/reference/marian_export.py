"""Write a Hugging Face Marian checkpoint as Marian itself would have: the inverse of transformers'
convert_marian_to_pytorch.py, from the parameter names in marian-dev's src/models/transformer.h.

    python marian_export.py FOLDER DEST                 # decoder.yml, .npz, .vocab.yml, .spm
    python marian_export.py FOLDER DEST.zip --deflate   # the same as an archive

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import io
import json
import pathlib
import struct
import zipfile

import numpy as np

LAYER = {
    "self_attn.q_proj": ("self_Wq", "self_bq"),
    "self_attn.k_proj": ("self_Wk", "self_bk"),
    "self_attn.v_proj": ("self_Wv", "self_bv"),
    "self_attn.out_proj": ("self_Wo", "self_bo"),
    "encoder_attn.q_proj": ("context_Wq", "context_bq"),
    "encoder_attn.k_proj": ("context_Wk", "context_bk"),
    "encoder_attn.v_proj": ("context_Wv", "context_bv"),
    "encoder_attn.out_proj": ("context_Wo", "context_bo"),
    "fc1": ("ffn_W1", "ffn_b1"),
    "fc2": ("ffn_W2", "ffn_b2"),
}
NORMS = {"self_attn_layer_norm": "self_Wo_ln", "encoder_attn_layer_norm": "context_Wo_ln",
         "final_layer_norm": "ffn_ffn_ln"}
ACTIVATIONS = {"relu": "relu", "swish": "swish", "silu": "swish", "gelu": "gelu"}


def read_safetensors(path: pathlib.Path) -> dict:
    """Every tensor as float32; numpy has no BF16."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        part = data[begin:end]
        if entry["dtype"] == "BF16":
            value = (np.frombuffer(part, "<u2").astype("<u4") << 16).view("<f4")
        else:
            value = np.frombuffer(part, {"F32": "<f4", "F16": "<f2"}[entry["dtype"]])
        tensors[name] = value.astype("<f4").reshape(entry["shape"])
    return tensors


def read_weights(folder: pathlib.Path) -> dict:
    if (folder / "model.safetensors").exists():
        return read_safetensors(folder / "model.safetensors")
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    tensors = {}
    for file in sorted(set(index["weight_map"].values())):
        tensors.update(read_safetensors(folder / file))
    return tensors


def without_pad(table: np.ndarray, what: str) -> np.ndarray:
    """Marian has no <pad>; Hugging Face's conversion adds its row (or column), of zeros."""
    if np.any(table[-1]):
        raise ValueError(f"{what}: the row of <pad> is not 0, so Marian cannot have it")
    return table[:-1]


def parameters(config: dict, weights: dict) -> dict:
    """Marian's name -> array. Matrices are [in][out] there, vectors [1][n]."""
    pre = "_pre" if config.get("normalize_before") else ""
    found = {}
    for stack in ("encoder", "decoder"):
        for layer in range(config[f"{stack}_layers"]):
            theirs, ours = f"model.{stack}.layers.{layer}.", f"{stack}_l{layer + 1}_"
            for name, (matrix, bias) in LAYER.items():
                if theirs + name + ".weight" in weights:
                    found[ours + matrix] = weights[theirs + name + ".weight"].T
                    found[ours + bias] = weights[theirs + name + ".bias"][None]
            for name, norm in NORMS.items():
                if theirs + name + ".weight" in weights:
                    found[f"{ours}{norm}_scale{pre}"] = weights[theirs + name + ".weight"][None]
                    found[f"{ours}{norm}_bias{pre}"] = weights[theirs + name + ".bias"][None]
        for theirs, ours, end in (("layernorm_embedding", "emb_ln", "_pre"),
                                  ("layer_norm", "top_ln", "")):
            if f"model.{stack}.{theirs}.weight" in weights:
                for part, other in (("scale", "weight"), ("bias", "bias")):
                    found[f"{stack}_{ours}_{part}{end}"] = \
                        weights[f"model.{stack}.{theirs}.{other}"][None]
    shared = config.get("share_encoder_decoder_embeddings", True)
    tied = config.get("tie_word_embeddings", True)
    encoder, decoder = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"
    if shared:
        name = "model.shared.weight" if "model.shared.weight" in weights else encoder
        found["Wemb"] = without_pad(weights[name], name)
    else:
        # The source's <pad> has no row in Marian either; nothing reads it.
        size = config["vocab_size"] - 1
        found["encoder_Wemb"] = weights[encoder][:size]
        found["decoder_Wemb"] = without_pad(weights[decoder], decoder)
    if not tied:
        found["decoder_ff_logit_out_Wt"] = without_pad(weights["lm_head.weight"], "lm_head")
    if "final_logits_bias" in weights:
        bias = weights["final_logits_bias"].reshape(-1)
        found["decoder_ff_logit_out_b"] = without_pad(bias, "final_logits_bias")[None]
    if not config.get("static_position_embeddings", True):
        tables = [weights[f"model.{s}.embed_positions.weight"] for s in ("encoder", "decoder")]
        if not np.array_equal(*tables):
            raise ValueError("Marian has one table of positions for both stacks")
        found["Wpos"] = tables[0]
    return found


def model_yml(config: dict, sizes: tuple) -> str:
    """What Marian keeps in the weights; the keys as a training run of OPUS-MT left them."""
    before = bool(config.get("normalize_before"))
    shared = config.get("share_encoder_decoder_embeddings", True)
    tied = config.get("tie_word_embeddings", True)
    if len({config["encoder_attention_heads"], config["decoder_attention_heads"]}) > 1:
        raise ValueError("Marian has as many heads in both stacks")
    learned = not config.get("static_position_embeddings", True)
    if bool(config.get("scale_embedding")) == learned:
        raise ValueError("Marian scales embeddings if and only if positions are sinusoids")
    flag = lambda value: str(bool(value)).lower()
    decoder_ffn = config["decoder_ffn_dim"]
    lines = {
        "bert-train-type-embeddings": "true", "bert-type-vocab-size": 2,
        "dec-cell": "gru", "dec-cell-base-depth": 2, "dec-cell-high-depth": 1,
        "dec-depth": config["decoder_layers"], "dim-emb": config["d_model"], "dim-rnn": 1024,
        "dim-vocabs": "\n  - {}\n  - {}".format(*sizes), "enc-cell": "gru", "enc-cell-depth": 1,
        "enc-depth": config["encoder_layers"], "enc-type": "bidirectional", "input-types": "[]",
        "layer-normalization": "false", "right-left": "false", "skip": "false",
        "tied-embeddings": flag(tied and not shared), "tied-embeddings-all": flag(tied and shared),
        "tied-embeddings-src": flag(shared and not tied), "transformer-aan-activation": "swish",
        "transformer-aan-depth": 2, "transformer-aan-nogate": "false",
        "transformer-decoder-autoreg": "self-attention", "transformer-dim-aan": 2048,
        "transformer-dim-ffn": config["encoder_ffn_dim"],
        "transformer-decoder-dim-ffn": 0 if decoder_ffn == config["encoder_ffn_dim"] else decoder_ffn,
        "transformer-ffn-activation": ACTIVATIONS[config["activation_function"]],
        "transformer-ffn-depth": 2, "transformer-guided-alignment-layer": "last",
        "transformer-heads": config["encoder_attention_heads"],
        "transformer-no-projection": "false",
        "transformer-postprocess": "da" if before else "dan",
        "transformer-postprocess-emb": "nd" if config.get("normalize_embedding") else "d",
        "transformer-postprocess-top": "n" if config.get("add_final_layer_norm") else '""',
        "transformer-preprocess": "n" if before else '""', "transformer-tied-layers": "\n  []",
        "transformer-train-position-embeddings": flag(learned), "type": "transformer",
        "ulr": "false", "ulr-dim-emb": 0, "ulr-trainable-transformation": "false",
        "version": "v1.10.25 regard",
    }
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


def npy(array: np.ndarray) -> bytes:
    """As cnpy writes it: version 1.0, padded to 16 bytes, "<i1" for bytes."""
    array = np.ascontiguousarray(array)
    shape = ", ".join(str(n) for n in array.shape) + ("," if array.ndim == 1 else "")
    text = f"{{'descr': '<{array.dtype.kind}{array.itemsize}', 'fortran_order': False, " \
           f"'shape': ({shape}), }}"
    text += " " * (16 - (10 + len(text)) % 16 - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + array.tobytes()


def add(archive: zipfile.ZipFile, name: str, data: bytes, deflate: bool):
    """With a fixed date, so that the same input gives the same file."""
    info = zipfile.ZipInfo(name, (2020, 2, 26, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)


def npz(config: dict, weights: dict, sizes: tuple) -> bytes:
    out = io.BytesIO()
    # One NUL behind it, as the versions that trained OPUS-MT wrote it; later ones fill up 256 bytes.
    text = model_yml(config, sizes).encode() + b"\0"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, value in parameters(config, weights).items():
            add(archive, name + ".npy", npy(value.astype("<f4")), False)
        add(archive, "special:model.yml.npy", npy(np.frombuffer(text, "i1")), False)
    return out.getvalue()


def vocab_yml(path: pathlib.Path, size: int) -> bytes:
    """As marian-vocab writes it: quoted where YAML would take a piece for something else."""
    pieces = json.loads(path.read_text(encoding="utf-8"))
    lines = []
    for piece, i in sorted(pieces.items(), key=lambda pair: pair[1]):
        if piece == "<pad>":
            continue
        if i >= size:
            raise ValueError(f"{path}: id {i} of {piece!r} is not below {size}")
        plain = piece.replace("▁", "").isalpha() and piece.isprintable() and \
            piece.lower() not in ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
        lines.append(f"{piece if plain else json.dumps(piece, ensure_ascii=False)}: {i}\n")
    return "".join(lines).encode()


def export(folder: pathlib.Path, name: str = "opus.spm32k-spm32k") -> dict:
    """File name -> content."""
    folder = pathlib.Path(folder)
    config = json.loads((folder / "config.json").read_text())
    if (folder / "generation_config.json").exists():
        config.update(json.loads((folder / "generation_config.json").read_text()))
    target_size = config.get("decoder_vocab_size") or config["vocab_size"]
    sizes = (config["vocab_size"] - 1, target_size - 1)
    model = f"{name}.transformer-align.model1.npz.best-perplexity.npz"
    files = {model: npz(config, read_weights(folder), sizes)}
    if (folder / "target_vocab.json").exists():
        vocabs = [f"{name}.src.vocab.yml", f"{name}.trg.vocab.yml"]
        files[vocabs[0]] = vocab_yml(folder / "vocab.json", sizes[0])
        files[vocabs[1]] = vocab_yml(folder / "target_vocab.json", sizes[1])
    else:
        vocabs = [f"{name}.vocab.yml"] * 2
        files[vocabs[0]] = vocab_yml(folder / "vocab.json", max(sizes))
    for spm in ("source.spm", "target.spm"):
        files[spm] = (folder / spm).read_bytes()
    files["decoder.yml"] = (
        f"relative-paths: true\nmodels:\n  - {model}\nvocabs:\n  - {vocabs[0]}\n  - {vocabs[1]}\n"
        f"beam-size: {config.get('num_beams', 6)}\nnormalize: {config.get('length_penalty', 1)}\n"
        "word-penalty: 0\nmini-batch: 1\nmaxi-batch: 1\nmaxi-batch-sort: src\n").encode()
    files["README.md"] = b"# A model in the layout of the OPUS-MT archives\n"
    return files


def save(files: dict, dest: pathlib.Path, deflate: bool = False):
    """A folder, or an archive if its name ends in .zip."""
    dest = pathlib.Path(dest)
    if dest.suffix == ".zip":
        with zipfile.ZipFile(dest, "w") as archive:
            for name, data in files.items():
                add(archive, name, data, deflate)
        return
    dest.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (dest / name).write_bytes(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("dest", type=pathlib.Path)
    parser.add_argument("--deflate", action="store_true", help="compress the files of an archive")
    arguments = parser.parse_args()
    save(export(arguments.folder), arguments.dest, arguments.deflate)
