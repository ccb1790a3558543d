"""Golden results of Hugging Face generate: tests/data/search-*.safetensors.

One row of "cases" [n][6] is: sentence (line of sentences.en.txt, or index into TINY), beam size,
n-best, min_length, max_length, early stopping (0 false, 1 true, 2 never); -1 means the model's own
default. "length_penalty" [n] goes with it (NaN: default), and for a model with language tokens
"language" [n], counted in the order of their ids (-1: none); for other families
"no_repeat_ngram_size" [n] (-1: default). Hypothesis h of case c is number
case_first[c] + h: its ids are ids[first[h] : first[h + 1]], without the start token; "scores" are
sequences_scores, "texts" (UTF-8, NUL-separated) the decoded strings where "cases" is for en-de.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import math
import pathlib
import tempfile

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import GenerationConfig, MarianMTModel, MarianTokenizer

import checkpoints
import families

SENTENCES = checkpoints.DATA / "sentences.en.txt"
TINY = ["the cat sat on the mat .", "two dogs eat bread and the sun is warm today", "where"]
EARLY = {False: 0, True: 1, "never": 2}
DEFAULT = dict(num_beams=None, num_return_sequences=1, min_length=None, max_length=None,
               early_stopping=None, length_penalty=None, no_repeat_ngram_size=None)


class Results:
    def __init__(self):
        self.cases, self.penalties, self.case_first = [], [], []
        self.first, self.ids, self.scores, self.texts = [0], [], [], []
        self.languages, self.ngrams = [], []

    def run(self, model, tokenizer, generation, number, text, language=None, **asked):
        codes = sorted(tokenizer.supported_language_codes, key=tokenizer.convert_tokens_to_ids)
        ids = tokenizer(f">>{language}<< {text}" if language else text)["input_ids"]
        self.search(model, tokenizer, generation, number, ids,
                    codes.index(f">>{language}<<") if language else -1, {}, asked)

    def search(self, model, tokenizer, generation, number, ids, language, settings, asked):
        options = dict(DEFAULT, **asked)
        given = settings | {k: v for k, v in options.items() if v is not None}
        config = GenerationConfig(**dict(generation.to_dict(), **given, output_scores=True,
                                         output_logits=True, return_dict_in_generate=True))
        with torch.no_grad():
            out = model.generate(input_ids=torch.tensor([ids]), generation_config=config)
        self.cases.append([number, options["num_beams"] or -1, options["num_return_sequences"],
                           -1 if options["min_length"] is None else options["min_length"],
                           options["max_length"] or -1,
                           -1 if options["early_stopping"] is None
                           else EARLY[options["early_stopping"]]])
        self.languages.append(language)
        self.ngrams.append(-1 if options["no_repeat_ngram_size"] is None
                           else options["no_repeat_ngram_size"])
        self.penalties.append(math.nan if options["length_penalty"] is None
                              else options["length_penalty"])
        self.case_first.append(len(self.first) - 1)
        pad = config.pad_token_id
        for h, sequence in enumerate(out.sequences.tolist()):
            sequence = sequence[1:]
            while sequence and sequence[-1] == pad:
                sequence.pop()
            # A <pad> of id 0 is no number to generate's beams: these go on with </s>.
            if config.eos_token_id in sequence:
                sequence = sequence[:sequence.index(config.eos_token_id) + 1]
            if (config.num_beams or 1) == 1:
                score = self.greedy_score(out, sequence, config)
            else:
                score = float(out.sequences_scores[h])
            self.ids += sequence
            self.first.append(len(self.ids))
            self.scores.append(score)
            self.texts.append(tokenizer.decode(sequence, skip_special_tokens=True))

    @staticmethod
    def greedy_score(out, sequence, config):
        """generate() gives greedy search no score: the beam's formula, with log-probabilities from
        before the processors as there, or what renormalize_logits makes of them, and 0 for a forced
        token as there; the sum in double."""
        total = 0.0
        for step, token in enumerate(sequence):
            if torch.isfinite(out.scores[step][0]).sum() == 1:
                continue
            total += float(out.scores[step][0][token] if config.renormalize_logits
                           else torch.log_softmax(out.logits[step][0], dim=-1)[token])
        return total / len(sequence) ** (1.0 if config.length_penalty is None
                                         else config.length_penalty)

    def save(self, path, with_texts):
        tensors = {
            "cases": np.array(self.cases, dtype=np.int32),
            "length_penalty": np.array(self.penalties, dtype=np.float32),
            "case_first": np.array(self.case_first + [len(self.first) - 1], dtype=np.int32),
            "first": np.array(self.first, dtype=np.int32),
            "ids": np.array(self.ids, dtype=np.int32),
            "scores": np.array(self.scores, dtype=np.float32),
        }
        if any(language >= 0 for language in self.languages):
            tensors["language"] = np.array(self.languages, dtype=np.int32)
        if any(size >= 0 for size in self.ngrams):
            tensors["no_repeat_ngram_size"] = np.array(self.ngrams, dtype=np.int32)
        if with_texts:
            tensors["texts"] = np.frombuffer("".join(t + "\0" for t in self.texts).encode(),
                                             dtype=np.uint8)
        save_file(tensors, path)
        print(path.name, len(self.cases), "cases", len(self.scores), "hypotheses")


def bundled():
    model = MarianMTModel.from_pretrained(checkpoints.BUNDLED, dtype=torch.float32).eval()
    tokenizer = MarianTokenizer.from_pretrained(checkpoints.BUNDLED)
    generation = GenerationConfig.from_pretrained(checkpoints.BUNDLED)
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    results = Results()
    for number, text in enumerate(lines):
        results.run(model, tokenizer, generation, number, text, num_beams=1)
        results.run(model, tokenizer, generation, number, text)
        if number % 20 == 0:
            print(number, "of", len(lines), flush=True)
    for number, text in list(enumerate(lines))[:200:10]:
        def run(**asked):
            results.run(model, tokenizer, generation, number, text, **asked)

        run(num_return_sequences=4)
        run(num_beams=6, num_return_sequences=3, early_stopping=True, length_penalty=0.6)
        # (Unlimited, this one wanders to 512 tokens, where float32 rounding picks the way.)
        run(num_beams=2, length_penalty=2.0, early_stopping="never", max_length=40)
        run(num_beams=4, length_penalty=0.0, early_stopping="never")
        run(num_beams=3, num_return_sequences=3, length_penalty=-1.0, max_length=40)
        run(num_beams=4, min_length=25, num_return_sequences=2)
        run(num_beams=4, max_length=6, num_return_sequences=4)
        run(num_beams=1, max_length=5)
        run(num_beams=1, min_length=20)
    results.save(checkpoints.DATA / "search-en-de.safetensors", True)


def tiny(name):
    model = checkpoints.build(name)
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints.save(name, pathlib.Path(scratch))
        tokenizer = MarianTokenizer.from_pretrained(scratch)
        generation = GenerationConfig.from_pretrained(scratch)
    results = Results()
    for number, text in enumerate(TINY):
        language = ("zho_Hant", "deu", None)[number] if name == "multi-target" else None

        def run(**asked):
            results.run(model, tokenizer, generation, number, text, language, **asked)

        run()
        run(num_beams=1, max_length=24)
        run(num_beams=4, max_length=24, num_return_sequences=4)
        run(num_beams=5, max_length=16, num_return_sequences=2, early_stopping=True)
        run(num_beams=2, max_length=30, early_stopping="never", length_penalty=2.0)
        run(num_beams=4, max_length=20, min_length=12, num_return_sequences=3, length_penalty=0.5)
    results.save(checkpoints.DATA / f"search-{name}.safetensors", False)


FAMILY_TURNS = [
    dict(), dict(num_beams=1, max_length=24), dict(num_beams=4, num_return_sequences=4),
    dict(num_beams=5, max_length=16, num_return_sequences=2, early_stopping=True),
    dict(num_beams=2, max_length=20, early_stopping="never", length_penalty=2.0),
    dict(num_beams=1, no_repeat_ngram_size=2), dict(num_beams=4, no_repeat_ngram_size=3),
    dict(num_beams=5, max_length=20, min_length=12, num_return_sequences=3, length_penalty=0.5,
         no_repeat_ngram_size=2),
    # A sequence of the start token, too, has its n-grams.
    dict(num_beams=1, no_repeat_ngram_size=1, max_length=12)]


def family(name):
    """What generate finds in float32 if it finds the same in double: else rounding decides. Not those
    with <pad>, which generate puts behind a sequence, too."""
    model, exact = families.build(name), families.build(name).double()
    tokenizer = families.tokenizer(families.SHAPES[name][0])[0]
    results, n_left_out = Results(), 0
    for number, text in enumerate(TINY):
        language = families.target_language(name, number)
        ids, settings, index = families.ask(model, name, text, language)
        for turn in FAMILY_TURNS:
            one, two = Results(), Results()
            for found, which in ((one, model), (two, exact)):
                found.search(which, tokenizer, model.generation_config, number, ids, index, settings,
                             turn)
            if one.ids != two.ids or model.config.pad_token_id in one.ids:
                n_left_out += 1
            else:
                results.search(model, tokenizer, model.generation_config, number, ids, index,
                               settings, turn)
    assert len(results.cases) > 12, (name, n_left_out)
    print(name, n_left_out, "left out")
    results.save(checkpoints.DATA / f"search-{name}.safetensors", False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one checkpoint name, en-de or families")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    for name in checkpoints.SHAPES:
        if not name.startswith("post-norm-relu-") and only in (None, name):
            tiny(name)
    for name in families.SHAPES:
        if only in (None, name, "families"):
            family(name)
    if only in (None, "en-de"):
        bundled()
