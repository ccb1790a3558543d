"""Looks inside a Hugging Face model: every tensor that Regard's engine shows to its hooks.

The attention function of the eager implementation is replaced by one that does the same steps and
keeps them: queries, keys, values, scores before the softmax, weights, context per head.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np
import torch

import anatomy


class Recorder:
    """tensors: "<kind>.<site>" -> list over layers of arrays; heads first where there are heads.
    kind is encoder, decoder or cross, site is named as in mt.h."""

    def __init__(self, model):
        self.model = model
        self.tensors = {}
        self.place = {}  # attention module -> kind
        self.code = anatomy.code(model)
        self.stacks = anatomy.stacks(model)
        self.handles = []
        for kind, stack in self.stacks.items():
            if stack.positions is not None:
                self.tap(("output", stack.positions), f"{kind}.position")
            for layer in stack.layers:
                self.place[layer.self_attn] = kind
                self.tap(("output", layer.self_attn), f"{kind}.attention_output")
                self.tap(layer.after_self, f"{kind}.residual")
                if kind == "decoder":
                    self.place[layer.cross_attn] = "cross"
                    self.tap(("output", layer.cross_attn), "cross.attention_output")
                    self.tap(layer.after_cross, "cross.residual")
                self.tap(("output", layer.network), f"{kind}.feed_forward")
                self.tap(layer.after, f"{kind}.layer_output")

    def tap(self, where, name):
        """Keep what goes into a module, or comes out of it."""
        side, module = where

        def hook(_module, inputs, kwargs, output):
            value = output
            if side == "input":
                value = inputs[0] if inputs else kwargs["hidden_states"]
            value = value[0] if isinstance(value, tuple) else value
            self.keep(name, value.reshape(-1, value.shape[-1]))

        self.handles.append(module.register_forward_hook(hook, with_kwargs=True))

    def keep(self, name, value):
        self.tensors.setdefault(name, []).append(value.detach().numpy().copy())

    def attention(self, module, query, key, value, attention_mask, scaling=None, dropout=0.0,
                  position_bias=None, **_kwargs):
        kind = self.place[module]
        scores = torch.matmul(query, key.transpose(2, 3)) * scaling
        if position_bias is not None:
            scores = scores + position_bias
            if kind != "cross":
                self.keep(f"{kind}.score_bias", position_bias.expand(scores.shape)[0])
        if attention_mask is not None:
            scores = scores + attention_mask
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, value)
        for site, x in (("query", query), ("key", key), ("value", value), ("weights", weights),
                        ("context", context)):
            self.keep(f"{kind}.{site}", x[0])
        self.keep(f"{kind}.scores",
                  torch.where(scores < -1e30, torch.tensor(-torch.inf), scores)[0])
        return context.transpose(1, 2).contiguous(), weights

    @torch.no_grad()
    def run(self, source_ids, decoder_input_ids) -> dict:
        """One teacher-forced pass over one sentence. Returns "<kind>.<site>" -> float32 array
        [layers][heads]…, or without layers for embedding, position and logits."""
        self.tensors = {}
        source, target = torch.tensor([source_ids]), torch.tensor([decoder_input_ids])
        plain = self.model(input_ids=source, decoder_input_ids=target, use_cache=False)
        self.tensors = {}
        original, self.code.eager_attention_forward = (
            self.code.eager_attention_forward, self.attention)
        try:
            out = self.model(input_ids=source, decoder_input_ids=target, use_cache=False)
        finally:
            self.code.eager_attention_forward = original
        # The recording function must not have changed the model.
        assert torch.equal(plain.logits, out.logits)
        for kind, ids in (("encoder", source), ("decoder", target)):
            stack = self.stacks[kind].module
            self.keep(f"{kind}.embedding", anatomy.embed(self.model, stack, ids)[0])
        self.keep("decoder.logits", out.logits[0])
        flat = {"embedding", "position", "logits"}
        return {name: (values[0] if name.split(".")[1] in flat else np.stack(values))
                for name, values in self.tensors.items()}
