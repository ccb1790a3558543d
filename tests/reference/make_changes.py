"""Golden results of changed models: tests/data/changes-*.safetensors.

The changes are made by a replacement of the eager attention function, in which scores, weights and
contexts are changed, and by forward hooks on projections, embeddings, positions and sub-layers. In
"changes" are their texts, each several lines, ended by NUL; in "sentences" the sentences, likewise. Case c is change list c // n_sentences of sentence
c % n_sentences, and has "greedy_ids" and "beam_ids" (4 beams) from "…_first"[c] to "…_first"[c + 1],
without the start token, "greedy_scores" [c] and "beam_scores" [c] (sequences_scores, length penalty
1), and "logprobs" of the greedy ids, teacher-forced. "c.<kind>.weights" are those of sentence 0,
layers [layers picked][heads][rows][keys], "layers" says which. Files "…-fifty-…" have every kind of
change with 50 sentences. Where there are patches and means, "reference" is the text of the run that
they are of: its greedy translation, teacher-forced.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import pathlib
import tempfile

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import GenerationConfig, MarianMTModel, MarianTokenizer

import anatomy
import checkpoints
import families
from change_lists import (CHANGES, FAMILIES, FIFTY, FIFTY_SMALL, FROZEN, LEARNED, MORE, MORE_SMALL,
                          PATCHES, PATCHES_SMALL, SINUSOIDAL, SMALL, TINY, fifty)


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
        parts = ("position", "attention", "feed-forward", "layer", "stream", "input")
        self.part = words.pop(0) if words[0] in parts else ""
        self.layer = self.head = self.query = self.key = self.token = everything
        if words[0][0].isdigit() or words[0][0] == "*":
            first, _, second = words.pop(0).partition(".")
            self.first = first
            if self.where == "source" or self.part == "position":
                self.key = numbers(first)
            else:
                self.layer = numbers(first)
                self.head = numbers(second) if second else everything
        while words[0] in ("query", "key", "token"):
            setattr(self, words[0], numbers(words[1]))
            del words[:2]
        self.what = words[0]
        self.number = float(words[1]) if words[1:] else 0

    def is_at(self, kind, layer, head):
        kinds = ("encoder", "cross") if self.where == "source" else (self.where,)
        return not self.part and kind in kinds and self.layer(layer) and self.head(head)

    def hides(self, query, key):
        if not self.query(query):
            return False
        distance = {"diagonal": 0, "previous": -1, "next": 1}.get(self.what)
        if distance is not None:
            return key - query != distance
        return (abs(query - key) > self.number if self.what == "window"
                else self.what == "hide" and self.key(key))

    def levels(self, query):
        return self.what == "uniform" and self.query(query)

    def factor(self):
        zero = self.what == "zero" and self.where != "source"
        return 0.0 if zero else self.number if self.what == "scale" else 1.0


def encoding(position, d, interleaved):
    """Vaswani et al. 2017, section 3.5, for any position; halves: as Marian lays it out."""
    angles = position / np.power(10000, 2 * np.arange(d // 2) / d)
    pair = np.sin(angles), np.cos(angles)
    return np.stack(pair, axis=-1).reshape(d) if interleaved else np.concatenate(pair)


class Changed:
    """The model while it is changed."""

    def __init__(self, model, lines, reference=None):
        self.model = model
        self.reference = reference  # (kind or stack, what, layer) -> [rows][d]
        self.changes = [Change(line) for line in lines.split("\n")]
        self.weights = {}
        self.handles = []

    def of(self, where, part):
        return [c for c in self.changes if c.where == where and c.part == part]

    def projected(self, kind, layer, n_heads):
        """The heads of a projection [batch][rows][d], some being copies of others."""
        def hook(_module, _args, out):
            out = out.clone()
            d_head = out.shape[-1] // n_heads
            for change in self.of(kind, ""):
                if change.what == "copy" and change.layer(layer):
                    other = int(change.number - 1) * d_head
                    copied = out[..., other:other + d_head].clone()
                    for head in filter(change.head, range(n_heads)):
                        out[..., head * d_head:(head + 1) * d_head] = copied
            return out
        return hook

    def scaled(self, kind, part, layer):
        def hook(_module, _args, out):
            for change in self.of(kind, part):
                if change.layer(layer) and change.what in ("skip", "scale"):
                    factor = 0.0 if change.what == "skip" else change.number
                    out = (out[0] * factor,) + out[1:] if isinstance(out, tuple) else out * factor
            return out
        return hook

    def embedded(self):
        """Source tokens: what the encoder's embedding says, before it is scaled."""
        def hook(module, _args, out):
            out = out.clone()
            for change in self.of("source", ""):
                for token in filter(change.key, range(out.shape[1])):
                    if change.what == "zero":
                        out[:, token] = 0
                    elif change.what == "piece":
                        out[:, token] = module.weight[int(change.number)]
            return out
        return hook

    def positioned(self, where, table, learned):
        def hook(module, args, kwargs, _out):
            shape = args[0].shape if isinstance(args[0], torch.Tensor) else args[0]
            begin = args[1] if len(args) > 1 else kwargs.get("past_key_values_length", 0)
            ids = kwargs.get("position_ids")
            rows = ids.tolist() if ids is not None else range(begin, begin + shape[1])
            # The state of every token, changed by one row of the list after the other.
            state = [[position, False, False] for position in range(table.shape[0])]
            for change in self.of(where, "position"):
                for token in filter(change.key, range(len(state))):
                    if change.what == "zero":
                        state[token][1] = True
                    elif change.what == "shift":
                        state[token][0] += int(change.number)
                    elif change.what == "as":
                        state[token][:2] = [int(change.number) - 1, False]
                    elif change.what == "interleave":
                        state[token][2] = True
                if change.what == "swap":
                    a, b = int(change.first) - 1, int(change.number) - 1
                    state[a], state[b] = state[b], state[a]
            out = []
            for row in rows:
                position, zero, interleaved = state[row]
                vector = (table[position].numpy() if learned
                          else encoding(position, table.shape[1], interleaved))
                out.append(torch.tensor(vector * (not zero), dtype=torch.float32))
            return torch.stack(out)
        return hook

    def attention(self, module, query, key, value, attention_mask, scaling=None, dropout=0.0,
                  position_bias=None, **_kwargs):
        kind, layer = self.place[module]
        scores = torch.matmul(query, key.transpose(2, 3))
        n_heads, n_queries, n_keys = scores.shape[1:]
        scales = torch.full(scores.shape, scaling)
        for change in self.changes:
            for head in range(n_heads):
                if change.is_at(kind, layer, head) and change.what == "unscaled":
                    scales[:, head] = 1
                elif change.is_at(kind, layer, head) and change.what == "cosine":
                    scales[:, head] = 1 / (query[:, head].norm(dim=-1)[:, :, None]
                                           * key[:, head].norm(dim=-1)[:, None, :])
        scores = scores * scales
        if position_bias is not None:
            scores = scores + position_bias
        if attention_mask is not None:
            scores = scores + attention_mask
        begin = n_keys - n_queries if kind == "decoder" else self.position
        begin = 0 if kind == "encoder" else begin
        factors = torch.ones(n_heads)
        hidden = torch.zeros(n_heads, n_queries, n_keys, dtype=torch.bool)
        if kind == "decoder":
            hidden |= torch.arange(n_keys)[None, :] > begin + torch.arange(n_queries)[:, None]
        for change in self.changes:
            for head in range(n_heads):
                if not change.is_at(kind, layer, head):
                    continue
                factors[head] *= change.factor()
                for q in range(n_queries):
                    at = begin + q
                    if change.levels(at):  # what a mask of transformers hides has a number, not -inf
                        seen = scores[:, head, q] > torch.finfo(torch.float32).min / 2
                        scores[:, head, q] = torch.where(seen, 0.0, -torch.inf)
                    if change.what == "temperature" and change.query(at):
                        scores[:, head, q] /= change.number
                    for k in range(n_keys):
                        if change.hides(at, k):
                            scores[:, head, q, k] = -torch.inf
                            hidden[head, q, k] = True
                        if change.what == "add" and change.query(at) and change.key(k):
                            scores[:, head, q, k] += change.number
        weights = torch.softmax(scores.masked_fill(hidden[None], -torch.inf), dim=-1)
        weights = torch.nan_to_num(weights)
        for change in self.changes:
            for head in range(n_heads):
                if change.what not in ("set", "put") or not change.is_at(kind, layer, head):
                    continue
                for q in filter(lambda q: change.query(begin + q), range(n_queries)):
                    named = torch.tensor([change.key(k) for k in range(n_keys)])
                    chosen = named & ~hidden[head, q]
                    if not chosen.any():
                        continue
                    for row in weights[:, head, q]:
                        rest = row[~named].sum()
                        if change.what == "set" and rest > 0:
                            row[~named] *= (1 - chosen.sum() * change.number) / rest
                        row[chosen] = change.number
        context = torch.matmul(weights, value) * factors[None, :, None, None]
        if kind == "decoder":  # of the same step; the cross-attention that follows has no cache of it
            self.position = begin
        self.weights[kind, layer] = weights[0].numpy().copy()
        return context.transpose(1, 2).contiguous(), weights

    def patched(self, where, part, layer, sees_positions):
        """Rows of the stream of a layer, or of what goes into the first."""
        def put(x):
            rows = self.reference[where, part, layer]
            begin = self.position if sees_positions else 0
            x = x.clone()
            for change in self.of(where, part):
                if change.what != "patch" or not change.layer(layer):
                    continue
                for r in range(x.shape[1]):
                    if change.token(begin + r) and begin + r < len(rows):
                        x[:, r] = rows[begin + r]
            return x

        def hook(_module, _args, out):
            return (put(out[0]),) + out[1:] if isinstance(out, tuple) else put(out)

        def pre_hook(_module, args, kwargs):
            if args:
                return (put(args[0]),) + args[1:], kwargs
            return args, dict(kwargs, hidden_states=put(kwargs["hidden_states"]))
        return pre_hook if part == "input" else hook

    def head_values(self, kind, layer, n_heads):
        """What a head found, [batch][rows][d], as it goes into the output projection."""
        def hook(_module, args):
            context = args[0].clone()
            d_head = context.shape[-1] // n_heads
            begin = self.position if kind != "encoder" else 0
            for change in self.of(kind, ""):
                for head in range(n_heads):
                    if change.what not in ("patch", "mean") or not change.is_at(kind, layer, head):
                        continue
                    columns = slice(head * d_head, (head + 1) * d_head)
                    rows = self.reference[kind, "context", layer][:, columns]
                    for r in range(context.shape[1]):
                        if change.what == "mean":
                            context[:, r, columns] = rows.mean(dim=0)
                        elif change.query(begin + r) and begin + r < len(rows):
                            context[:, r, columns] = rows[begin + r]
            return (context,)
        return hook

    def add_patches(self):
        for stack, kind, layer, points in stream_points(self.model):
            for (where, part), module in points.items():
                if part == "input":
                    if stack == "encoder":
                        self.handles.append(module.register_forward_pre_hook(
                            self.patched(where, part, layer, False), with_kwargs=True))
                elif any(c.what == "patch" for c in self.of(where, part)):
                    self.handles.append(module.register_forward_hook(
                        self.patched(where, part, layer, stack == "decoder")))
        for kind, layer, module in heads_of(self.model):
            if any(c.what in ("patch", "mean") for c in self.of(kind, "")):
                self.handles.append(anatomy.out_map(module).register_forward_pre_hook(
                    self.head_values(kind, layer, n_heads_of(module))))

    def swap_layers(self):
        for where, stack in self.stacks.items():
            for change in self.of(where, "layer"):
                # T5's first layer has the bias of all.
                assert not anatomy.is_t5(self.model)
                a, b = int(change.first) - 1, int(change.number) - 1
                layers = list(stack.layers)
                layers[a], layers[b] = layers[b], layers[a]
                # The norms before the first layer and behind the last are the stack's.
                norms = [(layer.norm_in, layer.norm_out) for layer in stack.layers
                         if hasattr(layer, "norm_in")]
                stack.layers = torch.nn.ModuleList(layers)
                for layer, (norm_in, norm_out) in zip(layers, norms):
                    layer.norm_in, layer.norm_out = norm_in, norm_out
                for i, layer in enumerate(layers):  # their keys and values are kept by place
                    for name in ("self_attn", "encoder_attn"):
                        if hasattr(layer, name):
                            getattr(layer, name).layer_idx = i if where == "decoder" else None

    def add_hooks(self):
        self.place = {}
        for kind, i, module in heads_of(self.model):
            self.place[module] = (kind, i)
            for projection in (("q", "k") if hasattr(module, "q") else ("q_proj", "k_proj")):
                hook = self.projected(kind, i, n_heads_of(module))
                self.handles.append(getattr(module, projection).register_forward_hook(hook))
            self.handles.append(module.register_forward_hook(self.scaled(kind, "attention", i)))
        for kind, stack in anatomy.stacks(self.model).items():
            for i, layer in enumerate(stack.layers):
                hook = self.scaled(kind, "feed-forward", i)
                self.handles.append(layer.network.register_forward_hook(hook))
        for where, stack in (("source", "encoder"), ("target", "decoder")):
            if self.of(where, "position"):
                module = self.stacks[stack].embed_positions
                table = module.weight.detach().clone()[getattr(module, "offset", 0):]
                sines = encoding(1, table.shape[1], False)
                learned = not np.allclose(table[1].numpy(), sines, atol=1e-5)
                hook = self.positioned(where, table, learned)
                self.handles.append(module.register_forward_hook(hook, with_kwargs=True))

    def __enter__(self):
        code = anatomy.code(self.model)
        self.original, code.eager_attention_forward = code.eager_attention_forward, self.attention
        self.position = 0
        self.stacks = {name: stack.module for name, stack in anatomy.stacks(self.model).items()}
        self.layers = {where: stack.layers for where, stack in self.stacks.items()
                       if hasattr(stack, "layers")}
        self.indices = {m: m.layer_idx for m in self.model.modules() if hasattr(m, "layer_idx")}
        self.swap_layers()
        self.add_hooks()
        if self.reference:
            self.add_patches()
        # Both stacks may share the table; only the encoder's tokens are changed.
        encoder = self.stacks["encoder"]
        self.embedding = encoder.embed_tokens
        own = torch.nn.Embedding.from_pretrained(self.embedding.weight.detach(),
                                                 padding_idx=self.embedding.padding_idx)
        own.register_forward_hook(self.embedded())
        encoder.embed_tokens = own
        return self

    def __exit__(self, *_error):
        anatomy.code(self.model).eager_attention_forward = self.original
        for handle in self.handles:
            handle.remove()
        self.stacks["encoder"].embed_tokens = self.embedding
        for where, layers in self.layers.items():
            norms = [(layer.norm_in, layer.norm_out) for layer in self.stacks[where].layers
                     if hasattr(layer, "norm_in")]
            self.stacks[where].layers = layers
            for layer, (norm_in, norm_out) in zip(layers, norms):
                layer.norm_in, layer.norm_out = norm_in, norm_out
        for module, index in self.indices.items():
            module.layer_idx = index


