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

import sys

import numpy as np
import torch
from safetensors.numpy import save_file

import anatomy
import checkpoints
import families
import variants
from make_forward import TINY, tokenize
from recorder import Recorder

NAMES = ["post-norm-relu", "post-norm-final-norm", "pre-norm-gelu-learned", "odd-sizes-swish",
         "zero-pad", "bart-tiny", "t5-gated-tiny"]


def double(x):
    return torch.as_tensor(x).double()


def sigma_of(x, norm):
    """What a norm divides by."""
    if anatomy.centres(norm):
        x = x - x.mean(-1, keepdim=True)
    return torch.sqrt((x ** 2).mean(-1, keepdim=True) + anatomy.epsilon(norm))


def normalised(x, norm):
    gain = double(norm.weight.detach())
    if not anatomy.centres(norm):
        return gain * x / sigma_of(x, norm)
    centred = x - x.mean(-1, keepdim=True)
    return gain * centred / sigma_of(x, norm) + double(norm.bias.detach())


def output_scale(model):
    """T5 multiplies what goes into the output matrix."""
    scaled = getattr(model.config, "scale_decoder_outputs", False)
    return model.config.d_model ** -0.5 if scaled else 1.0


def finite(log_p):
    """0 instead of the -inf of a word without a probability, which counts 0 times that."""
    return torch.where(log_p == -torch.inf, 0, log_p)


class Stack:
    """Points of one stack: (what attention, layer, modules), and the stream there."""

    def __init__(self, model, tensors, name):
        self.model, self.tensors, self.name = model, tensors, name
        self.stack = anatomy.stacks(model)[name]
        self.pre_norm = anatomy.pre_norm(model)
        stream = double(tensors[f"{name}.embedding"])
        if self.stack.positions is not None:
            stream = stream + double(tensors[f"{name}.position"])
        first = (getattr(self.stack.layers[0].layer, "norm_in", None)
                 or getattr(self.stack.module, "layernorm_embedding", None))
        if first is not None:
            stream = normalised(stream, first)
        self.final_norm = anatomy.final_norm(model, self.stack)
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
            states = normalised(states, self.final_norm)
        if self.name == "decoder":
            logits = states @ double(self.model.lm_head.weight.detach()).T
            logits = logits * output_scale(self.model)
            if hasattr(self.model, "final_logits_bias"):
                logits = logits + double(self.model.final_logits_bias[0])
            found = torch.as_tensor(self.tensors["decoder.logits"])
            assert torch.allclose(logits[-1].float(), found, atol=1e-4), self.name
        else:
            logits = states @ double(self.stack.module.embed_tokens.weight.detach()).T
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
        parts = self.stack.layers[layer]
        norm = {"cross": parts.cross_norm, "network": parts.network_norm}.get(what, parts.self_norm)
        sigma = sigma_of(before + added, norm).reshape(-1, *[1] * (t.dim() - 1))
        return double(norm.weight.detach()) * (t - t.mean(-1, keepdim=True)) / sigma

    def contributions(self, i):
        what, layer = self.points[i]
        before, y = self.streams[i - 1], self.streams[i]
        module = self.stack.layers[layer]
        heads = None
        if what == "network":
            added = double(self.tensors[f"{self.name}.feed_forward"][layer])
            bias = 0 if module.second.bias is None else double(module.second.bias.detach())
            parts = torch.stack([before, added - bias], 1)
        else:
            attention = module.cross_attn if what == "cross" else module.self_attn
            added = double(self.tensors[f"{what}.attention_output"][layer])
            weights = double(self.tensors[f"{what}.weights"][layer])  # [heads][rows][keys]
            values = double(self.tensors[f"{what}.value"][layer])  # [heads][keys][d_head]
            n_heads, _, d_head = values.shape
            out = double(anatomy.out_map(attention).weight.detach()).reshape(-1, n_heads, d_head)
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
    model, tokenizer = families.open_small(name)
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
    for each in sys.argv[1:] or NAMES:
        make(each)
