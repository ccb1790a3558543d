"""Golden results of changed models: tests/data/changes-*.safetensors.

The changes are made by a replacement of the eager attention function: scores become -inf or 0 before
the softmax, contexts are multiplied after it. In "changes" are their texts, each several lines, ended by
NUL; in "sentences" the sentences, likewise. Case c is change list c // n_sentences of sentence
c % n_sentences, and has "greedy_ids" and "beam_ids" (4 beams) from "…_first"[c] to "…_first"[c + 1],
without the start token, "greedy_scores" [c] and "beam_scores" [c] (sequences_scores, length penalty
1), and "logprobs" of the greedy ids, teacher-forced. "c.<kind>.weights" are those of sentence 0,
layers [layers picked][heads][rows][keys], "layers" says which.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import tempfile
import pathlib

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import GenerationConfig, MarianMTModel, MarianTokenizer
from transformers.models.marian import modeling_marian as hf

import checkpoints

FROZEN = ["The children are playing in the garden.", "I have two dogs.", "Where is the train station?",
          "She did not want to go home, but it was already late.", "It rains.",
          "My brother bought an old house.", "The old man gave his dog a piece of bread.",
          "He asked me whether I had seen his keys.", "We will meet tomorrow at nine.",
          "The book on the table is not mine.", "Nobody knew the answer.", "Yes."]
TINY = ["the cat sat on the mat .", "two dogs eat bread and the sun is warm today", "where"]
# First with six layers of eight heads, then with what the small checkpoints have at least.
CHANGES = ["cross 4.1 zero", "encoder 2 zero", "decoder *.3 zero", "cross 5-6.2-4 zero",
           "encoder *.3 scale -0.5", "decoder 2 scale 1.75", "encoder window 2",
           "decoder window 1", "source 2 hide", "cross 6.1-3 key 1-2 hide",
           "decoder 3 query 3 key 1 hide",
           "cross 4.1 zero\ncross 6 scale 0.25\nencoder 1.2 window 1\nsource 2 hide\n"
           "decoder 2.1-4 zero",
           "cross 4.1-3 uniform", "encoder 1 uniform\nencoder 1 window 2",
           "decoder *.2-5 uniform\ncross 5 query 2-3 uniform\nsource 2 hide"]
SMALL = ["cross 2.1 zero", "encoder 1 zero", "decoder *.2 zero", "encoder *.1 scale -0.5",
         "encoder window 1", "source 2 hide", "cross 2.1 key 1 hide",
         "cross 1.1 zero\ndecoder 2 scale 0.25\nencoder 1.2 window 1\nsource 2 hide\n"
         "encoder 2 zero",
         "cross 2.1 uniform", "encoder 1 window 1\nencoder *.2 uniform",
         "decoder 2 uniform\ncross query 2-3 uniform\nsource 2 hide"]


def numbers(text):
    """"2-4" as a predicate on numbers from 0."""
    if text == "*":
        return lambda i: True
    first, _, last = text.partition("-")
    return lambda i: int(first) - 1 <= i <= int(last or first) - 1


def everything(_i):
    return True


class Change:
    def __init__(self, line):
        words = line.split()
        self.where = words.pop(0)
        self.layer = self.head = self.query = self.key = everything
        if words[0][0].isdigit() or words[0][0] == "*":
            first, _, second = words.pop(0).partition(".")
            if self.where == "source":
                self.key = numbers(first)
            else:
                self.layer = numbers(first)
                self.head = numbers(second) if second else everything
        while words[0] in ("query", "key"):
            setattr(self, words[0], numbers(words[1]))
            del words[:2]
        self.what = words[0]
        self.number = float(words[1]) if words[1:] else 0

    def is_at(self, kind, layer, head):
        kinds = ("encoder", "cross") if self.where == "source" else (self.where,)
        return kind in kinds and self.layer(layer) and self.head(head)

    def hides(self, query, key):
        return (abs(query - key) > self.number if self.what == "window"
                else self.what == "hide" and self.query(query) and self.key(key))

    def levels(self, query):
        return self.what == "uniform" and self.query(query)

    def factor(self):
        return {"zero": 0.0, "scale": self.number}.get(self.what, 1.0)


class Changed:
    """The model while its attention is changed."""

    def __init__(self, model, lines):
        self.model = model
        self.changes = [Change(line) for line in lines.split("\n")]
        self.place = {}
        for kind, layers, name in (("encoder", model.model.encoder.layers, "self_attn"),
                                   ("decoder", model.model.decoder.layers, "self_attn"),
                                   ("cross", model.model.decoder.layers, "encoder_attn")):
            for i, layer in enumerate(layers):
                self.place[getattr(layer, name)] = (kind, i)
        self.weights = {}

    def attention(self, module, query, key, value, attention_mask, scaling=None, dropout=0.0,
                  **_kwargs):
        kind, layer = self.place[module]
        scores = torch.matmul(query, key.transpose(2, 3)) * scaling
        if attention_mask is not None:
            scores = scores + attention_mask
        n_heads, n_queries, n_keys = scores.shape[1:]
        begin = n_keys - n_queries if kind == "decoder" else self.position
        factors = torch.ones(n_heads)
        for head in range(n_heads):
            for change in self.changes:
                if not change.is_at(kind, layer, head):
                    continue
                factors[head] *= change.factor()
                for q in range(n_queries):
                    at = (begin if kind != "encoder" else 0) + q
                    if change.levels(at):  # what a mask of transformers hides has a number, not -inf
                        seen = scores[:, head, q] > torch.finfo(torch.float32).min / 2
                        scores[:, head, q] = torch.where(seen, 0.0, -torch.inf)
                    for k in range(n_keys):
                        if change.hides(at, k):
                            scores[:, head, q, k] = -torch.inf
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
        context = torch.matmul(weights, value) * factors[None, :, None, None]
        if kind == "decoder":  # of the same step; the cross-attention that follows has no cache of it
            self.position = begin
        self.weights[kind, layer] = weights[0].numpy().copy()
        return context.transpose(1, 2).contiguous(), weights

    def __enter__(self):
        self.original, hf.eager_attention_forward = hf.eager_attention_forward, self.attention
        self.position = 0
        return self

    def __exit__(self, *_error):
        hf.eager_attention_forward = self.original


def search(model, generation, source_ids, beams, max_length):
    config = GenerationConfig(**dict(
        generation.to_dict(), num_beams=beams, num_return_sequences=1, max_length=max_length,
        min_length=0, length_penalty=1.0, early_stopping=False, output_scores=True,
        return_dict_in_generate=True))
    out = model.generate(input_ids=torch.tensor([source_ids]), generation_config=config)
    ids = out.sequences[0].tolist()[1:]
    while ids and ids[-1] == config.pad_token_id and config.pad_token_id != config.eos_token_id:
        ids.pop()
    return ids, float(out.sequences_scores[0]) if beams > 1 else float("nan")


@torch.no_grad()
def make(model, generation, tokenizer, lists, sentences, layers, max_length, out):
    start = model.config.decoder_start_token_id
    result = {name: [] for name in ("greedy_ids", "beam_ids", "logprobs", "beam_scores")}
    firsts = {"greedy_first": [0], "beam_first": [0]}
    tensors = {}
    for c, lines in enumerate(lists):
        for s, text in enumerate(sentences):
            source_ids = tokenizer(text)["input_ids"]
            with Changed(model, lines) as changed:
                greedy, _ = search(model, generation, source_ids, 1, max_length)
                beam, score = search(model, generation, source_ids, 4, max_length)
                changed.position = 0
                logits = model(input_ids=torch.tensor([source_ids]), use_cache=False,
                               decoder_input_ids=torch.tensor([[start] + greedy[:-1]])).logits[0]
            if s == 0:
                for kind in ("encoder", "decoder", "cross"):
                    tensors[f"{c}.{kind}.weights"] = np.stack(
                        [changed.weights[kind, layer] for layer in layers]).astype(np.float32)
            logprobs = torch.log_softmax(logits, dim=-1)
            result["logprobs"] += logprobs[torch.arange(len(greedy)), torch.tensor(greedy)].tolist()
            result["greedy_ids"] += greedy
            result["beam_ids"] += beam
            result["beam_scores"].append(score)
            firsts["greedy_first"].append(len(result["greedy_ids"]))
            firsts["beam_first"].append(len(result["beam_ids"]))
    for name, texts in (("changes", lists), ("sentences", sentences)):
        tensors[name] = np.frombuffer("".join(t + "\0" for t in texts).encode(), dtype=np.uint8)
    for name, value in result.items():
        tensors[name] = np.array(value, dtype=np.int32 if name.endswith("ids") else np.float32)
    for name, value in firsts.items():
        tensors[name] = np.array(value, dtype=np.int32)
    tensors["layers"] = np.array(layers, dtype=np.int32)
    tensors["max_length"] = np.array([max_length], dtype=np.int32)
    save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()}, out)
    print(out.name, out.stat().st_size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="NAME")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    for name in ("post-norm-relu", "odd-sizes-swish"):
        if only in (None, name):
            with tempfile.TemporaryDirectory() as scratch:
                checkpoints.save(name, pathlib.Path(scratch))
                tokenizer = MarianTokenizer.from_pretrained(scratch)
                generation = GenerationConfig.from_pretrained(scratch)
            model = checkpoints.build(name)
            make(model, generation, tokenizer, SMALL, TINY, [0, 1], 16,
                 checkpoints.DATA / f"changes-{name}.safetensors")
    if only in (None, "frozen"):
        folder = checkpoints.DATA / "frozen" / "en-de"
        model = MarianMTModel.from_pretrained(folder, dtype=torch.float32,
                                              attn_implementation="eager").eval()
        make(model, GenerationConfig.from_pretrained(folder),
             MarianTokenizer.from_pretrained(folder), CHANGES, FROZEN, [0, 5], 40,
             checkpoints.DATA / "changes-frozen.safetensors")


if __name__ == "__main__":
    main()
