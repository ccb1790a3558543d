"""The small random checkpoints of tests/data/checkpoints: one for every way a Marian directory can
differ. Run make_checkpoints.py to write them; the golden scripts build the same models in memory.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import io
import json
import pathlib

import numpy as np
import sentencepiece
from safetensors.numpy import save_file

import variants

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
BUNDLED = DATA.parent.parent / "models" / "en-de"
FROZEN = DATA / "frozen" / "en-de"  # does not change when the bundled one does

# Written for this purpose; what the tiny SentencePiece models are trained on.
ENGLISH = """the cat sat on the mat . a dog ran to the red house . we saw two small birds in a tree .
she reads a good book at home . the old man walks in the rain . i have a cat and two dogs .
they eat bread and drink cold water . the sun is warm today . where is the train to the city ?
my sister sings a song . he was late again . open the door and come in . it is a long way home .
the children play in the garden . this house has four windows . do not forget the key .""".split("\n")
GERMAN = """die katze saß auf der matte . ein hund lief zum roten haus . wir sahen zwei kleine vögel .
sie liest zu hause ein gutes buch . der alte mann geht im regen . ich habe eine katze und zwei hunde .
sie essen brot und trinken kaltes wasser . die sonne ist heute warm . wo ist der zug in die stadt ?
meine schwester singt ein lied . er kam wieder zu spät . mach die tür auf und komm herein .
die kinder spielen im garten . dieses haus hat vier fenster . vergiss den schlüssel nicht .""".split("\n")

BASE = {
    "model_type": "marian", "architectures": ["MarianMTModel"], "activation_function": "relu",
    "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32,
    "max_position_embeddings": 64, "static_position_embeddings": True, "scale_embedding": True,
    "normalize_before": False, "normalize_embedding": False, "add_final_layer_norm": False,
    "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True, "eos_token_id": 0,
    "bos_token_id": 0, "forced_eos_token_id": 0, "num_beams": 4, "max_length": 64,
    "is_encoder_decoder": True,
}

# name -> (changes to BASE, storage)
SHAPES = {
    # The standard one in every storage: the weights are exact in all three types.
    "post-norm-relu": ({}, "F32"),
    "post-norm-relu-f16": ({}, "F16"),
    "post-norm-relu-bf16-sharded": ({}, "BF16 sharded"),
    # Odd numbers everywhere, and not the same in both stacks.
    "odd-sizes-swish": ({"activation_function": "swish", "d_model": 40, "encoder_layers": 3,
                         "decoder_layers": 2, "encoder_attention_heads": 5,
                         "decoder_attention_heads": 8, "encoder_ffn_dim": 56,
                         "decoder_ffn_dim": 36}, "F16"),
    "pre-norm-gelu-learned": ({"activation_function": "gelu", "normalize_before": True,
                               "add_final_layer_norm": True, "normalize_embedding": True,
                               "static_position_embeddings": False, "encoder_layers": 1,
                               "decoder_layers": 3, "max_position_embeddings": 48,
                               "max_length": 48}, "F32"),
    "pre-norm-plain": ({"normalize_before": True, "scale_embedding": False, "d_model": 24,
                        "encoder_attention_heads": 3, "decoder_attention_heads": 2,
                        # Defaults for generation that are not the usual ones.
                        "num_beams": 3, "length_penalty": 0.6, "early_stopping": True,
                        "min_length": 6, "max_length": 20, "forced_bos_token_id": 9}, "BF16"),
    # The paper's own positions.
    "interleaved-positions": ({"position_embedding_layout": "interleaved",
                               "activation_function": "silu", "normalize_embedding": True}, "F32"),
    "post-norm-final-norm": ({"add_final_layer_norm": True, "static_position_embeddings": False,
                              "scale_embedding": False, "forced_eos_token_id": None}, "BF16"),
    # Two vocabularies; output matrix of its own, bias.
    "separate-vocabularies": ({"share_encoder_decoder_embeddings": False,
                               "tie_word_embeddings": False, "activation_function": "swish"},
                              "F32"),
    # And bans of one, two and three pieces, one of them sharing its start with another.
    "separate-embeddings-tied": ({"share_encoder_decoder_embeddings": False,
                                  "more_bad_words": [[3], [5, 9], [5, 9, 4], [8, 8]]}, "F32"),
    # As the multi-target models of tc-big: language tokens, 16 heads, ids in an order of their own,
    # so that </s> is neither 0 nor the start.
    "multi-target": ({"d_model": 32, "encoder_layers": 1, "decoder_layers": 1,
                      "encoder_attention_heads": 16, "decoder_attention_heads": 16,
                      "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}, "F16"),
    # As published ones: <pad> has embedding 0 and bias 0, hence the logit 0, and the other logits are
    # negative, so that it takes a third of the mass; and they say renormalize_logits.
    "zero-pad": ({"zero_pad": True, "renormalize_logits": True}, "F32"),
}
# Of multi-target; in the order in which they are given ids.
LANGUAGES = ("swe", "deu", "zho_Hant", "nld", "isl", "dan", "srp_Latn", "ltz", "fra", "zho_Hans",
             "afr", "nob")
GENERATION = ("bad_words_ids", "bos_token_id", "decoder_start_token_id", "eos_token_id",
              "forced_eos_token_id", "forced_bos_token_id", "max_length", "min_length",
              "num_beams", "length_penalty", "early_stopping", "pad_token_id", "renormalize_logits")


def train(lines, size) -> bytes:
    """A unigram SentencePiece model. Identity normalisation keeps the file small: the tables of
    nmt_nfkc are 240 kB; the bundled model tests those."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size,
        normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1,
        character_coverage=1.0, bos_id=-1, eos_id=0, unk_id=1, minloglevel=2)
    return model.getvalue()


