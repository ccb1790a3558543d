"""Small random checkpoints of the other families: BART, mBART-50 and cc25, M2M-100, NLLB, Pegasus, T5 and
what descends from it. Each is a model of transformers' own class with weights from the hash of their
names, saved by its own save_pretrained, with a tokenizer of some 140 pieces.

    families.py FOLDER [NAME...] [--form old] [--tokenizer old] [--dtype F32] [--sharded] [--bare]

writes FOLDER/NAME as transformers 5 writes it (safetensors, tokenizer.json), or as transformers 4.30
did (pytorch_model.bin with every copy of a tied matrix, all keys in config.json, tokenizer files of
the slow tokenizers). --bare: saved from the model without its head, so that BART's tensors have no
"model." before their names. Without a name all are written. What tests/data/checkpoints has is in
COMMITTED, and make_checkpoints.py writes it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import functools
import io
import json
import pathlib
import shutil
import tempfile

import sentencepiece
import tokenizers
import torch
import transformers
from transformers.models.m2m_100 import tokenization_m2m_100
from transformers.models.mbart import tokenization_mbart
from transformers.models.mbart50 import tokenization_mbart50
from transformers.models.nllb import tokenization_nllb

import anatomy
import checkpoints
import weights

FAIRSEQ = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
LANGUAGES = {
    "mbart": tokenization_mbart50.FAIRSEQ_LANGUAGE_CODES,
    "cc25": tokenization_mbart.FAIRSEQ_LANGUAGE_CODES,
    "nllb": tokenization_nllb.FAIRSEQ_LANGUAGE_CODES,
    "m2m": tokenization_m2m_100.FAIRSEQ_LANGUAGE_CODES["m2m100"],
}
# Two to translate into, as the tokenizers name them.
TARGETS = {"mbart": ["de_DE", "fr_XX"], "cc25": ["de_DE", "fi_FI"], "nllb": ["deu_Latn", "zho_Hant"], "m2m": ["de", "zh"]}
# Rows of the matrix behind the last token, as the published files have them.
SPARE = {"m2m": 8, "nllb": 2, "mbart": 1, "t5": 28, "mt5": 12}
SENTINELS = 100
FAIRSEQ_KINDS = ("mbart", "cc25", "m2m", "nllb")

BART = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32,
        "max_position_embeddings": 64}
T5 = {"d_model": 16, "d_kv": 8, "num_heads": 3, "d_ff": 24, "num_layers": 2,
      "relative_attention_num_buckets": 8, "relative_attention_max_distance": 20}
GATED = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
TASKS = {"translation_en_to_de": {"prefix": "translate English to German: ", "max_length": 30,
                                  "num_beams": 4, "early_stopping": True},
         "summarization": {"prefix": "summarize: ", "max_length": 20, "min_length": 6,
                           "num_beams": 3, "early_stopping": True, "length_penalty": 2.0,
                           "no_repeat_ngram_size": 3}}

# name -> (kind of tokenizer, model_type, configuration, generation defaults)
SHAPES = {
    # Odd numbers, and not the same in both stacks.
    "bart-tiny": ("bart", "bart", BART | {
        "d_model": 20, "decoder_attention_heads": 5, "encoder_ffn_dim": 28, "decoder_ffn_dim": 24,
        "activation_function": "gelu", "scale_embedding": False, "decoder_start_token_id": 2,
        "forced_bos_token_id": 0, "forced_eos_token_id": 2}, {
            "num_beams": 4, "max_length": 24, "min_length": 5, "no_repeat_ngram_size": 3,
            "early_stopping": True, "length_penalty": 2.0, "forced_bos_token_id": 0,
            "forced_eos_token_id": 2}),
    "mbart-tiny": ("mbart", "mbart", BART | {
        "decoder_layers": 1, "decoder_attention_heads": 2, "activation_function": "relu",
        "scale_embedding": True, "decoder_start_token_id": 2, "forced_eos_token_id": 2}, {
            "num_beams": 5, "max_length": 24, "early_stopping": True, "forced_eos_token_id": 2}),
    # As those that translate into one language are published, which is where the decoder starts.
    "cc25-tiny": ("cc25", "mbart", BART | {
        "encoder_layers": 1, "encoder_attention_heads": 2, "decoder_ffn_dim": 24,
        "activation_function": "gelu", "scale_embedding": True, "forced_eos_token_id": 2}, {
            "num_beams": 5, "max_length": 24, "early_stopping": True, "forced_eos_token_id": 2}),
    "m2m-tiny": ("m2m", "m2m_100", BART | {
        "encoder_layers": 1, "decoder_ffn_dim": 20, "activation_function": "relu",
        "scale_embedding": True}, {
            "num_beams": 5, "max_length": 24, "early_stopping": True}),
    "nllb-tiny": ("nllb", "m2m_100", BART | {
        "encoder_attention_heads": 2, "activation_function": "relu", "scale_embedding": True}, {
            "max_length": 24}),
    "pegasus-tiny": ("pegasus", "pegasus", BART | {
        "encoder_layers": 1, "encoder_ffn_dim": 24, "activation_function": "relu",
        "scale_embedding": True, "forced_eos_token_id": 1}, {
            "num_beams": 8, "max_length": 24, "length_penalty": 0.8, "forced_eos_token_id": 1}),
    # A short sentence reaches the logarithmic buckets.
    "t5-tiny": ("t5", "t5", T5 | {"d_model": 24, "feed_forward_proj": "relu"}, {
        "max_length": 24}),
    # Heads that are together wider than the stream, an output matrix of its own, two depths.
    "t5-gated-tiny": ("t5", "t5", T5 | GATED | {
        "d_ff": 20, "num_decoder_layers": 3}, {"max_length": 24}),
    "mt5-tiny": ("mt5", "mt5", T5 | GATED | {"d_kv": 6}, {"max_length": 24}),
    # A table of distances in every layer.
    "umt5-tiny": ("mt5", "umt5", T5 | GATED | {"d_kv": 10, "num_heads": 2}, {
        "max_length": 24}),
    "byt5-tiny": ("bytes", "t5", T5 | GATED | {
        "d_kv": 5, "num_heads": 2, "num_layers": 3, "num_decoder_layers": 1}, {
            "max_length": 40}),
}
# As it is in tests/data/checkpoints: (storage, form of the tokenizer)
COMMITTED = {
    "bart-tiny": ("F16", "old"), "mbart-tiny": ("BF16", "old"), "cc25-tiny": ("F16", "old"),
    "m2m-tiny": ("F16", "old"),
    "nllb-tiny": ("F16", "old"), "pegasus-tiny": ("BF16", "old"), "t5-tiny": ("F16", "old"),
    "t5-gated-tiny": ("BF16", "old"), "mt5-tiny": ("F16", "new"), "umt5-tiny": ("F16", "old"),
    "byt5-tiny": ("F16", "old"),
}
CLASSES = {
    "bart": (transformers.BartConfig, transformers.BartForConditionalGeneration),
    "mbart": (transformers.MBartConfig, transformers.MBartForConditionalGeneration),
    "m2m_100": (transformers.M2M100Config, transformers.M2M100ForConditionalGeneration),
    "pegasus": (transformers.PegasusConfig, transformers.PegasusForConditionalGeneration),
    "t5": (transformers.T5Config, transformers.T5ForConditionalGeneration),
    "mt5": (transformers.MT5Config, transformers.MT5ForConditionalGeneration),
    "umt5": (transformers.UMT5Config, transformers.UMT5ForConditionalGeneration),
}
TOKENIZERS = {
    "bart": "BartTokenizer", "mbart": "MBart50Tokenizer", "cc25": "MBartTokenizer",
    "m2m": "M2M100Tokenizer",
    "nllb": "NllbTokenizer", "pegasus": "PegasusTokenizer", "t5": "T5Tokenizer",
    "mt5": "T5Tokenizer", "bytes": "ByT5Tokenizer",
}


# ---- Tokenizers ---------------------------------------------------------------------------------

def train(kind: str) -> bytes:
    """A SentencePiece model that numbers its special pieces as the family's own does."""
    ids = ({"unk_id": 0, "bos_id": 1, "eos_id": 2, "pad_id": -1} if kind in FAIRSEQ_KINDS
           else {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1})
    symbols = {"mt5": [f"▁<extra_id_{i}>" for i in range(9, -1, -1)]}.get(kind, [])
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(checkpoints.ENGLISH + checkpoints.GERMAN), model_writer=model,
        vocab_size=140, model_type="bpe" if kind == "nllb" else "unigram",
        normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1,
        user_defined_symbols=symbols, character_coverage=1.0, minloglevel=2, **ids)
    return model.getvalue()


