"""Searches with terms that a translation must have: tests/data/terms.safetensors.
Made with PyTorch 2.13.0 and transformers 5.24.0.

What is made, and of which checkpoint, make_generation.py says; besides, the terms of case c are those
from case_term[c] on, up to case_term[c + 1], and term t is terms[term_first[t] : term_first[t + 1]].

transformers has had no constrained search since its release 5, and that of the releases before is another
algorithm. So two references are here, both independent of the engine, on probabilities and rules that
transformers computes:

- dynamic beam allocation (Post and Vilar, NAACL 2018), as engine/search/mt-search.h says, written plainly: every
  continuation of every hypothesis is looked at, and what is missing is counted from its tokens anew;
- where there are few words and few tokens: all translations there are, of which the best that have the terms
  are taken. Then a beam of 256 leaves nothing out.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import itertools
import json

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import GenerationConfig, LogitsProcessorList, MarianTokenizer

import checkpoints
from make_generation import ENDS, MOST, NAME, SENTENCES, text

COUNTED = 2  # a prefix whose tokens count in the score; it may be empty
FEW_WORDS = [12, 30, 31, 47, 80]
WIDE = 256

DYNAMIC = [
    dict(sequence_bias=ENDS),
    dict(sequence_bias=ENDS, early_stopping=True, length_penalty=0.6),
    dict(sequence_bias=ENDS, early_stopping="never", length_penalty=2.0, no_repeat_ngram_size=2),
    dict(sequence_bias=ENDS, min_length=9, forced_eos_token_id=None),
    dict(no_repeat_ngram_size=1, repetition_penalty=1.3),
    dict(renormalize_logits=True, sequence_bias=ENDS, min_length=4),
    dict(max_length=11),
]
EVERYTHING = [
    dict(max_length=6, forced_eos_token_id=None, early_stopping="never",
         suppress_tokens=[i for i in range(125) if i not in FEW_WORDS + [0]]),
    dict(max_length=6, early_stopping="never", length_penalty=0.5, no_repeat_ngram_size=2,
         suppress_tokens=[i for i in range(125) if i not in FEW_WORDS + [0]]),
]


def has(ids, term):
    return any(ids[i:i + len(term)] == term for i in range(len(ids) - len(term) + 1))


def missing(terms, ids):
    left = [term for term in terms if not has(ids, term)]
    begun = [k for term in left for k in range(1, len(term)) if ids[-k:] == term[:k]]
    return sum(map(len, left)) - max(begun, default=0)


class Model:
    """What follows a row of tokens, as generate's beam search sees it."""

    def __init__(self, model, options, source):
        self.config = GenerationConfig(**options)
        self.model, self.source = model, torch.tensor([source])
        self.start = options["decoder_start_token_id"]
        self.eos = options["eos_token_id"]
        self.penalty = options.get("length_penalty", 1.0)
        model._prepare_special_tokens(self.config, device="cpu")
        self.rules = model._get_logits_processor(
            generation_config=self.config, input_ids_seq_length=1, encoder_input_ids=self.source,
            logits_processor=LogitsProcessorList(), device="cpu")
        self.known = {}

    def after(self, ids):
        """Scores of all tokens behind these, after the rules."""
        key = tuple(ids)
        if key not in self.known:
            so_far = torch.tensor([[self.start] + list(ids)])
            with torch.no_grad():
                logits = self.model(input_ids=self.source, decoder_input_ids=so_far).logits[:, -1]
            self.known[key] = self.rules(so_far, torch.log_softmax(logits.float(), -1))[0].numpy()
        return self.known[key]

    def behind_prefix(self, ids, prefix):
        """The same; a token of a prefix is all there is, and counts as the model has it."""
        if len(ids) >= len(prefix):
            return self.after(ids)
        so_far = torch.tensor([[self.start] + list(ids)])
        with torch.no_grad():
            logits = self.model(input_ids=self.source, decoder_input_ids=so_far).logits[:, -1]
        if self.config.renormalize_logits:
            logits[0, self.config.pad_token_id] = -torch.inf
        scores = torch.log_softmax(logits.float(), -1)[0].numpy()
        only = np.full_like(scores, -np.inf)
        only[prefix[len(ids)]] = scores[prefix[len(ids)]]
        return only

    def score(self, total, length):
        return np.float32(total) / np.float32(length ** self.penalty)


