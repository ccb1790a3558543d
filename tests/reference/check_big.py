"""Checkpoints of published sizes, opened by regard-cli and by transformers: the same tokens, the same
attention.

    check_big.py [NAME …] --cli REGARD-CLI [--format FORMAT …] [--tokenizers DIR] [--scratch DIR]
                 [--start ID]

For each name of make_big.py and each format it makes the checkpoint, translates a few sentences with
`regard-cli translate --json` (greedily and with the model's own beam) and captures them with
`regard-cli capture`. Tokens must be those of MarianTokenizer and `generate`; the attention of every
layer and head must be within 1e-4 of transformers' eager attention (the largest difference is
printed), and so must the log-probabilities. The formats of PyTorch must also give the very same bits as
safetensors, and those of Marian, which are in 32 bits, the same as safetensors in 32 bits. (The engine
multiplies up to 24 rows itself, up to 48 if they are F16, and leaves more to OpenBLAS, which rounds
otherwise.) Ends with 1 if anything is not so.

--start has decoding start with another token than the configuration says (not in Marian's formats,
where it is always <pad>). "translations" counts sentences times languages times the two ways to
search, "tokens" what was compared in them.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import functools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

import make_big

TOLERANCE = 1e-4
MAX_LENGTH = 24
SENTENCES = {
    "fr-en": ["Le vieil homme a donné un morceau de pain à son chien.", "J'ai deux chiens.",
              "Où est la gare ? Elle n'était pas là hier soir, à 8 h 45.",
              "L'attention est tout ce dont vous avez besoin."],
    "en-mg": ["The old man gave his dog a piece of bread.", "I have two dogs.",
              "Where is the station? It wasn't there last night, at 8:45.",
              "Attention is all you need."],
    "": ["the cat sat on the mat .", "two dogs eat bread and the sun is warm today",
         "where is the train to the city ?"],
}
LANGUAGES = {"big-multi-target": ["zho_Hant", "deu"], "big-separate": ["fra", None]}


def translate(program, model, texts, language, beams):
    """The answers of one process, a JSON object a line."""
    call = [program, "translate", "--model", model, "--json", "--max-length", str(MAX_LENGTH)]
    call += ["--beam", str(beams)] if beams else []
    call += ["--to", language] if language else []
    run = subprocess.run([str(c) for c in call], input="".join(f"{text}\n" for text in texts),
                         capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(map(str, call))}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


class Reference:
    """transformers, from the folder with safetensors. Each question is answered once."""

    def __init__(self, folder):
        self.tokenizer = MarianTokenizer.from_pretrained(folder)
        self.model = MarianMTModel.from_pretrained(folder, dtype=torch.float32,
                                                   attn_implementation="eager").eval()
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        keys = ("bad_words_ids", "bos_token_id", "decoder_start_token_id", "eos_token_id",
                "forced_eos_token_id", "num_beams", "pad_token_id")
        defaults = {"forced_eos_token_id": MarianConfig().forced_eos_token_id}
        self.generation = defaults | {k: config[k] for k in keys if k in config}

    def ids(self, text, language):
        return tuple(self.tokenizer(f">>{language}<< {text}" if language else text)["input_ids"])

    @functools.lru_cache(maxsize=None)
    @torch.no_grad()
    def translate(self, ids, beams):
        options = dict(self.generation, max_length=MAX_LENGTH)
        if beams:
            options["num_beams"] = beams
        config = GenerationConfig(**options)
        out = self.model.generate(input_ids=torch.tensor([list(ids)]), generation_config=config)
        return tuple(out[0, 1:].tolist())

    @functools.lru_cache(maxsize=None)
    @torch.no_grad()
    def attend(self, ids, decoder_input, output):
        out = self.model(input_ids=torch.tensor([list(ids)]), output_attentions=True,
                         decoder_input_ids=torch.tensor([list(decoder_input)]))
        logprobs = torch.log_softmax(out.logits[0], dim=-1)
        stack = lambda layers: torch.stack([layer[0] for layer in layers]).numpy()
        return {"encoder_attentions": stack(out.encoder_attentions),
                "decoder_attentions": stack(out.decoder_attentions),
                "cross_attentions": stack(out.cross_attentions),
                "logprobs": logprobs[torch.arange(len(output)), torch.tensor(list(output))].numpy()}


def captured(program, model, text, language, scratch):
    path = scratch / "capture.npz"
    call = [program, "capture", "--model", model, "--max-length", str(MAX_LENGTH), "-o", path, text]
    if language:
        call += ["--to", language]
    subprocess.run([str(c) for c in call], check=True)
    with np.load(path) as arrays:  # without the name of the folder, and what else is said about it
        return {name: arrays[name] for name in arrays.files if name not in ("meta", "model")}


def check(name, form, program, model, reference, before, scratch):
    """One row of the table; before: captures of the safetensors forms, to be filled or compared."""
    like = "safetensors-f32" if form.startswith("marian") else "safetensors"
    n_translations = n_tokens = n_wrong = 0
    worst = worst_logprob = 0.0
    same_bits = True
    began = time.monotonic()
    texts = SENTENCES.get(name, SENTENCES[""])
    for language in LANGUAGES.get(name, [None]):
        for beams in (1, None):
            answers = translate(program, model, texts, language, beams)
            assert len(answers) == len(texts)
            for text, found in zip(texts, answers):
                ids = reference.ids(text, language)
                wanted = reference.translate(ids, beams)
                tokens = tuple(found["hypotheses"][0]["ids"])
                n_translations += 1
                n_tokens += len(ids) + len(wanted)
                if tuple(found["source_ids"]) != ids or tokens != wanted:
                    n_wrong += 1
                    print(f"  {name} {form} {text!r} to {language}, beams {beams}: expected {ids} "
                          f"{wanted}, found {found['source_ids']} {tokens}")
        for text in texts:
            ids = reference.ids(text, language)
            arrays = captured(program, model, text, language, scratch)
            assert arrays["decoder_input_ids"][0] == reference.generation["decoder_start_token_id"]
            wanted = reference.attend(ids, tuple(arrays["decoder_input_ids"].tolist()),
                                      tuple(arrays["output_ids"].tolist()))
            for key, value in wanted.items():
                if arrays[key].shape != value.shape:
                    sys.exit(f"{name} {form}: {key} is {arrays[key].shape}, not {value.shape}")
                difference = float(np.abs(arrays[key] - value).max())
                if key == "logprobs":
                    worst_logprob = max(worst_logprob, difference)
                else:
                    worst = max(worst, difference)
            if form.startswith("safetensors"):
                before[form, text, language] = arrays
            else:
                other = before[like, text, language]
                same_bits &= arrays.keys() == other.keys() and all(
                    arrays[key].tobytes() == other[key].tobytes() for key in arrays)
    print(f"| {name} | {form} | {n_translations} | {n_tokens} | {n_wrong} | {worst:.1e} | "
          f"{worst_logprob:.1e} | "
          f"{'' if form.startswith('safetensors') else 'yes' if same_bits else 'NO'} | "
          f"{time.monotonic() - began:.0f} s |", flush=True)
    return n_wrong == 0 and worst <= TOLERANCE and worst_logprob <= TOLERANCE and same_bits


def made(asked, name, folder, form):
    """The checkpoint, started as asked for."""
    model = make_big.make(name, folder, form, asked.tokenizers)
    if asked.start is not None:
        for file in ("config.json", "generation_config.json"):
            if (model / file).exists():
                content = json.loads((model / file).read_text(encoding="utf-8"))
                content["decoder_start_token_id"] = asked.start
                (model / file).write_text(json.dumps(content), encoding="utf-8")
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[*make_big.PUBLISHED, *make_big.OURS])
    parser.add_argument("--cli", required=True, type=pathlib.Path)
    parser.add_argument("--format", nargs="+", choices=make_big.FORMATS,
                        default=list(make_big.FORMATS))
    parser.add_argument("--tokenizers", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--start", type=int, help="decoder_start_token_id")
    asked = parser.parse_args()
    if asked.start is not None and any(form.startswith("marian") for form in asked.format):
        parser.error("--start wants formats that can say it: --format safetensors pytorch")
    others = [form for form in asked.format if not form.startswith("safetensors")]
    if any(form.startswith("marian") for form in others):
        others.insert(0, "safetensors-f32")
    torch.set_num_threads(2)
    good = True
    print("| checkpoint | format | translations | tokens | that differ | attention | log-probability | "
          "bits | time |\n|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=asked.scratch) as scratch:
        scratch = pathlib.Path(scratch)
        for name in asked.names:
            base = made(asked, name, scratch / name, "safetensors")
            reference, before = Reference(base), {}
            # What the others are compared with comes first.
            good &= check(name, "safetensors", asked.cli, base, reference, before, scratch)
            for form in others:
                model = made(asked, name, scratch / f"{name}-{form}", form)
                good &= check(name, form, asked.cli, model, reference, before, scratch)
                shutil.rmtree(model) if model.is_dir() else model.unlink()
            shutil.rmtree(base)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
