"""Reference models in PyTorch: Hugging Face's Marian, and what its configuration can say but its
code no longer runs (pre-norm, learned or interleaved positions, norm after the embedding, final
norm), written here as overrides of its modules, from the papers and independent of Regard's C.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import math

import numpy as np
import torch
from torch import nn
from transformers import (MarianConfig, MarianMTModel, MBartConfig,
                          MBartForConditionalGeneration)
from transformers.models.marian import modeling_marian as hf

import weights


class Tap(nn.Identity):
    """A named place to look at a tensor from a forward hook."""


class VariantLayer:
    """What encoder and decoder layers share: which norm comes where, and taps."""

    def set_up(self, config, norm_in, norm_out):
        self.pre_norm = config.normalize_before
        self.norm_in = norm_in  # on the first layer: the norm after the embedding
        self.norm_out = norm_out  # on the last layer: the stack's final norm
        self.tap_self, self.tap_cross, self.tap_out = Tap(), Tap(), Tap()

    def sub_layer(self, x, norm, f):
        """LayerNorm(x + f(x)) as in the paper, or x + f(LayerNorm(x)) for pre-norm."""
        return x + f(norm(x)) if self.pre_norm else norm(x + f(x))

    def feed_forward(self, x):
        return self.fc2(self.activation_fn(self.fc1(x)))

    def begin(self, x):
        return self.norm_in(x) if self.norm_in is not None else x

    def finish(self, x):
        x = self.tap_out(self.sub_layer(x, self.final_layer_norm, self.feed_forward))
        return self.norm_out(x) if self.norm_out is not None else x


class VariantEncoderLayer(VariantLayer, hf.MarianEncoderLayer):
    def __init__(self, config, index, norm_in, norm_out):
        super().__init__(config, index)
        self.set_up(config, norm_in, norm_out)

    def forward(self, hidden_states, attention_mask, **kwargs):
        def attend(y):
            return self.self_attn(y, attention_mask=attention_mask, **kwargs)[0]

        x = self.begin(hidden_states)
        x = self.tap_self(self.sub_layer(x, self.self_attn_layer_norm, attend))
        return self.finish(x)


class VariantDecoderLayer(VariantLayer, hf.MarianDecoderLayer):
    def __init__(self, config, index, norm_in, norm_out):
        super().__init__(config, index)
        self.set_up(config, norm_in, norm_out)

    def forward(self, hidden_states, attention_mask=None, encoder_hidden_states=None,
                encoder_attention_mask=None, past_key_values=None, use_cache=True, **kwargs):
        def attend(y):
            return self.self_attn(y, past_key_values=past_key_values,
                                  attention_mask=attention_mask, **kwargs)[0]

        def attend_source(y):
            return self.encoder_attn(y, key_value_states=encoder_hidden_states,
                                     attention_mask=encoder_attention_mask,
                                     past_key_values=past_key_values, **kwargs)[0]

        x = self.begin(hidden_states)
        x = self.tap_self(self.sub_layer(x, self.self_attn_layer_norm, attend))
        x = self.tap_cross(self.sub_layer(x, self.encoder_attn_layer_norm, attend_source))
        return self.finish(x)


def interleaved_positions(n: int, d: int) -> np.ndarray:
    """The paper, 3.5: PE(p, 2i) = sin(p / 10000^(2i/d)), PE(p, 2i+1) = cos(same), in double."""
    table = np.empty((n, d))
    for p in range(n):
        for i in range(d // 2):
            angle = p / math.pow(10000.0, 2 * i / d)
            table[p, 2 * i], table[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def build(options: dict) -> MarianMTModel:
    """A float32 model for a config.json's content, all weights from the hash."""
    generation = ("architectures", "min_length", "length_penalty", "early_stopping", "num_beams",
                  "max_length", "bad_words_ids", "forced_bos_token_id", "renormalize_logits",
                  "zero_pad")
    config = MarianConfig(**{k: v for k, v in options.items() if k not in generation})
    config._attn_implementation = "eager"
    for key in ("normalize_before", "normalize_embedding", "add_final_layer_norm"):
        setattr(config, key, bool(options.get(key, False)))
    learned = not options.get("static_position_embeddings", True)
    interleaved = options.get("position_embedding_layout") == "interleaved"
    plain = not (learned or interleaved or config.normalize_before or config.normalize_embedding
                 or config.add_final_layer_norm)
    model = MarianMTModel(config).eval()
    model.config._attn_implementation = "eager"
    if not plain:
        for stack, layer_class in ((model.model.encoder, VariantEncoderLayer),
                                   (model.model.decoder, VariantDecoderLayer)):
            d, n = config.d_model, len(stack.layers)
            first = nn.LayerNorm(d) if config.normalize_embedding else None
            last = nn.LayerNorm(d) if config.add_final_layer_norm else None
            stack.layers = nn.ModuleList([
                layer_class(config, i, first if i == 0 else None, last if i == n - 1 else None)
                for i in range(n)])
            stack.layers.eval()
            if interleaved:
                table = interleaved_positions(config.max_position_embeddings, d)
                stack.embed_positions.weight.data = torch.tensor(table, dtype=torch.float32)
    with torch.no_grad():
        for name, parameter in parameters(model, options).items():
            parameter.copy_(torch.from_numpy(weights.tensor(name, tuple(parameter.shape))))
        if options.get("zero_pad"):
            model.model.shared.weight[config.pad_token_id] = 0
            model.final_logits_bias -= 4
            model.final_logits_bias[0, config.pad_token_id] = 0
    model.left_out = [config.pad_token_id] if options.get("renormalize_logits") else []
    return model


