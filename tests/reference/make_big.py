"""Random-weight checkpoints of the sizes that OPUS-MT publishes, made on demand and never committed.

    make_big.py NAME FOLDER [--format FORMAT] [--f32] [--tokenizers DIR]

NAME: fr-en and en-mg are those two published models (a transformer-big of 230 million parameters and
a base one), with their own configuration and tokenizer, which --tokenizers DIR holds as DIR/fr-en and
DIR/en-mg; big-multi-target is the same size with a vocabulary of 61,000 that has language tokens, and
big-separate has two vocabularies. FORMAT: safetensors (the default), pytorch and pytorch-sharded as
transformers writes or wrote them, safetensors-f32, marian-npz and marian-zip as OPUS-MT publishes them.

The weights come from the hash of weights.py, so that they are the same every time, and are exact in
binary16, in which tc-big models are published. --f32 stores them in 32 bits, as most others are;
Marian's formats always do.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import pathlib
import shutil

import torch
import yaml
from transformers import MarianMTModel

import checkpoints
import marian_export
import opus_shape
import variants

FORMATS = ("safetensors", "pytorch", "pytorch-sharded", "safetensors-f32", "marian-npz", "marian-zip")
PUBLISHED = ("fr-en", "en-mg")
OURS = ("big-multi-target", "big-separate")
LANGUAGES = ("deu", "nld", "swe", "dan", "nob", "isl", "fra", "zho_Hans", "zho_Hant", "srp_Latn",
             "srp_Cyrl", "fin", "est", "hun", "ell", "heb", "ara", "jpn", "kor", "vie", "tur", "ukr",
             "rus", "por")
VOCAB_SIZE = 61011
EOS = 40507  # as in fr-en: somewhere


def vocabulary(first: int) -> dict:
    """The tiny vocabulary's pieces spread over a large one from an id on; <pad> at the end."""
    _, _, tiny, _ = checkpoints.tokenizer_files(False)
    vocab = {"</s>": EOS, "<unk>": 1, "<pad>": VOCAB_SIZE - 1}
    by_id = sorted((i, piece) for piece, i in tiny.items() if piece not in vocab)
    vocab.update({piece: first + n * opus_shape.STRIDE for n, (_, piece) in enumerate(by_id)})
    vocab.update({f">>{code}<<": 50 + 41 * n for n, code in enumerate(LANGUAGES)})
    assert len(set(vocab.values())) == len(vocab) and max(vocab.values()) < VOCAB_SIZE
    used = set(vocab.values())
    vocab.update({f"<filler{i}>": i for i in range(VOCAB_SIZE) if i not in used})
    return vocab


def our_config(name: str) -> dict:
    pad = VOCAB_SIZE - 1
    options = dict(
        checkpoints.BASE, d_model=1024, encoder_layers=6, decoder_layers=6,
        encoder_attention_heads=16, decoder_attention_heads=16, encoder_ffn_dim=4096,
        decoder_ffn_dim=4096, max_position_embeddings=1024, max_length=512, vocab_size=VOCAB_SIZE,
        decoder_vocab_size=VOCAB_SIZE, pad_token_id=pad, decoder_start_token_id=pad,
        eos_token_id=EOS, forced_eos_token_id=EOS, bad_words_ids=[[pad]])
    if name == "big-separate":
        options["share_encoder_decoder_embeddings"] = False
    return options


def write_tokenizer(name: str, folder: pathlib.Path, tokenizers: pathlib.Path) -> dict:
    """Everything but the weights; returns what config.json says."""
    folder.mkdir(parents=True, exist_ok=True)
    if name in PUBLISHED:
        for file in (tokenizers / name).iterdir():
            if file.name in ("config.json", "generation_config.json", "source.spm", "target.spm",
                             "vocab.json", "tokenizer_config.json"):
                shutil.copyfile(file, folder / file.name)
        return json.loads((folder / "config.json").read_text(encoding="utf-8"))
    options, separate = our_config(name), name == "big-separate"
    source, target, _, _ = checkpoints.tokenizer_files(False)
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    checkpoints.write_json(folder / "vocab.json", vocabulary(2003), indent=0)
    if separate:
        checkpoints.write_json(folder / "target_vocab.json", vocabulary(3001), indent=0)
    checkpoints.write_json(folder / "config.json", options)
    checkpoints.write_json(folder / "tokenizer_config.json", {
        "source_lang": "en", "target_lang": "mul", "separate_vocabs": separate})
    return options