def pieces(spm: bytes) -> list:
    processor = sentencepiece.SentencePieceProcessor(model_proto=spm)
    return [processor.IdToPiece(i) for i in range(processor.GetPieceSize())]


def write_bart(folder):
    """vocab.json and merges.txt: 256 bytes, 80 merges, <mask> last."""
    bpe = tokenizers.ByteLevelBPETokenizer()
    bpe.train_from_iterator(checkpoints.ENGLISH + checkpoints.GERMAN, vocab_size=4 + 256 + 80,
                            special_tokens=list(FAIRSEQ), show_progress=False)
    bpe.save_model(str(folder))
    path = folder / "vocab.json"
    vocab = json.loads(path.read_text(encoding="utf-8"))
    assert {k: vocab[k] for k in FAIRSEQ} == FAIRSEQ
    vocab["<mask>"] = len(vocab)
    checkpoints.write_json(path, vocab, indent=0)
    return len(vocab)


def old_tokenizer(kind, folder, spm=None) -> int:
    """The files that the tokenizers of transformers 4.30 saved, around a SentencePiece model. Returns how
    many ids they have."""
    special = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    config = {"tokenizer_class": TOKENIZERS[kind], "model_max_length": 64,
              "clean_up_tokenization_spaces": True}
    fairseq = special | {"bos_token": "<s>", "cls_token": "<s>", "sep_token": "</s>"}
    if kind == "bart":
        n = write_bart(folder)
        special = fairseq | {"mask_token": {"content": "<mask>", "lstrip": True, "rstrip": False,
                                            "normalized": True, "single_word": False}}
        config |= {"add_prefix_space": False, "errors": "replace"}
    elif kind == "bytes":
        n = 3 + 256 + 125
        special["additional_special_tokens"] = [f"<extra_id_{i}>" for i in range(125)]
        config |= {"extra_ids": 0}
    else:
        spm = spm or train(kind)
        n = len(pieces(spm))
        file = "sentencepiece.bpe.model" if kind in FAIRSEQ_KINDS else "spiece.model"
        (folder / file).write_bytes(spm)
        if kind in ("mbart", "cc25", "nllb"):
            special = fairseq | {"mask_token": "<mask>",
                                 "additional_special_tokens": LANGUAGES[kind]}
            n += 1 + len(LANGUAGES[kind]) + 1
            config |= {"src_lang": "eng_Latn", "tgt_lang": None, "legacy_behaviour": False
                       } if kind == "nllb" else {"src_lang": "en_XX", "tgt_lang": None}
        elif kind == "m2m":
            vocab = dict(FAIRSEQ)
            for piece in pieces(spm)[3:]:
                vocab[piece] = len(vocab)
            checkpoints.write_json(folder / "vocab.json", vocab, indent=0)
            codes = LANGUAGES[kind]
            special = {k: v for k, v in fairseq.items() if k != "cls_token"} | {
                "additional_special_tokens": [f"__{code}__" for code in codes]}
            n = len(vocab) + len(codes)
            config |= {"src_lang": "en", "tgt_lang": None, "language_codes": "m2m100",
                       "num_madeup_words": SPARE["m2m"]}
        elif kind == "pegasus":
            special |= {"mask_token": "<mask_2>", "additional_special_tokens":
                        ["<mask_1>"] + [f"<unk_{i}>" for i in range(2, 103)]}
            n += 103
            config |= {"mask_token_sent": "<mask_1>", "offset": 103}
        elif kind == "t5":
            special["additional_special_tokens"] = [f"<extra_id_{i}>" for i in range(SENTINELS)]
            n += SENTINELS
            config |= {"extra_ids": SENTINELS}
        else:  # mT5 and UMT5 have theirs among the pieces
            config |= {"extra_ids": 0, "additional_special_tokens": None}
    checkpoints.write_json(folder / "special_tokens_map.json", special)
    checkpoints.write_json(folder / "tokenizer_config.json", special | config)
    return n


