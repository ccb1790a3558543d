"""Write tests/data/ctranslate2: small models as the converters of CTranslate2 write them, and
tests/data/ctranslate2.json: what CTranslate2 makes of them, computed in floats whatever they are stored
as (ctranslate2 4.8.5, transformers 5.24.0, PyTorch 2.13.0).

Of each sentence: the greedy translation and the best of four beams, as pieces, and the logarithms of the
probabilities of another text as its translation. Beams within 1e-4 of each other are left out.

    marian-*      from tests/data/marian: OpusMTConverter where Marian's own files are read, else
                  TransformersConverter, in each storage
    version-5     the same as CTranslate2 2 wrote it: settings as variables, a vocabulary of lines, the
                  embedding under its old name
    opennmt-py    from a checkpoint that is made here as OpenNMT-py saves it: positions of the paper, which
                  the file keeps; nothing around a source text, <s> before the translation
    opennmt-tf    as the converter for OpenNMT-tf leaves it: no table of positions, so that CTranslate2
                  computes them, from 1 on; <s> and </s> around a source text
    argos         the opennmt-py one as an Argos package
    *-tiny        from tests/data/checkpoints, in float16, by TransformersConverter, mended by
                  converters.py

The SentencePiece models are those of tests/data/marian/post-norm, which the tests put beside.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import pathlib
import shutil
import struct
import tempfile
import zipfile

import ctranslate2
import numpy as np
import sentencepiece
import torch
import transformers
from ctranslate2.converters import OpenNMTPyConverter, OpusMTConverter, TransformersConverter
from ctranslate2.converters import marian as marian_converter
from ctranslate2.specs import common_spec, model_spec, transformer_spec

import checkpoints
import converters
import families
import weights

MARIAN = checkpoints.DATA / "marian"
OUT = checkpoints.DATA / "ctranslate2"
SENTENCES = ["the cat sat on the mat .", "two dogs eat bread and the sun is warm today", "where",
             "open the door and come in .", "it is a long way home .", "x", "she reads a good book",
             "this house has four windows ."]
LENGTH = 24


def convert_opus(name, out, quantization=None):
    OpusMTConverter(str(MARIAN / name)).convert(str(out), quantization=quantization, force=True)


def convert_transformers(out, quantization):
    TransformersConverter(str(MARIAN / "post-norm-hf")).convert(str(out), quantization=quantization,
                                                                force=True)


# ---- An older file -----------------------------------------------------------------------------------


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def string(self):
        n = self.number("H")
        text = self.data[self.at:self.at + n - 1].decode()
        self.at += n
        return text


def write_string(text):
    return struct.pack("<H", len(text.encode()) + 1) + text.encode() + b"\0"


def as_version_5(folder, out):
    """The folder as CTranslate2 2 would have written it."""
    r = Reader((folder / "model.bin").read_bytes())
    r.number("I")
    spec, revision, n = r.string(), r.number("I"), r.number("I")
    variables, aliases = [], []
    for _ in range(n):
        name = r.string()
        start = r.at
        rank = r.number("B")
        r.at += 4 * rank + 1
        size = r.number("I")
        r.at += size
        variables.append((name, r.data[start:r.at]))
    for _ in range(r.number("I")):
        aliases.append((r.string(), r.string()))

    def scalar(value):
        return b"\0" + b"\1" + struct.pack("<Ib", 1, value)

    def text(value):
        return b"\1" + struct.pack("<IBI", len(value), 1, len(value)) + value.encode()

    config = json.loads((folder / "config.json").read_text())
    variables += [("with_source_bos", scalar(config["add_source_bos"])),
                  ("with_source_eos", scalar(config["add_source_eos"])),
                  ("with_target_bos", scalar(config["decoder_start_token"] == config["bos_token"])),
                  ("bos_token", text(config["bos_token"])), ("eos_token", text(config["eos_token"])),
                  ("unk_token", text(config["unk_token"]))]
    old = lambda name: name.replace("encoder/embeddings_0/", "encoder/embeddings/")
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "model.bin", "wb") as file:
        file.write(struct.pack("<I", 5) + write_string(spec) + struct.pack("<I", 5))
        file.write(struct.pack("<I", len(variables)))
        for name, rest in sorted((old(name), rest) for name, rest in variables):
            file.write(write_string(name) + rest)
        file.write(struct.pack("<I", len(aliases)))
        for alias, name in aliases:
            file.write(write_string(old(alias)) + write_string(old(name)))
    assert revision == 7
    for vocabulary in folder.glob("*_vocabulary.json"):
        lines = json.loads(vocabulary.read_text(encoding="utf-8"))
        (out / vocabulary.with_suffix(".txt").name).write_text("".join(f"{x}\n" for x in lines),
                                                               encoding="utf-8")


# ---- OpenNMT -----------------------------------------------------------------------------------------


def vocabulary(first):
    spm = sentencepiece.SentencePieceProcessor(model_file=str(MARIAN / "post-norm" / "source.spm"))
    pieces = [spm.IdToPiece(i) for i in range(spm.GetPieceSize())]
    return first + [piece for piece in pieces if piece not in ("<unk>", "<s>", "</s>")]


def tensor(name, *shape):
    return torch.tensor(weights.tensor(name, shape))


def opennmt_py_checkpoint(path):
    """As onmt.train saves it, of what the converter reads."""
    pieces = vocabulary(["<unk>", "<blank>", "<s>", "</s>"])
    d, heads, ffn, layers, n = 16, 4, 24, 2, len(pieces)
    w = {}

    def linear(name, rows, cols):
        w[name + ".weight"] = tensor(name + ".weight", rows, cols)
        w[name + ".bias"] = tensor(name + ".bias", rows)

    def norm(name):
        w[name + ".weight"] = tensor(name + "_norm.weight", d)
        w[name + ".bias"] = tensor(name + "_norm.bias", d)

    def attention(name):
        for part in ("linear_query", "linear_keys", "linear_values", "final_linear"):
            linear(f"{name}.{part}", d, d)

    positions = torch.arange(0, 60).unsqueeze(1)
    divisors = torch.exp(torch.arange(0, d, 2, dtype=torch.float) * -(np.log(10000.0) / d))
    pe = torch.zeros(60, d)
    pe[:, 0::2] = torch.sin(positions.float() * divisors)
    pe[:, 1::2] = torch.cos(positions.float() * divisors)
    for stack, kind in (("encoder", "transformer"), ("decoder", "transformer_layers")):
        w[f"{stack}.embeddings.make_embedding.emb_luts.0.weight"] = tensor(stack + ".embed.weight", n, d)
        w[f"{stack}.embeddings.make_embedding.pe.pe"] = pe.unsqueeze(1)
        norm(f"{stack}.layer_norm")
        for i in range(layers):
            layer = f"{stack}.{kind}.{i}"
            attention(layer + ".self_attn")
            if stack == "decoder":
                attention(layer + ".context_attn")
                norm(layer + ".layer_norm_1")
                norm(layer + ".layer_norm_2")
            else:
                norm(layer + ".layer_norm")
            norm(layer + ".feed_forward.layer_norm")
            linear(layer + ".feed_forward.w_1", ffn, d)
            linear(layer + ".feed_forward.w_2", d, ffn)
    generator = {"weight": tensor("generator.embed.weight", n, d), "bias": tensor("generator.bias", n)}
    generator["bias"][pieces.index("</s>")] += 1.5  # or it would never end
    options = argparse.Namespace(
        encoder_type="transformer", decoder_type="transformer", self_attn_type="scaled-dot",
        position_encoding=True, max_relative_positions=0, pos_ffn_activation_fn="relu",
        enc_layers=layers, dec_layers=layers, heads=heads, feat_merge="concat", lambda_align=0)
    torch.save({"vocab": {"src": pieces, "tgt": pieces}, "opt": options, "model": w,
                "generator": generator}, path)


def opennmt_tf(out):
    """What OpenNMTTFConverter makes; its models need TensorFlow."""
    pieces = vocabulary(["<blank>", "<s>", "</s>"]) + ["<unk>"]
    d, n = 16, len(pieces)
    spec = transformer_spec.TransformerSpec.from_config((2, 1), 2, pre_norm=True,
                                                        activation=common_spec.Activation.RELU)
    ffn = 20

    def set_all(layer, scope, value):
        if value is not None:
            return
        rows = {"self_attention/linear_0": 3 * d, "attention/linear_1": 2 * d, "ffn/linear_0": ffn}
        name = scope.rsplit("/", 1)[-1]
        if name in ("gamma", "beta"):
            layer.__dict__[name] = weights.tensor(
                scope + (".norm.weight" if name == "gamma" else ".bias"), (d,))
            return
        n_rows = next((size for part, size in rows.items() if f"/{part}/" in scope), d)
        n_cols = ffn if "/ffn/linear_1/" in scope else d
        if "embeddings" in scope or "projection" in scope:
            n_rows = n
        layer.__dict__[name] = weights.tensor(
            ("embed." if n_rows == n else "") + scope + ".weight", (n_rows, n_cols))
        if hasattr(layer, "bias") and "embeddings" not in scope:
            layer.__dict__["bias"] = weights.tensor(scope + ".bias", (n_rows,))

    model_spec.visit_spec(spec, set_all)
    spec.decoder.projection.bias[pieces.index("</s>")] += 1.5
    spec.config.add_source_bos = True
    spec.config.add_source_eos = True
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.validate()
    spec.optimize()
    out.mkdir(parents=True, exist_ok=True)
    spec.save(str(out))


# ---- What CTranslate2 makes of them ------------------------------------------------------------------


# name -> (source language, target language), or None
FAMILIES = {"bart-tiny": None, "mbart-tiny": ("en_XX", "de_DE"), "cc25-tiny": ("en_XX", "de_DE"),
            "m2m-tiny": ("en", "de"), "nllb-tiny": ("eng_Latn", "deu_Latn"), "pegasus-tiny": None,
            "t5-tiny": None, "t5-gated-tiny": None, "mt5-tiny": None, "umt5-tiny": None,
            "byt5-tiny": None}


def source_folder(name, scratch):
    """The checkpoint; of some with the tokenizer as transformers 5 saves it. From the pieces of NLLB alone
    it puts <mask> before the languages, which the published files have behind them, and AutoTokenizer
    does not find that of UMT5."""
    folder = checkpoints.DATA / "checkpoints" / name
    if name in ("nllb-tiny", "umt5-tiny"):
        folder = shutil.copytree(folder, pathlib.Path(scratch) / name, dirs_exist_ok=True)
        families.tokenizer(families.SHAPES[name][0])[0].save_pretrained(folder)
    return str(folder)


def run_family(name, languages):
    """Greedy translations of what the tokenizer of transformers makes of a text."""
    with tempfile.TemporaryDirectory() as scratch:
        tokenizer = transformers.AutoTokenizer.from_pretrained(source_folder(name, scratch))
    translator = ctranslate2.Translator(str(OUT / name), compute_type="float32", intra_threads=1)
    prefix = None
    if languages:
        tokenizer.src_lang = languages[0]
        starts = json.loads((OUT / name / "config.json").read_text())["decoder_start_token"]
        # Where nothing is named the first word is what the decoder starts with: of cc25 the language.
        prefix = [([] if starts or name == "cc25-tiny" else ["</s>"]) +
                  [{"m2m-tiny": f"__{languages[1]}__"}.get(name, languages[1])]]
    cases = []
    for text in SENTENCES:
        source = tokenizer.convert_ids_to_tokens(tokenizer(text).input_ids)
        out = translator.translate_batch([source], target_prefix=prefix, beam_size=1,
                                         max_decoding_length=LENGTH)[0].hypotheses[0]
        cases.append({"text": text, "languages": languages,
                      "greedy": out})
    return cases


def run(folder, model, ends_by_hand):
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model / "source.spm"))
    target_processor = sentencepiece.SentencePieceProcessor(model_file=str(model / "target.spm"))
    cases = []
    for i, text in enumerate(SENTENCES):
        target = SENTENCES[(i + 3) % len(SENTENCES)]
        source = processor.encode(text, out_type=str) + (["</s>"] if ends_by_hand else [])

        def translate(beams, n=1):
            return translator.translate_batch([source], beam_size=beams, num_hypotheses=n,
                                              max_decoding_length=LENGTH, return_scores=True)[0]

        greedy, beams = translate(1), translate(4, 4)
        near = any(abs(a - b) < 1e-4 for a, b in zip(beams.scores, beams.scores[1:]))
        scored = translator.score_batch([source], [target_processor.encode(target, out_type=str)])[0]
        # Its own scores are sums of approximations; these are as exact as those of the text.
        best = beams.hypotheses[0]
        of_best = translator.score_batch([source], [best])[0].log_probs[:len(best) + (len(best) < LENGTH)]
        cases.append({"text": text, "target": target,
                      "logprobs": [round(x, 6) for x in scored.log_probs],
                      "greedy": greedy.hypotheses[0], "beam": None if near else best,
                      "score": round(sum(of_best) / len(of_best), 6)})
    return cases


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    convert_opus("post-norm", OUT / "marian-f32")
    convert_opus("pre-norm", OUT / "marian-pre-norm")
    # CTranslate2 has Marian's GELU, by a sigmoid; transformers and this program have the exact one.
    marian_converter._SUPPORTED_ACTIVATIONS["gelu"] = common_spec.Activation.GELU
    convert_opus("untied", OUT / "marian-untied", "int8")
    for storage in ("int8", "int8_float16", "int8_bfloat16", "int16", "float16", "bfloat16"):
        convert_transformers(OUT / f"marian-{storage}", storage)
    as_version_5(OUT / "marian-f32", OUT / "version-5")
    with tempfile.TemporaryDirectory() as scratch:
        checkpoint = pathlib.Path(scratch) / "model.pt"
        opennmt_py_checkpoint(checkpoint)
        OpenNMTPyConverter(str(checkpoint), unsafe_deserialization=True).convert(
            str(OUT / "opennmt-py"), force=True)
    opennmt_tf(OUT / "opennmt-tf")

    for name in FAMILIES:
        with tempfile.TemporaryDirectory() as scratch:
            converters.convert_family(source_folder(name, scratch), OUT / name, "float16")
    golden = {}
    for folder in sorted(OUT.iterdir()):
        if folder.name in FAMILIES:
            golden[folder.name] = run_family(folder.name, FAMILIES[folder.name])
            continue
        name = "untied" if folder.name == "marian-untied" else "post-norm"
        converted_by_hand = folder.name.startswith("marian-") and not json.loads(
            (folder / "config.json").read_text())["add_source_eos"]
        golden[folder.name] = run(folder, MARIAN / name, converted_by_hand)
        print(folder.name, sum(case["beam"] is not None for case in golden[folder.name]), "beams")
    with zipfile.ZipFile(OUT / "translate-en_de.argosmodel", "w", zipfile.ZIP_DEFLATED) as package:
        top = "translate-en_de-1_0/"

        def put(name, content):
            entry = zipfile.ZipInfo(top + name)  # of 1980, so that the file is the same each time
            entry.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(entry, content)

        put("metadata.json", json.dumps(
            {"package_version": "1.0", "argos_version": "1.0", "from_code": "en", "from_name": "English",
             "to_code": "de", "to_name": "German"}))
        put("stanza/en/tokenize/nothing.pt", b"no model")
        put("sentencepiece.model", (MARIAN / "post-norm" / "source.spm").read_bytes())
        for file in sorted((OUT / "opennmt-py").iterdir()):
            put("model/" + file.name, file.read_bytes())
    (checkpoints.DATA / "ctranslate2.json").write_text(
        "{" + ",\n".join(f'"{name}": [\n' + ",\n".join(json.dumps(case, ensure_ascii=False)
                                                        for case in cases) + "]"
                         for name, cases in golden.items()) + "}\n", encoding="utf-8")