def allocate(found, places):
    banks = len(found)
    size, left = [0] * banks, places % banks
    for share in (places // banks, 0):
        for b in reversed(range(banks)):
            left += share
            taken = min(left, found[b] - size[b])
            size[b] += taken
            left -= taken
    return size


def dynamic(model, beams, n_best, terms, prefix):
    config = model.config
    terms = [t for i, t in enumerate(terms)
             if not any(has(u, t) and (len(u) > len(t) or k < i)
                        for k, u in enumerate(terms) if k != i)]
    wanted = sum(map(len, terms))
    most = config.max_length - 1  # tokens behind the start
    room = most - (1 if config.forced_eos_token_id is not None else 0)
    running, finished = [([], np.float32(0))], []
    while running:
        banks = [[] for _ in range(wanted + 1)]
        for ids, total in running:
            scores = model.behind_prefix(ids, prefix)
            lacks = missing(terms, ids) > 0
            for v in np.flatnonzero(np.isfinite(scores)):
                then = ids + [int(v)]
                left = missing(terms, then)
                if v == model.eos and lacks and len(ids) >= len(prefix):
                    continue
                if left and len(then) > len(prefix) and len(then) + left > room:
                    continue
                banks[wanted - left].append((then, np.float32(scores[v] + total)))
        for bank in banks:
            bank.sort(key=lambda candidate: -candidate[1])
            del bank[2 * beams:]

        def ends(candidate):
            return candidate[0][-1] == model.eos or len(candidate[0]) == most

        go_on = [[c for c in bank if not ends(c)] for bank in banks]
        size = allocate([len(bank) for bank in go_on], beams)
        running = sorted((c for bank, n in zip(go_on, size) for c in bank[:n]), key=lambda c: -c[1])
        if not (config.early_stopping is True and len(finished) == beams):
            finished += [(ids, model.score(total, len(ids)))
                         for bank in banks for ids, total in filter(ends, bank[:beams])]
            finished = sorted(finished, key=lambda f: -f[1])[:beams]
        if len(finished) == beams and running:
            longest = config.early_stopping == "never" and model.penalty > 0
            length = most if longest else len(running[0][0])
            if (config.early_stopping is True
                    or model.score(running[0][1], length) <= finished[-1][1]):
                break
    return finished[:n_best]


def everything(model, n_best, terms):
    """The best of all translations of few words."""
    most = model.config.max_length - 1
    forced = model.config.forced_eos_token_id is not None
    found = []
    for n in range(most + 1):
        for words in itertools.product(FEW_WORDS, repeat=n):
            ids = list(words) + ([model.eos] if n < most else [])
            if (n == most and forced) or not all(has(ids, term) for term in terms):
                continue
            total = sum(np.float32(model.after(ids[:i])[v]) for i, v in enumerate(ids))
            if np.isfinite(total):
                found.append((ids, model.score(total, len(ids))))
    return sorted(found, key=lambda f: -f[1])[:n_best]


class Results:
    def __init__(self):
        self.kinds, self.cases, self.prefix, self.case_prefix, self.case_first = [], [], [], [0], [0]
        self.ids, self.first, self.scores = [], [0], []
        self.terms, self.term_first, self.case_term = [], [0], [0]

    def add(self, number, beams, terms, prefix, found):
        assert all(has(ids, term) for ids, _ in found for term in terms)
        self.cases.append([len(self.kinds) - 1, number, beams, len(found), COUNTED])
        self.prefix += prefix
        self.case_prefix.append(len(self.prefix))
        for term in terms:
            self.terms += term
            self.term_first.append(len(self.terms))
        self.case_term.append(len(self.term_first) - 1)
        for ids, score in found:
            self.ids += ids
            self.first.append(len(self.ids))
            self.scores.append(float(score))
        self.case_first.append(len(self.scores))

    def save(self, path):
        whole = dict(cases=self.cases, case_prefix=self.case_prefix, case_first=self.case_first,
                     first=self.first, term_first=self.term_first, case_term=self.case_term)
        short = dict(prefix=self.prefix, ids=self.ids, terms=self.terms)
        save_file({"kinds": text(self.kinds), "scores": np.array(self.scores, dtype=np.float32)}
                  | {k: np.array(v, dtype=np.int32) for k, v in whole.items()}
                  | {k: np.array(v, dtype=np.uint16) for k, v in short.items()}, path)
        print(path.name, len(self.cases), "cases", len(self.scores), "hypotheses")


def main():
    torch.set_num_threads(1)
    folder = checkpoints.DATA / "checkpoints" / NAME
    model = checkpoints.build(NAME)
    model.generation_config = GenerationConfig()
    tokenizer = MarianTokenizer.from_pretrained(folder)
    own = json.loads((folder / "generation_config.json").read_text())
    own.update(max_length=16)
    del own["renormalize_logits"]
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    sources = [tokenizer(line)["input_ids"] for line in lines]
    short = [i for i, ids in enumerate(sources) if len(ids) <= MOST // 3]
    random = np.random.default_rng(68)
    results = Results()

    def some_terms(words, sizes):
        return [[int(x) for x in random.choice(words, size, replace=False)] for size in sizes]

    for k, keys in enumerate(DYNAMIC):
        results.kinds.append(json.dumps(own | keys))
        for i in range(20):
            number = short[(11 * k + i) % len(short)]
            of = Model(model, own | keys, sources[number])
            prefix = [int(x) for x in random.integers(10, 124, i % 4)] if i % 2 else []
            terms = some_terms(range(10, 124), [(1,), (2,), (1, 1), (3, 1), (2, 2)][i % 5])
            if i % 7 == 6 and prefix:
                terms[0] = prefix[-1:] + terms[0][1:]  # begun by the prefix, or there
            for beams in (1, 3, 6):
                found = dynamic(of, beams, min(beams, 3), terms, prefix)
                results.add(number, beams, terms, prefix, found)
        print(k, "of", len(DYNAMIC), flush=True)
    for keys in EVERYTHING:
        results.kinds.append(json.dumps(own | keys))
        for i in range(6):
            number = short[i]
            of = Model(model, own | keys, sources[number])
            terms = some_terms(FEW_WORDS, [(1,), (2,), (1, 1), (1, 2), (3,), (1, 1, 1)][i])
            results.add(number, WIDE, terms, [], everything(of, 5, terms))
    results.save(checkpoints.DATA / "terms.safetensors")


if __name__ == "__main__":
    main()