def n_heads_of(attention):
    return attention.n_heads if hasattr(attention, "n_heads") else attention.num_heads


def heads_of(model):
    for name, stack in anatomy.stacks(model).items():
        for i, layer in enumerate(stack.layers):
            yield name, i, layer.self_attn
            if layer.cross_attn is not None:
                yield "cross", i, layer.cross_attn


def stream_points(model):
    """stack, kind, layer, {(where, part): the module whose output, or input, is the stream there}"""
    for name, stack in anatomy.stacks(model).items():
        for i, layer in enumerate(stack.layers):
            points = {(name, "attention"): layer.after_self, (name, "stream"): layer.after}
            if name == "decoder":
                points["cross", "attention"] = layer.after_cross
            assert all(side == "output" for side, _module in points.values())
            points = {point: module for point, (_side, module) in points.items()}
            if i == 0:
                points[name, "input"] = layer.layer
            yield name, name, i, points


@torch.no_grad()
def states(model, generation, source_ids, max_length):
    """What the reference run computed, as Changed wants it."""
    ids, _ = search(model, generation, source_ids, 1, max_length)
    found, handles = {}, []
    for _stack, _kind, layer, points in stream_points(model):
        for (where, part), module in points.items():
            def keep(_module, args, kwargs, out, at=(where, part, layer)):
                if at[1] == "input":
                    out = args[0] if args else kwargs["hidden_states"]
                found[at] = (out[0] if isinstance(out, tuple) else out)[0].clone()
            handles.append(module.register_forward_hook(keep, with_kwargs=True))
    for kind, layer, module in heads_of(model):
        handles.append(anatomy.out_map(module).register_forward_pre_hook(
            lambda _m, args, at=(kind, "context", layer): found.__setitem__(at, args[0][0].clone())))
    model(input_ids=torch.tensor([source_ids]), use_cache=False, decoder_input_ids=torch.tensor(
        [[model.config.decoder_start_token_id] + ids[:-1]]))
    for handle in handles:
        handle.remove()
    return found


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


