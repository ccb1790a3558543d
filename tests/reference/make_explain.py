"""Golden results of what explains a pass: tests/data/explain-*.safetensors.

The logit lens, and contributions (Ferrando 2022), from the tensors that PyTorch computes, by their
formulas in double. For one sentence, "source_text" and "target_text" (UTF-8 bytes); for both stacks
"<stack>.best" and "<stack>.rank" [points][tokens] and "<stack>.lens" [points][tokens][4]: probability
of the best piece, entropy and divergence in bits, probability of the piece that is the best at the
last point, whose rank that is. A point is the embedding or what a sub-layer left. "<stack>.<point>"
are the contributions at a point, [tokens][parts]: the keys; behind them the token's own stream, unless it
is among the keys; or the stream and the network. "<stack>.<point>.heads" [tokens][keys][heads] the
share of each head in the edges.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import MarianTokenizer

import pathlib
import tempfile

import checkpoints
import variants
from make_forward import TINY, tokenize
from recorder import Recorder

NAMES = ["post-norm-relu", "post-norm-final-norm", "pre-norm-gelu-learned", "odd-sizes-swish",
         "zero-pad"]


def double(x):
    return torch.as_tensor(x).double()


def layer_norm(x, norm):
    centred = x - x.mean(-1, keepdim=True)
    sigma = torch.sqrt((centred ** 2).mean(-1, keepdim=True) + 1e-5)
    return double(norm.weight.detach()) * centred / sigma + double(norm.bias.detach())


def finite(log_p):
    """0 instead of the -inf of a word without a probability, which counts 0 times that."""
    return torch.where(log_p == -torch.inf, 0, log_p)


class Stack:
    """Points of one stack: (what attention, layer, modules), and the stream there."""

    def __init__(self, model, tensors, name):
        self.model, self.tensors, self.name = model, tensors, name
        self.stack = getattr(model.model, name)
        self.pre_norm = model.config.normalize_before
        first, last = self.stack.layers[0], self.stack.layers[-1]
        stream = double(tensors[f"{name}.embedding"]) + double(tensors[f"{name}.position"])
        if getattr(first, "norm_in", None) is not None:
            stream = layer_norm(stream, first.norm_in)
        self.final_norm = getattr(last, "norm_out", None)
        self.points = [(None, -1)]
        self.streams = [stream]
        for i in range(len(self.stack.layers)):
            self.add(name, i, tensors[f"{name}.residual"][i])
            if name == "decoder":
                self.add("cross", i, tensors["cross.residual"][i])
            self.add("network", i, tensors[f"{name}.layer_output"][i])

    def add(self, what, layer, stream):
        self.points.append((what, layer))
        self.streams.append(double(stream))

    def lens(self):
        states = torch.stack(self.streams)
        if self.final_norm is not None:
            states = layer_norm(states, self.final_norm)
        if self.name == "decoder":
            logits = states @ double(self.model.lm_head.weight.detach()).T
            logits = logits + double(self.model.final_logits_bias[0])
            found = torch.as_tensor(self.tensors["decoder.logits"])
            assert torch.allclose(logits[-1].float(), found, atol=1e-4), self.name
        else:
            logits = states @ double(self.stack.embed_tokens.weight.detach()).T
        log_p = variants.log_softmax(self.model, logits) if self.name == "decoder" else (
            torch.log_softmax(logits, -1))
        p, last = log_p.exp(), log_p[-1]
        final = last.argmax(-1).expand(log_p.shape[:-1])[..., None]
        of_final = log_p.gather(-1, final)
        numbers = [p.max(-1).values, -(p * finite(log_p)).sum(-1) / np.log(2),
                   (last.exp() * (finite(last) - finite(log_p))).sum(-1) / np.log(2), of_final[..., 0].exp()]
        return log_p.argmax(-1), (log_p > of_final).sum(-1) + 1, torch.stack(numbers, -1)

    def through(self, t, what, layer, before, added):
        """J of t [tokens][...][d]: the norm behind the sum with its deviation held fixed."""
        if self.pre_norm:
            return t
        norm = {"cross": "encoder_attn_layer_norm", "network": "final_layer_norm"}.get(
            what, "self_attn_layer_norm")
        gain = double(getattr(self.stack.layers[layer], norm).weight.detach())
        sigma = torch.sqrt((before + added).var(-1, unbiased=False) + 1e-5)
        sigma = sigma.reshape(-1, *[1] * (t.dim() - 1))
        return gain * (t - t.mean(-1, keepdim=True)) / sigma

    def contributions(self, i):
        what, layer = self.points[i]
        before, y = self.streams[i - 1], self.streams[i]
        module = self.stack.layers[layer]
        heads = None
        if what == "network":
            added = double(self.tensors[f"{self.name}.feed_forward"][layer])
            parts = torch.stack([before, added - double(module.fc2.bias.detach())], 1)
        else:
            attention = module.encoder_attn if what == "cross" else module.self_attn
            added = double(self.tensors[f"{what}.attention_output"][layer])
            weights = double(self.tensors[f"{what}.weights"][layer])  # [heads][rows][keys]
            values = double(self.tensors[f"{what}.value"][layer])  # [heads][keys][d_head]
            n_heads, _, d_head = values.shape
            out = double(attention.out_proj.weight.detach()).reshape(-1, n_heads, d_head)
            per_head = torch.einsum("hij,hjk,ohk->ijho", weights, values, out)
            sizes = self.through(per_head, what, layer, before, added).abs().sum(-1)
            heads = sizes / sizes.sum(-1, keepdim=True).clamp(min=1e-300)
            parts = per_head.sum(2)
            if what == "cross":
                parts = torch.cat([parts, before[:, None]], 1)
            else:
                parts = parts + torch.eye(len(before)).double()[:, :, None] * before[:, None]
        t = self.through(parts, what, layer, before, added)
        given = (y.abs().sum(-1)[:, None] - (y[:, None] - t).abs().sum(-1)).clamp(min=0)
        # Where nobody gives anything, as to a start token whose embedding is 0, that is 0 of it.
        return given / given.sum(-1, keepdim=True).clamp(min=1e-300), heads


@torch.no_grad()
def make(name):
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints.save(name, pathlib.Path(scratch))
        tokenizer = MarianTokenizer.from_pretrained(scratch)
    model = checkpoints.build(name)
    source, target = tokenize(tokenizer, *TINY[0])
    tensors = Recorder(model).run(source, [model.config.decoder_start_token_id] + target[:-1])
    result = {"source_text": np.frombuffer(TINY[0][0].encode(), dtype=np.uint8),
              "target_text": np.frombuffer(TINY[0][1].encode(), dtype=np.uint8)}
    for stack_name in ("encoder", "decoder"):
        stack = Stack(model, tensors, stack_name)
        best, rank, numbers = stack.lens()
        result[f"{stack_name}.best"] = best.numpy().astype(np.int32)
        result[f"{stack_name}.rank"] = rank.numpy().astype(np.int32)
        result[f"{stack_name}.lens"] = numbers.numpy().astype(np.float32)
        for i in range(1, len(stack.points)):
            shares, heads = stack.contributions(i)
            result[f"{stack_name}.{i}"] = shares.numpy().astype(np.float32)
            if heads is not None:
                result[f"{stack_name}.{i}.heads"] = heads.numpy().astype(np.float32)
    out = checkpoints.DATA / f"explain-{name}.safetensors"
    save_file({k: np.ascontiguousarray(v) for k, v in result.items()}, out)
    print(out.name, out.stat().st_size)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for each in NAMES:
        make(each)