@functools.cache
def tokenizer(kind):
    """transformers' own, from the files above; and how many rows the matrix has."""
    with tempfile.TemporaryDirectory() as scratch:
        n = old_tokenizer(kind, pathlib.Path(scratch))
        read = getattr(transformers, TOKENIZERS[kind]).from_pretrained(scratch)
    if kind == "nllb":
        # From the pieces alone transformers 5 puts <mask> before the languages. Published files, and
        # the tokenizer of 4.30, have it behind them, so that these are pieces of the vocabulary.
        of_model = json.loads(read.backend_tokenizer.to_str())["model"]
        vocab, codes = of_model["vocab"], LANGUAGES[kind]
        vocab |= {token: len(vocab) + i for i, token in enumerate([*codes, "<mask>"])}
        read = transformers.NllbTokenizer(
            vocab=vocab, merges=[tuple(pair) for pair in of_model["merges"]], src_lang="eng_Latn",
            model_max_length=64)
        assert read.convert_tokens_to_ids([codes[0], codes[-1], "<mask>"]) == [n - 203, n - 2, n - 1]
    if kind != "m2m":  # its own count leaves out the languages
        assert kind == "bytes" or len(read) == n, (kind, len(read), n)
    return read, n + SPARE.get(kind, 0)


# ---- Models -------------------------------------------------------------------------------------