def add_ids(result, firsts, greedy, beam, score):
    result["greedy_ids"] += greedy
    result["beam_ids"] += beam
    result["beam_scores"].append(score)
    firsts["greedy_first"].append(len(result["greedy_ids"]))
    firsts["beam_first"].append(len(result["beam_ids"]))


def trimmed(ids, config):
    ids = list(ids)
    while ids and ids[-1] == config.pad_token_id and config.pad_token_id != config.eos_token_id:
        ids.pop()
    # A <pad> of id 0 is no number to generate's beams: these go on with </s>.
    return ids[:ids.index(config.eos_token_id) + 1] if config.eos_token_id in ids else ids


@torch.no_grad()
def together(model, generation, tokenizer, lines, kept, sentences, max_length):
    """Sentences of as many tokens at a time: ids found greedily and by beams, scores, log p."""
    sources = torch.tensor([tokenizer(text)["input_ids"] for text in sentences])
    found = []
    with Changed(model, lines, kept) as changed:
        for beams in (1, 4):
            config = GenerationConfig(**dict(
                generation.to_dict(), num_beams=beams, num_return_sequences=1, max_length=max_length,
                min_length=0, length_penalty=1.0, early_stopping=False, output_scores=True,
                return_dict_in_generate=True))
            out = model.generate(input_ids=sources, generation_config=config)
            found.append([trimmed(row[1:].tolist(), config) for row in out.sequences])
        scores = out.sequences_scores.tolist()
        changed.position = 0
        start, pad = model.config.decoder_start_token_id, model.config.pad_token_id
        n = max(map(len, found[0]))
        inputs = torch.tensor([([start] + ids + [pad] * n)[:n] for ids in found[0]])
        logits = model(input_ids=sources, use_cache=False, decoder_input_ids=inputs).logits
    logprobs = torch.log_softmax(logits, dim=-1)
    return [(greedy, beam, score, logprobs[i, torch.arange(len(greedy)), torch.tensor(greedy)].tolist())
            for i, (greedy, beam, score) in enumerate(zip(*found, scores))]


