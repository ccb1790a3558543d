"""Where things are in a model of transformers: the same names for Marian (and variants.py), for BART
and what is built like it, and for T5 and what descends from it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from types import SimpleNamespace


def is_t5(model):
    return model.config.model_type in ("t5", "mt5", "umt5")


def code(model):
    """The Python module of its class, whose eager_attention_forward can be replaced."""
    return sys.modules[type(model).__module__]


def inner(model):
    """The object that has encoder and decoder."""
    return model if is_t5(model) else model.model


def layer_of(layer, is_decoder, pre_norm):
    """after_self, after_cross: the module that reads the stream there, or "output" and whose output
    it is."""
    taps = hasattr(layer, "tap_self")
    cross_norm = layer.encoder_attn_layer_norm if is_decoder else None
    if taps:
        after_self = ("output", layer.tap_self)
        after_cross = ("output", layer.tap_cross)
    elif pre_norm:
        after_self = ("input", cross_norm or layer.final_layer_norm)
        after_cross = ("input", layer.final_layer_norm)
    else:
        after_self = ("output", layer.self_attn_layer_norm)
        after_cross = ("output", cross_norm)
    return SimpleNamespace(
        layer=layer, self_attn=layer.self_attn, self_norm=layer.self_attn_layer_norm,
        cross_attn=layer.encoder_attn if is_decoder else None, cross_norm=cross_norm,
        network=layer.fc2, network_norm=layer.final_layer_norm, second=layer.fc2, gate=None,
        hidden=("output", layer.activation_fn), after_self=after_self, after_cross=after_cross,
        after=("output", layer.tap_out if taps else layer))


def t5_layer_of(block, is_decoder):
    network = block.layer[-1].DenseReluDense
    return SimpleNamespace(
        layer=block, self_attn=block.layer[0].SelfAttention, self_norm=block.layer[0].layer_norm,
        cross_attn=block.layer[1].EncDecAttention if is_decoder else None,
        cross_norm=block.layer[1].layer_norm if is_decoder else None,
        network=network, network_norm=block.layer[-1].layer_norm, second=network.wo,
        gate=getattr(network, "wi_1", None), hidden=("input", network.wo),
        after_self=("output", block.layer[0]),
        after_cross=("output", block.layer[1]) if is_decoder else None, after=("output", block))


def pre_norm(model):
    return (bool(model.config.normalize_before) if model.config.model_type == "marian"
            else model.config.model_type != "bart")


def stacks(model):
    """"encoder", "decoder" -> its module and layers, as above."""
    found = {}
    for name in ("encoder", "decoder"):
        stack = getattr(inner(model), name)
        is_decoder = name == "decoder"
        layers = ([t5_layer_of(block, is_decoder) for block in stack.block] if is_t5(model) else
                  [layer_of(layer, is_decoder, pre_norm(model)) for layer in stack.layers])
        found[name] = SimpleNamespace(
            module=stack, layers=layers, positions=getattr(stack, "embed_positions", None))
    return found


def out_map(attention):
    """The map behind the heads."""
    return attention.o if hasattr(attention, "o") else attention.out_proj


def final_norm(model, stack):
    """The norm behind the last layer, or None."""
    if model.config.model_type == "marian":
        return getattr(stack.layers[-1].layer, "norm_out", None)
    return getattr(stack.module, "final_layer_norm", None) or getattr(
        stack.module, "layer_norm", None)


def epsilon(norm):
    return norm.variance_epsilon if hasattr(norm, "variance_epsilon") else norm.eps


def centres(norm):
    """A layer norm takes the mean away, T5's divides by the root of the mean square alone."""
    return not hasattr(norm, "variance_epsilon")


def embed(model, stack, ids):
    """What goes into the first layer of a token, without its position."""
    return stack.embed_tokens(ids) * getattr(stack, "embed_scale", 1.0)
