"""What `generate` makes of the keys of generation_config.json: tests/data/generation.safetensors.
Made with PyTorch 2.13.0 and transformers 5.24.0.

A kind is a generation_config.json for the checkpoint zero-pad, whose <pad> takes a third of the mass:
"kinds" (UTF-8, NUL-separated). One row of "cases" [n][5] is: kind, sentence (line of
sentences.en.txt), beam size, hypotheses returned, and how the prefix was forced (0: there is none, 1:
as decoder_input_ids, whose tokens count in no score, 2: by prefix_allowed_tokens_fn, where they do).
Its prefix is prefix[case_prefix[c] : case_prefix[c + 1]]. Hypothesis h of case c is number
case_first[c] + h: its ids are ids[first[h] : first[h + 1]], without the start token and with the
prefix; "scores" are sequences_scores, in greedy search the same formula (see greedy_score).

forced_decoder_ids is a key of transformers before 4.46; its processor is here, as it was there.

"keys" (NUL-separated) are all keys that a GenerationConfig of the installed release has or writes.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import (GenerationConfig, LogitsProcessor, LogitsProcessorList, MarianTokenizer)

import checkpoints

NAME = "zero-pad"
SENTENCES = checkpoints.DATA / "sentences.en.txt"
MANY, FEW = 200, 20
MOST = 64  # tokens of a source, as many as there are positions

ENDS = [[[0], 3.5]]  # makes an end likely, which random weights hardly find
ALL = dict(no_repeat_ngram_size=2, repetition_penalty=1.3, encoder_repetition_penalty=1.2,
           encoder_no_repeat_ngram_size=3, suppress_tokens=[5, 9], begin_suppress_tokens=[0, 20],
           sequence_bias=ENDS + [[[30, 31], 1.0]], exponential_decay_length_penalty=[4, 1.1],
           renormalize_logits=True, max_new_tokens=12, min_new_tokens=3)
# sentences, ways to force a prefix, keys
KINDS = [
    (MANY, (0,), dict(renormalize_logits=True)),
    (MANY, (0,), dict()),
    (FEW, (0,), dict(no_repeat_ngram_size=1)),
    (FEW, (0,), dict(no_repeat_ngram_size=2)),
    (FEW, (0,), dict(no_repeat_ngram_size=3, renormalize_logits=True, sequence_bias=ENDS)),
    (FEW, (0,), dict(encoder_no_repeat_ngram_size=1)),
    (FEW, (0,), dict(encoder_no_repeat_ngram_size=2, encoder_repetition_penalty=2.0)),
    (FEW, (0,), dict(repetition_penalty=1.5)),
    (FEW, (0,), dict(repetition_penalty=0.8, no_repeat_ngram_size=3)),
    (FEW, (0,), dict(repetition_penalty=1.5, renormalize_logits=True)),
    (FEW, (0,), dict(encoder_repetition_penalty=1.5)),
    (FEW, (0,), dict(encoder_repetition_penalty=0.6, renormalize_logits=True)),
    (FEW, (0,), dict(suppress_tokens=list(range(20, 90)))),
    (FEW, (0,), dict(suppress_tokens=list(range(20, 90)), renormalize_logits=True)),
    (FEW, (0,), dict(begin_suppress_tokens=list(range(20, 90)))),
    (FEW, (0,), dict(begin_suppress_tokens=list(range(20, 90)), forced_bos_token_id=7)),
    (FEW, (0,), dict(max_new_tokens=7)),
    (FEW, (0,), dict(min_new_tokens=6, sequence_bias=ENDS)),
    (FEW, (0,), dict(min_length=6, sequence_bias=ENDS, renormalize_logits=True)),
    (FEW, (0,), dict(sequence_bias=[[[33], 2.0], [[33, 33], -6.0], [[41], -1.5], [[33, 33], -5.0],
                                    [[33, 40], 4.0], [[33, 40, 12], 3.0]])),
    (FEW, (0,), dict(exponential_decay_length_penalty=[3, 1.2])),
    (FEW, (0,), dict(exponential_decay_length_penalty=[5, 1.3], renormalize_logits=True)),
    (FEW, (0,), dict(forced_eos_token_id=[0, 7], renormalize_logits=True, max_length=9)),
    (FEW, (0,), dict(forced_eos_token_id=None, max_length=9)),
    (FEW, (0,), dict(eos_token_id=[0, 35, 60], sequence_bias=ENDS)),
    (FEW, (0,), dict(eos_token_id=[0, 35, 60], sequence_bias=ENDS, early_stopping=True,
                     min_length=4, bad_words_ids=[[124], [35], [60], [20, 20]])),
    (FEW, (0,), dict(eos_token_id=[0, 35], sequence_bias=ENDS, early_stopping="never",
                     length_penalty=2.0, forced_eos_token_id=None)),
    (FEW, (0,), dict(bad_words_ids=[[124], [33, 33], [33, 40, 12]], renormalize_logits=True)),
    (FEW, (0,), dict(length_penalty=0.6, early_stopping=True, sequence_bias=ENDS,
                     renormalize_logits=True)),
    (FEW, (0,), dict(length_penalty=-1.0, sequence_bias=ENDS, renormalize_logits=True)),
    (FEW, (0,), dict(forced_decoder_ids=[[1, 12], [3, 30], [4, None]], sequence_bias=ENDS)),
    (FEW, (0,), ALL),
    # With a prefix.
    (FEW, (1, 2), dict(sequence_bias=ENDS)),
    (FEW, (1, 2), dict(renormalize_logits=True)),
    (FEW, (1, 2), dict(sequence_bias=ENDS, length_penalty=0.5, early_stopping=True,
                       repetition_penalty=1.2)),
    (FEW, (1, 2), dict(sequence_bias=ENDS, length_penalty=2.0, early_stopping="never",
                       no_repeat_ngram_size=2)),
    (FEW, (1,), dict(sequence_bias=ENDS, max_new_tokens=5, min_new_tokens=2)),
    (FEW, (1,), dict(sequence_bias=ENDS, begin_suppress_tokens=[0, 33], forced_bos_token_id=7)),
    (FEW, (1,), ALL),
]


class ForceTokens(LogitsProcessor):
    """ForceTokensLogitsProcessor of transformers 4.30."""

    def __init__(self, pairs):
        self.force = dict(pairs)

    def __call__(self, input_ids, scores):
        token = self.force.get(input_ids.shape[-1])
        if token is not None:
            scores = torch.full_like(scores, -torch.inf)
            scores[:, token] = 0
        return scores


def greedy_score(out, tokens, config):
    """generate gives greedy search no score: that of the beam's formula, where the rules have changed
    logits and not log-probabilities; a token that is forced alone counts 0. The sum in double."""
    total = 0.0
    for step, token in enumerate(tokens):
        after, before = out.scores[step][0].double(), out.logits[step][0].double()
        if config.renormalize_logits:
            total += float(after[token])
        elif torch.isfinite(after).sum() > 1:
            total += float(after[token] - torch.logsumexp(before, dim=-1))
    return total / len(tokens) ** (1.0 if config.length_penalty is None else config.length_penalty)


class Results:
    def __init__(self):
        self.kinds, self.cases, self.prefix, self.case_prefix, self.case_first = [], [], [], [0], [0]
        self.ids, self.first, self.scores = [], [0], []

    def run(self, model, options, ids, number, beams, way, prefix):
        options = dict(options)
        forced = options.pop("forced_decoder_ids", None)
        given = dict(num_beams=beams, num_return_sequences=2 if beams > 1 else 1,
                     output_scores=True, output_logits=True, return_dict_in_generate=True)
        config = GenerationConfig(**(options | given))
        extra, start = {}, [options["decoder_start_token_id"]]
        if forced:
            extra["logits_processor"] = LogitsProcessorList([ForceTokens(forced)])
        if way == 1:
            extra["decoder_input_ids"] = torch.tensor([start + prefix])
        if way == 2:
            everything = list(range(model.config.decoder_vocab_size))
            extra["prefix_allowed_tokens_fn"] = lambda _, so_far: (
                [prefix[len(so_far) - 1]] if len(so_far) <= len(prefix) else everything)
        bias, pad = model.final_logits_bias, options["pad_token_id"]
        former = float(bias[0, pad])
        if way == 2 and config.renormalize_logits:
            # Made anew, the probability of a token that is alone is 1, and it would count 0. The same
            # distribution without that: <pad> has no probability from the start.
            config.renormalize_logits, bias[0, pad] = False, -torch.inf
        with torch.no_grad():
            out = model.generate(input_ids=torch.tensor([ids]), generation_config=config, **extra)
        bias[0, pad] = former
        if beams == 1 and way == 2:
            return  # what is forced would count 0
        skipped = len(prefix) if way == 1 else 0
        self.cases.append([len(self.kinds) - 1, number, beams, given["num_return_sequences"], way])
        self.prefix += prefix
        self.case_prefix.append(len(self.prefix))
        for h, sequence in enumerate(out.sequences.tolist()):
            sequence = sequence[1:]
            while sequence[-1] == options["pad_token_id"]:
                sequence.pop()
            self.ids += sequence
            self.first.append(len(self.ids))
            self.scores.append(float(out.sequences_scores[h]) if beams > 1
                               else greedy_score(out, sequence[skipped:], config))
        self.case_first.append(len(self.first) - 1)

    def save(self, path):
        save_file({
            "kinds": text(self.kinds),
            "keys": text(sorted(GenerationConfig().to_dict().keys() | vars(GenerationConfig()))),
            "cases": np.array(self.cases, dtype=np.int32),
            "prefix": np.array(self.prefix, dtype=np.uint16),
            "case_prefix": np.array(self.case_prefix, dtype=np.int32),
            "case_first": np.array(self.case_first, dtype=np.int32),
            "first": np.array(self.first, dtype=np.int32),
            "ids": np.array(self.ids, dtype=np.uint16),
            "scores": np.array(self.scores, dtype=np.float32),
        }, path)
        print(path.name, len(self.cases), "cases", len(self.scores), "hypotheses")


def text(strings):
    return np.frombuffer("".join(s + "\0" for s in strings).encode(), dtype=np.uint8)


def main():
    torch.set_num_threads(1)
    folder = checkpoints.DATA / "checkpoints" / NAME
    model = checkpoints.build(NAME)
    # What a key of None means would be asked of this.
    model.generation_config = GenerationConfig()
    tokenizer = MarianTokenizer.from_pretrained(folder)
    own = json.loads((folder / "generation_config.json").read_text())
    own.update(max_length=20)
    del own["renormalize_logits"]
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    short = [i for i, line in enumerate(lines) if len(tokenizer(line)["input_ids"]) <= MOST]
    print(len(short), "sentences")
    random = np.random.default_rng(38)
    results = Results()
    for k, (n, ways, keys) in enumerate(KINDS):
        results.kinds.append(json.dumps(own | keys))
        for i in range(n):
            number = short[(7 * k + i) % len(short)]
            ids = tokenizer(lines[number])["input_ids"]
            prefix = [int(x) for x in random.integers(10, 124, random.integers(1, 6))]
            for way in ways:
                for beams in (1, 4):
                    results.run(model, own | keys, ids, number, beams, way, prefix if way else [])
        print(k, "of", len(KINDS), flush=True)
    results.save(checkpoints.DATA / "generation.safetensors")


if __name__ == "__main__":
    main()