@torch.no_grad()
def make(model, generation, tokenizer, lists, sentences, layers, max_length, out, reference=None):
    start = model.config.decoder_start_token_id
    result = {name: [] for name in ("greedy_ids", "beam_ids", "logprobs", "beam_scores")}
    firsts = {"greedy_first": [0], "beam_first": [0]}
    tensors = {}
    kept = None
    if reference:
        tensors["reference"] = np.frombuffer(reference.encode(), dtype=np.uint8)
        kept = states(model, generation, tokenizer(reference)["input_ids"], max_length)
    lengths = {len(tokenizer(text)["input_ids"]) for text in sentences}
    for c, lines in enumerate(lists):
        every = (together(model, generation, tokenizer, lines, kept, sentences, max_length)
                 if len(lengths) == 1 and len(sentences) > 3 else None)
        for s, text in enumerate(sentences):
            source_ids = tokenizer(text)["input_ids"]
            if every and s > 0:
                greedy, beam, score, logprobs = every[s]
                result["logprobs"] += logprobs
                add_ids(result, firsts, greedy, beam, score)
                continue
            with Changed(model, lines, kept) as changed:
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
            add_ids(result, firsts, greedy, beam, score)
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


def make_fifty(name, only):
    """Of one model: every kind with sentences of any length, and patches of the same length."""
    if only not in (None, f"changes-fifty-{name}", f"changes-patch-{name}"):
        return
    with tempfile.TemporaryDirectory() as scratch:
        if name == "frozen":
            folder = checkpoints.DATA / "frozen" / "en-de"
            model = MarianMTModel.from_pretrained(folder, dtype=torch.float32,
                                                  attn_implementation="eager").eval()
        else:
            folder = pathlib.Path(scratch)
            checkpoints.save(name, folder)
            model = checkpoints.build(name)
        tokenizer = MarianTokenizer.from_pretrained(folder)
        generation = GenerationConfig.from_pretrained(folder)
        reference, sentences, several = fifty(name)
        n = len(tokenizer(reference)["input_ids"])
        lengths = [n] if name == "frozen" else range(6, 17)
        sentences = [x for x in sentences if len(tokenizer(x)["input_ids"]) in lengths][:50]
        same = [x for x in several if len(tokenizer(x)["input_ids"]) == n][:50]
        layers = [5] if name == "frozen" else [0]
        # Where a stack has norms of its own, the classes of variants.py have them in its layers.
        small = [x for x in FIFTY_SMALL if name != "pre-norm-gelu-learned" or " layer " not in x]
        max_length = 24 if name == "frozen" else 8
        for file, lists, texts in (
                ("fifty", FIFTY if name == "frozen" else small, sentences),
                ("patch", PATCHES if name == "frozen" else PATCHES_SMALL, same)):
            print(file, name, len(lists), "lists", len(texts), "sentences", flush=True)
            if only in (None, f"changes-{file}-{name}"):
                make(model, generation, tokenizer, lists, texts, layers, max_length,
                     checkpoints.DATA / f"changes-{file}-{name}.safetensors", reference)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="NAME")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    for name, lists, file in (("post-norm-relu", SMALL, "changes"),
                              ("odd-sizes-swish", SMALL, "changes"),
                              ("post-norm-relu", MORE_SMALL + SINUSOIDAL, "changes-more"),
                              ("pre-norm-gelu-learned", LEARNED, "changes-more")):
        if only in (None, f"{file}-{name}"):
            with tempfile.TemporaryDirectory() as scratch:
                checkpoints.save(name, pathlib.Path(scratch))
                tokenizer = MarianTokenizer.from_pretrained(scratch)
                generation = GenerationConfig.from_pretrained(scratch)
            model = checkpoints.build(name)
            texts = TINY if file == "changes" else TINY[:2]
            layers = [0] if name.startswith("pre-norm") else [0, 1]
            make(model, generation, tokenizer, lists, texts, layers, 16 if file == "changes" else 8,
                 checkpoints.DATA / f"{file}-{name}.safetensors")
    for name in ("odd-sizes-swish", "pre-norm-gelu-learned", "post-norm-relu"):
        make_fifty(name, only)
    make_fifty("frozen", only)
    for name, lists in FAMILIES.items():
        if only in (None, f"changes-{name}", "families"):
            texts = ["the cat sat .", "two dogs eat bread"]
            model, tokenizer = families.open_small(name)
            generation = GenerationConfig(**model.generation_config.to_dict())
            # The cache of T5 takes the stacks to be of one depth.
            generation.use_cache = not anatomy.is_t5(model)
            make(model, generation, tokenizer, lists, texts, [0], 10,
                 checkpoints.DATA / f"changes-{name}.safetensors", texts[0])
    for lists, texts, file in ((CHANGES, FROZEN, "changes"), (MORE, FROZEN[1:5], "changes-more")):
        if only in (None, f"{file}-frozen"):
            folder = checkpoints.DATA / "frozen" / "en-de"
            model = MarianMTModel.from_pretrained(folder, dtype=torch.float32,
                                                  attn_implementation="eager").eval()
            make(model, GenerationConfig.from_pretrained(folder),
                 MarianTokenizer.from_pretrained(folder), lists, texts,
                 [0, 5] if file == "changes" else [5], 40,
                 checkpoints.DATA / f"{file}-frozen.safetensors")


if __name__ == "__main__":
    main()
