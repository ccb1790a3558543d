"""Golden alignments: tests/data/alignments-*.json.

Links of words by recipes as mt/alignment.h has them, from the tensors of transformers in double:
cross-attention weights, and norms of what keys give to queries by equation 3 of Kobayashi et al. 2020.
Pieces meet words by SentencePiece's own offsets. For each pair: the texts, the layer with the highest
mean norm, the matrix of words of the default recipe, and of each recipe its links as Pharaoh has
them. As the model of the other direction stands the same model, with source and target exchanged:
the numbers are what is tested, not whether it understands.

A case in which two numbers are so near each other that rounding to float decides is left out.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import re
import tempfile

import numpy as np
import torch
from transformers import MarianMTModel, MarianTokenizer

import checkpoints
from make_forward import TINY

FROZEN = [("I have two dogs.", "Ich habe zwei Hunde."),
          ("My brother bought an old house.", "Mein Bruder hat ein altes Haus gekauft."),
          ("She doesn't like loud music at all.", "Laute Musik mag sie überhaupt nicht."),
          ("The animal didn't cross the street because it was too tired.",
           "Das Tier überquerte die Straße nicht, weil es zu müde war."),
          ("Good - very good !", "Gut - sehr gut !")]
NEAR = 1e-4

DEFAULT = {"matrix": "norms", "of": "auto", "row": "input", "source": "sum", "target": "mean",
           "special": "drop", "choose": "argmax", "threshold": 0.2, "symmetry": "none",
           "punctuation": "off"}
RECIPES = [
    {}, {"row": "output"}, {"matrix": "weights"}, {"matrix": "weights", "row": "output", "of": "2"},
    {"of": "1"}, {"of": "2.1"}, {"of": "1.1+2.2"}, {"matrix": "weights", "of": "1.2"},
    {"matrix": "weights", "of": "1.1+1.2+2.1", "special": "keep"}, {"special": "keep"},
    {"source": "mean"}, {"target": "sum", "choose": "threshold"},
    {"choose": "threshold", "threshold": 0.35}, {"choose": "threshold", "special": "keep"},
    {"punctuation": "on"}, {"punctuation": "on", "choose": "threshold", "threshold": 0.1},
    {"symmetry": "intersection"}, {"symmetry": "union"}, {"symmetry": "grow-diag-final"},
    {"symmetry": "grow-diag-final", "choose": "threshold", "threshold": 0.15},
    {"symmetry": "grow-diag-final", "matrix": "weights", "of": "1"},
]


class NearTie(Exception):
    pass


def words(text):
    return [m.span() for m in re.finditer(r"\S+", text)]


def is_punctuation(word):
    return not any(c.isalnum() for c in word)


class Pair:
    """One direction of one pair in a model in double."""

    def __init__(self, model, tokenizer, source, target):
        self.texts = source, target
        self.words = words(source), words(target)
        self.pieces = [self.spans(tokenizer, source, True), self.spans(tokenizer, target, False)]
        ids = tokenizer(source)["input_ids"]
        out = tokenizer(text_target=target)["input_ids"]
        assert len(ids) == len(self.pieces[0]) + 1 and len(out) == len(self.pieces[1]) + 1
        values, hooks = {}, []
        for i, layer in enumerate(model.model.decoder.layers):
            hooks.append(layer.encoder_attn.v_proj.register_forward_hook(
                lambda _m, _a, y, i=i: values.__setitem__(i, y[0])))
        with torch.no_grad():
            result = model(input_ids=torch.tensor([ids]),
                           decoder_input_ids=torch.tensor(
                               [[model.config.decoder_start_token_id] + out[:-1]]),
                           output_attentions=True, use_cache=False)
        for hook in hooks:
            hook.remove()
        self.weights = torch.stack([a[0] for a in result.cross_attentions])  # [L][H][T][S]
        self.f = []
        for i, layer in enumerate(model.model.decoder.layers):
            n_heads = self.weights.shape[1]
            v = values[i].reshape(len(ids), n_heads, -1)
            w = layer.encoder_attn.out_proj.weight.reshape(-1, n_heads, v.shape[-1])
            self.f.append(torch.einsum("jhk,ohk->hjo", v, w))

    @staticmethod
    def spans(tokenizer, text, is_source):
        """Of each piece the words that it has characters of, as SentencePiece counts."""
        spm = tokenizer.spm_source if is_source else tokenizer.spm_target
        proto = spm.encode(text, return_type="proto")
        # Offsets are in bytes; white space is part of a piece, not of a word.
        at = [(len(text[:b].encode()), len(text[:e].encode())) for b, e in words(text)]
        return [[w for w, (b, e) in enumerate(at)
                 if any(b <= c < e for c in range(p.begin, p.end))] for p in proto.pieces]

    def layer_norms(self, layer):
        given = torch.einsum("hij,hjo->ijo", self.weights[layer], self.f[layer])
        return given.norm(dim=-1)

    def head_norms(self, layer, head):
        return self.weights[layer, head] * self.f[layer][head].norm(dim=-1)[None, :]

    def best_layer(self, row):
        """The highest mean over rows and columns of words."""
        n_target, n_source = len(self.pieces[1]), len(self.pieces[0])
        first = 1 if row == "input" else 0
        means = [float(self.layer_norms(i)[first:first + n_target, :n_source].mean())
                 for i in range(len(self.f))]
        ordered = sorted(means)
        if len(ordered) > 1 and ordered[-1] - ordered[-2] < NEAR * ordered[-1]:
            raise NearTie
        return int(np.argmax(means))

    def matrix(self, recipe):
        """[target words][source words], and what </s> has."""
        of = recipe["of"]
        norms = recipe["matrix"] == "norms"
        if "." in of:
            heads = [tuple(int(n) - 1 for n in h.split(".")) for h in of.split("+")]
            tokens = torch.stack([self.head_norms(*h) if norms else self.weights[h]
                                  for h in heads]).mean(0)
        else:
            layer = self.best_layer(recipe["row"]) if of == "auto" else int(of) - 1
            tokens = self.layer_norms(layer) if norms else self.weights[layer].mean(0)
        tokens = tokens.numpy()
        columns = np.zeros((len(tokens), len(self.words[0])))
        for w in range(len(self.words[0])):
            own = [j for j, ws in enumerate(self.pieces[0]) if w in ws]
            columns[:, w] = (tokens[:, own].sum(1) if recipe["source"] == "sum" else
                             tokens[:, own].mean(1))
        out = np.zeros((len(self.words[1]), len(self.words[0])))
        special = np.zeros(len(self.words[1]))
        shift = 1 if recipe["row"] == "input" else 0
        for w in range(len(self.words[1])):
            rows = [t + shift for t, ws in enumerate(self.pieces[1]) if w in ws]
            take = np.sum if recipe["target"] == "sum" else np.mean
            out[w] = take(columns[rows], axis=0)
            special[w] = take(tokens[rows, -1])
        if recipe["special"] == "drop":
            special[:] = 0
        if recipe["punctuation"] == "on":
            for t, (b, e) in enumerate(self.words[1]):
                for s, (c, d) in enumerate(self.words[0]):
                    if is_punctuation(self.texts[1][b:e]) != is_punctuation(self.texts[0][c:d]):
                        out[t, s] = 0
        return out, special

    def links(self, recipe):
        found = set()
        for t, (row, special) in enumerate(zip(*self.matrix(recipe))):
            total = row.sum() + special
            shares = row / total if total > 0 else row
            if recipe["choose"] == "threshold":
                if np.any(np.abs(shares - recipe["threshold"]) < NEAR):
                    raise NearTie
                found |= {(s, t) for s in np.flatnonzero(shares >= recipe["threshold"])}
                continue
            ordered = np.sort(np.append(shares, special / total if total > 0 else 0))
            if len(ordered) > 1 and ordered[-1] > 0 and ordered[-1] - ordered[-2] < NEAR:
                raise NearTie
            if shares.max() > 0 and row.max() >= special:
                found.add((int(np.argmax(shares)), t))
        return {(int(s), int(t)) for s, t in found}


def grow_diag_final(a, b):
    """Koehn, Och & Marcu 2003, as their pseudo-code has it; links are (source, target)."""
    union, found = a | b, a & b
    has = lambda side, word: any(link[side] == word for link in found)
    n_source = 1 + max((s for s, _ in union), default=-1)
    n_target = 1 + max((t for _, t in union), default=-1)
    grown = True
    while grown:
        grown = False
        for t in range(n_target):
            for s in range(n_source):
                if (s, t) not in found:
                    continue
                for dt, ds in [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]:
                    new = s + ds, t + dt
                    if (not has(0, new[0]) or not has(1, new[1])) and new in union and new not in found:
                        found.add(new)
                        grown = True
    for direction in (a, b):
        for t in range(n_target):
            for s in range(n_source):
                if (s, t) in direction and (not has(0, s) or not has(1, t)):
                    found.add((s, t))
    return found


def join(kind, a, b):
    return {"none": lambda: a, "intersection": lambda: a & b, "union": lambda: a | b,
            "grow-diag-final": lambda: grow_diag_final(a, b)}[kind]()


def text_of(recipe):
    return " ".join(f"{key}={value}" for key, value in recipe.items()
                    if key != "threshold" or recipe["choose"] == "threshold")


def make(name, model, tokenizer, pairs):
    model = model.double().eval().requires_grad_(False)
    result, left_out = [], 0
    for source, target in pairs:
        own = Pair(model, tokenizer, source, target)
        other = Pair(model, tokenizer, target, source)
        links = {}
        for changes in RECIPES:
            recipe = {**DEFAULT, **changes}
            try:
                found = own.links(recipe)
                if recipe["symmetry"] != "none":
                    back = other.links({**recipe, "symmetry": "none"})
                    found = join(recipe["symmetry"], found, {(s, t) for t, s in back})
            except NearTie:
                left_out += 1
                continue
            links[text_of(recipe)] = " ".join(f"{s}-{t}" for t, s in
                                              sorted((t, s) for s, t in found))
        matrix, _ = own.matrix(DEFAULT)
        result.append({"source": source, "target": target, "layer": own.best_layer("input") + 1,
                       "matrix": [[float(f"{v:.9g}") for v in row] for row in matrix],
                       "links": links})
    out = checkpoints.DATA / f"alignments-{name}.json"
    out.write_text(json.dumps({"pairs": result}, ensure_ascii=False, indent=1) + "\n")
    print(out.name, out.stat().st_size, "bytes,", left_out, "cases left out")


def main():
    folder = checkpoints.DATA / "frozen" / "en-de"
    make("frozen", MarianMTModel.from_pretrained(folder, dtype=torch.float32,
                                                 attn_implementation="eager"),
         MarianTokenizer.from_pretrained(folder), FROZEN)
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints.save("odd-sizes-swish", pathlib.Path(scratch))
        tokenizer = MarianTokenizer.from_pretrained(scratch)
    model = checkpoints.build("odd-sizes-swish")
    model.config._attn_implementation = "eager"
    make("odd-sizes-swish", model, tokenizer, TINY)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