def vocabulary(spm: bytes) -> dict:
    """piece -> id as OPUS-MT numbers them: SentencePiece's own order, <pad> last."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=spm)
    vocab = {processor.IdToPiece(i): i for i in range(processor.GetPieceSize())}
    vocab["<pad>"] = len(vocab)
    return vocab


def multi_target(vocab: dict) -> dict:
    """The pieces in another order, language tokens among them, <pad> last as ever."""
    pieces = [piece for piece in vocab if piece != "<pad>"]
    pieces[100:100] = [f">>{code}<<" for code in LANGUAGES]
    n = len(pieces)
    assert n % 37
    # 37 steps at a time, and round again: every id once.
    mixed = {piece: (11 + 37 * i) % n for i, piece in enumerate(pieces)}
    assert len(set(mixed.values())) == n
    return dict(mixed, **{"<pad>": n})


def tokenizer_files(separate: bool) -> tuple:
    """(source.spm, target.spm, vocab, target vocab or None)"""
    if not separate:
        spm = train(ENGLISH + GERMAN, 140)
        return spm, spm, vocabulary(spm), None
    source, target = train(ENGLISH, 90), train(GERMAN, 110)
    return source, target, vocabulary(source), vocabulary(target)


def config(name: str) -> dict:
    changes, _storage = SHAPES[name]
    separate = name == "separate-vocabularies"
    _, _, vocab, target_vocab = tokenizer_files(separate)
    if name == "multi-target":
        vocab = multi_target(vocab)
    target_vocab = target_vocab or vocab
    pad = target_vocab["<pad>"]
    if separate:
        # One id means <pad> on both sides in config.json: give both vocabularies the same one.
        pad = max(len(vocab), len(target_vocab)) - 1
    changes = dict(changes)
    if vocab["</s>"] != 0:
        changes.update(eos_token_id=vocab["</s>"], forced_eos_token_id=vocab["</s>"])
    bans = [[pad]] + changes.pop("more_bad_words", [])
    return dict(BASE | changes, vocab_size=pad + 8 if separate else len(vocab),
                decoder_vocab_size=pad + 1 if separate else len(target_vocab),
                pad_token_id=pad, decoder_start_token_id=pad, bad_words_ids=bans)


def with_pad_at(vocab: dict, pad: int, size: int) -> dict:
    """The same vocabulary with <pad> moved to an id, and unused pieces up to a size."""
    words = {piece: i for piece, i in vocab.items() if piece != "<pad>"}
    words.update({f"<unused{i}>": i for i in range(len(words), size) if i != pad})
    words["<pad>"] = pad
    return words


def build(name: str):
    return variants.build(config(name))


def stored(tensor: np.ndarray, storage: str):
    if storage.startswith("BF16"):
        return (np.ascontiguousarray(tensor).view(np.uint32) >> 16).astype(np.uint16)
    return tensor.astype(np.float16 if storage == "F16" else np.float32)


def save_safetensors(path, tensors, storage):
    """numpy has no BF16, so the file is put together by hand: length, JSON header, data."""
    dtype = storage.split()[0]
    if dtype != "BF16":
        save_file({k: stored(v, storage) for k, v in tensors.items()}, path)
        return
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, value in sorted(tensors.items()):
        raw = stored(value, storage).tobytes()
        header[name] = {"dtype": "BF16", "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_json(path, value, indent=2):
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")


def save(name: str, folder: pathlib.Path):
    """Write a checkpoint directory."""
    options, storage = config(name), SHAPES[name][1]
    separate = name == "separate-vocabularies"
    folder.mkdir(parents=True, exist_ok=True)
    source, target, vocab, target_vocab = tokenizer_files(separate)
    if name == "multi-target":
        vocab = multi_target(vocab)
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    pad = options["pad_token_id"]
    write_json(folder / "vocab.json", with_pad_at(vocab, pad, options["vocab_size"]), indent=0)
    if separate:
        write_json(folder / "target_vocab.json",
                   with_pad_at(target_vocab, pad, options["decoder_vocab_size"]), indent=0)
    write_json(folder / "config.json", {k: v for k, v in options.items() if k != "zero_pad"})
    write_json(folder / "generation_config.json", {
        k: options[k] for k in GENERATION if k in options})
    write_json(folder / "tokenizer_config.json",
               {"source_lang": "en", "separate_vocabs": separate,
                "target_lang": "mul" if name == "multi-target" else "de"})
    model = variants.build(options)
    tensors = {k: v.detach().numpy() for k, v in variants.parameters(model, options).items()}
    if "sharded" not in storage:
        save_safetensors(folder / "model.safetensors", tensors, storage)
        return
    names = sorted(tensors)
    parts = {f"model-{i + 1:05}-of-00003.safetensors": names[i::3] for i in range(3)}
    for file, mine in parts.items():
        save_safetensors(folder / file, {k: tensors[k] for k in mine}, storage)
    write_json(folder / "model.safetensors.index.json", {
        "metadata": {"total_size": sum(v.size * 2 for v in tensors.values())},
        "weight_map": {k: file for file, mine in parts.items() for k in mine}})