def log_softmax(model, logits):
    """Of the words that have a probability: with renormalize_logits generate makes it anew without
    <pad>, which is a bad word everywhere."""
    logits = logits.clone()
    logits[..., getattr(model, "left_out", [])] = -torch.inf
    return torch.log_softmax(logits, dim=-1)


def parameters(model: MarianMTModel, options: dict) -> dict:
    """Checkpoint name -> tensor, each once. The names of the extra norms are those of the last
    Hugging Face release whose Marian had them (it was a BART then), and of its mBART today."""
    named = {}
    if options.get("share_encoder_decoder_embeddings", True):
        named["model.shared.weight"] = model.model.shared.weight
    for name, value in list(model.named_parameters(remove_duplicate=False)) + list(
            model.named_buffers()):
        name = name.replace("layers.0.norm_in.", "layernorm_embedding.")
        if ".norm_out." in name:
            stack, rest = name.split(".layers.")
            name = f"{stack}.layer_norm.{rest.split('.norm_out.')[1]}"
        if "embed_positions" in name and options.get("static_position_embeddings", True):
            continue
        if any(value is other for other in named.values()):
            continue
        named[name] = value
    return named


@torch.no_grad()
def check_against_mbart(model: MarianMTModel, options: dict):
    """Pre-norm with learned positions, norm after the embedding and final norm is what mBART is:
    Hugging Face's own code for it must give the same logits as our overrides."""
    shared = ("d_model", "encoder_layers", "decoder_layers", "encoder_attention_heads",
              "decoder_attention_heads", "encoder_ffn_dim", "decoder_ffn_dim", "vocab_size",
              "activation_function", "scale_embedding", "pad_token_id", "eos_token_id",
              "bos_token_id", "max_position_embeddings")
    other = MBartForConditionalGeneration(MBartConfig(
        **{k: options[k] for k in shared}, attn_implementation="eager")).eval()
    state = {k: v.clone() for k, v in parameters(model, options).items()}
    for stack in ("encoder", "decoder"):
        # mBART keeps two unused rows at the start of its position table.
        name = f"model.{stack}.embed_positions.weight"
        state[name] = torch.cat([torch.zeros(2, options["d_model"]), state[name]])
        state[f"model.{stack}.embed_tokens.weight"] = state["model.shared.weight"]
    state["lm_head.weight"] = state["model.shared.weight"]
    missing, unexpected = other.load_state_dict(state, strict=False)
    assert not missing and not unexpected, (missing, unexpected)
    source, target = torch.tensor([[5, 9, 13, 22, 7, 0]]), torch.tensor([[3, 8, 44, 21]])
    ours = model(input_ids=source, decoder_input_ids=target).logits
    theirs = other(input_ids=source, decoder_input_ids=target).logits
    assert torch.allclose(ours, theirs, rtol=1e-6, atol=1e-6), (ours - theirs).abs().max()