def build(options: dict) -> MarianMTModel:
    """Weights from the hash; the row of <pad> is 0, as in everything converted from Marian."""
    known = set(checkpoints.BASE) | {"vocab_size", "decoder_vocab_size", "pad_token_id",
                                     "decoder_start_token_id", "bad_words_ids"}
    model = variants.build({k: v for k, v in options.items() if k in known})
    pad = options["pad_token_id"]
    with torch.no_grad():
        for table in {model.model.encoder.embed_tokens, model.model.decoder.embed_tokens}:
            table.weight[pad] = 0
        model.final_logits_bias[0, pad] = 0
    return model


def write_weights(model: MarianMTModel, folder: pathlib.Path, form: str, f32: bool):
    stored = model.half().float() if f32 or form.endswith("-f32") else model.half()
    if form.startswith("safetensors"):
        kept = {file: (folder / file).read_bytes() for file in
                ("config.json", "generation_config.json") if (folder / file).exists()}
        stored.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        for file, content in kept.items():  # as they are published
            (folder / file).write_bytes(content)
        return
    # As transformers did until its version 4: every name of the model, shared tensors once.
    state = stored.state_dict()
    if form == "pytorch":
        torch.save(state, folder / "pytorch_model.bin")
        return
    storages = {}  # what is shared stays together, and is stored once
    for name in sorted(state):
        storages.setdefault(state[name].untyped_storage().data_ptr(), []).append(name)
    shards = [sum(list(storages.values())[i::3], []) for i in range(3)]
    files = [f"pytorch_model-{i + 1:05}-of-00003.bin" for i in range(3)]
    for file, names in zip(files, shards):
        torch.save({name: state[name] for name in names}, folder / file)
    checkpoints.write_json(folder / "pytorch_model.bin.index.json", {
        "metadata": {"total_size": sum(t.nbytes for t in state.values())},
        "weight_map": {name: file for file, names in zip(files, shards) for name in names}})


def vocab_yml(path: pathlib.Path) -> bytes:
    """As OPUS-MT-train's scripts/vocab2yaml.py writes it: by PyYAML, sorted, in its quotes."""
    pieces = json.loads(path.read_text(encoding="utf-8"))
    del pieces["<pad>"]
    return yaml.dump(pieces, allow_unicode=True).encode()


def make(name: str, folder: pathlib.Path, form: str, tokenizers, f32=False) -> pathlib.Path:
    """Returns the folder or archive to open."""
    marian = form.startswith("marian")
    base = folder.with_name(folder.name + "-hf") if marian else folder
    options = write_tokenizer(name, base, tokenizers)
    write_weights(build(options), base, "safetensors" if marian else form, f32)
    if not marian:
        return folder
    dest = folder.with_suffix(".zip") if form == "marian-zip" else folder
    files = marian_export.export(base)
    for file in files:
        if file.endswith(".vocab.yml"):
            files[file] = vocab_yml(base / ("target_vocab.json" if ".trg." in file else "vocab.json"))
    marian_export.save(files, dest, deflate=form == "marian-zip")
    shutil.rmtree(base)
    return dest


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=PUBLISHED + OURS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--format", choices=FORMATS, default="safetensors")
    parser.add_argument("--f32", action="store_true", help="weights in 32 bits")
    parser.add_argument("--tokenizers", type=pathlib.Path, help="published models without weights")
    asked = parser.parse_args()
    print(make(asked.name, asked.folder, asked.format, asked.tokenizers, asked.f32))