def config(name):
    kind, model_type, options, generation = SHAPES[name]
    _, size = tokenizer(kind)
    options = dict(options, vocab_size=size)
    if model_type in ("t5", "mt5", "umt5"):
        options["decoder_start_token_id"] = 0
    if kind == "cc25":
        options["decoder_start_token_id"] = start_id(kind, "ro_RO")
    if name == "t5-tiny":
        options["task_specific_params"] = TASKS
    made = CLASSES[model_type][0](**options)
    made._attn_implementation = "eager"
    return made


def start_id(kind, language):
    """What the decoder starts with for a language, where that is the language; else None."""
    return tokenizer(kind)[0].convert_tokens_to_ids(language) if kind == "cc25" else None


def target_language(name, k):
    """One of two, or None."""
    return TARGETS.get(SHAPES[name][0], [None, None])[k % 2]


def fill(model):
    """Give a model of transformers the weights of the hash."""
    made = model.config
    if anatomy.is_t5(model) and not getattr(made, "scale_decoder_outputs", False):
        # transformers ties these when it makes a model, though not when it reads one.
        model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.shared.weight))
    scaled = getattr(made, "scale_embedding", False)
    tied = model.lm_head.weight is model.get_input_embeddings().weight
    with torch.no_grad():
        named = dict(model.named_parameters()) | {
            k: v for k, v in model.named_buffers() if "logits_bias" in k}
        for key, parameter in named.items():
            value = torch.from_numpy(weights.tensor(key, tuple(parameter.shape)))
            # Logits that lie further apart; but what is scaled, or tied, would say itself again.
            scale = {"lm_head.weight": 2, "shared.weight": 1 if scaled else 2 if tied else 4}
            parameter.copy_(value * scale.get(key.removeprefix("model."), 1))
        if not anatomy.is_t5(model):  # as the padding of an embedding is
            model.model.shared.weight[made.pad_token_id] = 0


def set_generation(model, generation, starts_with_language=False):
    """The defaults of a model for generation, and the ids that its configuration has."""
    made = model.config
    for key, value in generation.items():
        setattr(model.generation_config, key, value)
    for key in ("decoder_start_token_id", "pad_token_id", "eos_token_id", "bos_token_id"):
        setattr(model.generation_config, key, getattr(made, key, None))
    if made.model_type in ("bart", "m2m_100", "mbart") and not starts_with_language:
        model.generation_config.decoder_start_token_id = 2
    if made.model_type == "pegasus":
        model.generation_config.decoder_start_token_id = 0
        model.generation_config.bos_token_id = None


def build(name):
    """The float32 model, its weights from the hash."""
    kind, model_type, _, generation = SHAPES[name]
    model = CLASSES[model_type][1](config(name)).eval()
    fill(model)
    set_generation(model, generation, starts_with_language=kind == "cc25")
    return model


def ask(model, name, text, language):
    """(ids of a source text, settings of generate, number of the language, or -1)"""
    read, kind = tokenizer(SHAPES[name][0])[0], SHAPES[name][0]
    settings, number = {}, -1
    # Its cache takes the stacks to be of one depth.
    if anatomy.is_t5(model) and model.config.num_layers != model.config.num_decoder_layers:
        settings["use_cache"] = False
    if language and kind == "cc25":
        settings["decoder_start_token_id"] = start_id(kind, language)
        number = LANGUAGES[kind].index(language)
    elif language:
        code = f"__{language}__" if kind == "m2m" else language
        settings["forced_bos_token_id"] = read.convert_tokens_to_ids(code)
        assert settings["forced_bos_token_id"] > model.config.vocab_size - 300
        number = LANGUAGES[kind].index(language)
    return read(text)["input_ids"], settings, number


