"""Looks inside a Hugging Face model: every tensor that Regard's engine shows to its hooks.

The attention function of the eager implementation is replaced by one that does the same steps and
keeps them: queries, keys, values, scores before the softmax, weights, context per head.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np
import torch
from transformers.models.marian import modeling_marian as hf


class Recorder:
    """tensors: "<kind>.<site>" -> list over layers of arrays; heads first where there are heads.
    kind is encoder, decoder or cross, site is named as in mt.h."""

    def __init__(self, model):
        self.model = model
        self.tensors = {}
        self.place = {}  # attention module -> kind
        encoder, decoder = model.model.encoder, model.model.decoder
        self.handles = []
        for stack, kind in ((encoder, "encoder"), (decoder, "decoder")):
            self.tap(stack.embed_positions, f"{kind}.position")
            for layer in stack.layers:
                self.place[layer.self_attn] = kind
                self.tap(layer.self_attn, f"{kind}.attention_output")
                self.tap(getattr(layer, "tap_self", layer.self_attn_layer_norm),
                         f"{kind}.residual")
                if kind == "decoder":
                    self.place[layer.encoder_attn] = "cross"
                    self.tap(layer.encoder_attn, "cross.attention_output")
                    self.tap(getattr(layer, "tap_cross", layer.encoder_attn_layer_norm),
                             "cross.residual")
                self.tap(layer.fc2, f"{kind}.feed_forward")
                self.tap(getattr(layer, "tap_out", layer), f"{kind}.layer_output")

    def tap(self, module, name):
        def hook(_module, _inputs, output):
            output = output[0] if isinstance(output, tuple) else output
            self.keep(name, output.reshape(-1, output.shape[-1]))

        self.handles.append(module.register_forward_hook(hook))

    def keep(self, name, value):
        self.tensors.setdefault(name, []).append(value.detach().numpy().copy())

    def attention(self, module, query, key, value, attention_mask, scaling=None, dropout=0.0,
                  **_kwargs):
        kind = self.place[module]
        scores = torch.matmul(query, key.transpose(2, 3)) * scaling
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
        original, hf.eager_attention_forward = hf.eager_attention_forward, self.attention
        try:
            out = self.model(input_ids=source, decoder_input_ids=target, use_cache=False)
        finally:
            hf.eager_attention_forward = original
        # The recording function must not have changed the model.
        assert torch.equal(plain.logits, out.logits)
        for stack, kind, ids in ((self.model.model.encoder, "encoder", source),
                                 (self.model.model.decoder, "decoder", target)):
            self.keep(f"{kind}.embedding", stack.embed_tokens(ids)[0] * stack.embed_scale)
        self.keep("decoder.logits", out.logits[0])
        flat = {"embedding", "position", "logits"}
        return {name: (values[0] if name.split(".")[1] in flat else np.stack(values))
                for name, values in self.tensors.items()}