def open_small(name):
    """Model and tokenizer of a checkpoint of tests/data, of whatever family."""
    if name in SHAPES:
        return build(name), tokenizer(SHAPES[name][0])[0]
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints.save(name, pathlib.Path(scratch))
        read = transformers.MarianTokenizer.from_pretrained(scratch)
    return checkpoints.build(name), read


# ---- Folders ------------------------------------------------------------------------------------

def save_bin(model, folder, sharded):
    """As torch.save wrote it: every name, tied ones sharing their storage."""
    state = dict(model.state_dict())
    if not sharded:
        torch.save(state, folder / "pytorch_model.bin")
        return
    names = list(state)
    parts = {f"pytorch_model-{i + 1:05}-of-00003.bin": names[i::3] for i in range(3)}
    for file, mine in parts.items():
        torch.save({k: state[k] for k in mine}, folder / file)
    checkpoints.write_json(folder / "pytorch_model.bin.index.json", {
        "metadata": {"total_size": sum(v.numel() * v.element_size() for v in state.values())},
        "weight_map": {k: file for file, mine in parts.items() for k in mine}})


def save_tokenizer(kind, folder, form):
    if form == "old":
        old_tokenizer(kind, folder)
    else:
        tokenizer(kind)[0].save_pretrained(folder)


def save(name, folder, form="new", tokenizer_form=None, dtype="F16", sharded=False, bare=False):
    """Write a checkpoint directory."""
    model = build(name).to({"F32": torch.float32, "F16": torch.float16,
                            "BF16": torch.bfloat16}[dtype])
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_tokenizer(SHAPES[name][0], folder, tokenizer_form or form)
    saved = model.model if bare and hasattr(model, "model") else model
    if form == "new":
        saved.save_pretrained(folder, **({"max_shard_size": "12KB"} if sharded else {}))
        model.generation_config.save_pretrained(folder)
        for file in folder.glob("*.safetensors"):
            file.chmod(0o644)
        return
    generation = {k: v for k, v in model.generation_config.to_dict().items()
                  if v is not None and k not in ("transformers_version", "_from_model_config")}
    options = {k: v for k, v in model.config.to_dict().items() if k not in ("dtype",)}
    # Keys of old files: what transformers passes over, and what is in generation_config.json now.
    options |= generation | {
        "architectures": [type(saved).__name__], "transformers_version": "4.30.2",
        "torch_dtype": {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[dtype]}
    if "max_position_embeddings" in options:
        options |= {"normalize_before": model.config.model_type != "bart",
                    "normalize_embedding": model.config.model_type in ("bart", "mbart"),
                    "add_final_layer_norm": model.config.model_type != "bart",
                    "static_position_embeddings": model.config.model_type in ("pegasus", "m2m_100")}
    elif not options.get("scale_decoder_outputs"):
        options["tie_word_embeddings"] = False
    options.pop("scale_decoder_outputs", None)
    checkpoints.write_json(folder / "config.json", options)
    checkpoints.write_json(folder / "generation_config.json",
                           generation | {"transformers_version": "4.30.2"})
    save_bin(saved, folder, sharded)


def commit(name, folder):
    """As it is in tests/data/checkpoints."""
    dtype, form = COMMITTED[name]
    save(name, folder, tokenizer_form=form, dtype=dtype)
    check(name, folder)


def check(name, folder):
    """What was written is read by transformers as the model that was built."""
    model = build(name)
    read = type(model).from_pretrained(folder, dtype=torch.float32,
                                       attn_implementation="eager").eval()
    ids = torch.tensor([[5, 9, 13, 22, 7, model.config.eos_token_id]])
    with torch.no_grad():
        ours = model(input_ids=ids, decoder_input_ids=ids).logits
        theirs = read(input_ids=ids, decoder_input_ids=ids).logits
    assert torch.equal(ours, theirs), (name, float((ours - theirs).abs().max()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SHAPES))
    parser.add_argument("--form", choices=("new", "old"), default="new")
    parser.add_argument("--tokenizer", choices=("new", "old"), help="default: as --form")
    parser.add_argument("--dtype", choices=("F32", "F16", "BF16"), default="F16")
    parser.add_argument("--sharded", action="store_true")
    parser.add_argument("--bare", action="store_true")
    asked = parser.parse_intermixed_args()
    for name in asked.names or SHAPES:
        out = asked.folder / name
        shutil.rmtree(out, ignore_errors=True)
        save(name, out, asked.form, asked.tokenizer, asked.dtype, asked.sharded, asked.bare)
        if not asked.bare:
            check(name, out)
        print(name, sum(f.stat().st_size for f in out.iterdir()))
