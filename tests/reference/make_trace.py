"""Golden results of what a trace shows beside forward-*: tests/data/trace-*.safetensors.

Forward hooks of PyTorch on the layers, their layer norms and their activation functions see the
first sentence of each forward-* again: what make_forward.py keeps of it is not kept twice.

"0.source_text", "0.target_text", "0.language" and the ids are as in make_forward.py. So are names
and axes of the tensors, "0.<kind>.<site>":
    stream [rows][d], norm_input [layers][rows][d], gate (T5) and hidden [layers][rows][d_ffn],
    feed_forward_norm_input [layers][rows][d], stack_output [rows][d];
and, for each sub-layer, which is "attention" or "feed_forward", [layers][rows]:
    measure.<sub-layer>.mean, .sigma        of what its layer norm read, sqrt(variance + eps)
    measure.<sub-layer>.norm, .added_norm   Euclidean, of the stream after it and what it added
    measure.<sub-layer>.cosine              between what it added and the stream before it.
Two models have another activation function than the checkpoint of their weights, so that each is
there in post-norm and in pre-norm. Of the bundled model only some rows are kept: "….rows" says which.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import pathlib
import tempfile

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import MarianMTModel, MarianTokenizer

import anatomy
import checkpoints
import families
import make_forward
import variants
from recorder import Recorder

BUNDLED_ROWS = [0, 8]
# name -> (checkpoint, its activation function instead)
OTHERWISE = {"post-norm-gelu": ("post-norm-relu", "gelu"),
             "pre-norm-swish": ("pre-norm-plain", "swish")}


class TraceRecorder(Recorder):
    """A Recorder that also keeps what the new sites show."""

    def __init__(self, model):
        super().__init__(model)
        self.epsilon = set()
        self.centres = set()
        for kind, stack in self.stacks.items():
            first = stack.layers[0].layer
            if getattr(first, "norm_in", None) is not None:
                self.tap(("output", first.norm_in), f"{kind}.stream")
            else:
                self.tap(("input", first), f"{kind}.stream")
            for layer in stack.layers:
                self.tap_norm(layer.self_norm, f"{kind}.norm_input")
                if kind == "decoder":
                    self.tap_norm(layer.cross_norm, "cross.norm_input")
                assert isinstance(layer.hidden[1], torch.nn.Module)
                self.tap(layer.hidden, f"{kind}.hidden")
                if layer.gate is not None:
                    self.tap(("output", layer.gate), f"{kind}.gate")
                self.tap_norm(layer.network_norm, f"{kind}.feed_forward_norm_input")
            self.handles.append(stack.module.register_forward_hook(
                lambda _module, _inputs, output, kind=kind: self.keep(
                    f"{kind}.stack_output", output.last_hidden_state[0])))

    def tap_norm(self, norm, name):
        self.epsilon.add(anatomy.epsilon(norm))
        self.centres.add(anatomy.centres(norm))
        self.tap(("input", norm), name)


def measures(seen, epsilon, centres) -> dict:
    """Numbers of each token after each sub-layer, in double from what the hooks saw. A norm that
    does not centre takes 0 for the mean."""
    parts = {}

    def measure(kind, sub_layer, before, added, norm_input, after):
        before, added, norm_input, after = (
            x.astype(np.float64) for x in (before, added, norm_input, after))
        numbers = {
            "mean": norm_input.mean(-1) * centres,
            "sigma": np.sqrt((norm_input.var(-1) if centres else (norm_input ** 2).mean(-1))
                             + epsilon),
            "norm": np.linalg.norm(after, axis=-1),
            "added_norm": np.linalg.norm(added, axis=-1),
        }
        numbers["cosine"] = (before * added).sum(-1) / (
            np.linalg.norm(before, axis=-1) * numbers["added_norm"])
        for name, value in numbers.items():
            parts.setdefault(f"{kind}.measure.{sub_layer}.{name}", []).append(value)

    for kind in ("encoder", "decoder"):
        stream = seen[f"{kind}.stream"]
        for layer in range(len(seen[f"{kind}.layer_output"])):
            for own in (kind, "cross") if kind == "decoder" else (kind,):
                after = seen[f"{own}.residual"][layer]
                measure(own, "attention", stream, seen[f"{own}.attention_output"][layer],
                        seen[f"{own}.norm_input"][layer], after)
                stream = after
            after = seen[f"{kind}.layer_output"][layer]
            measure(kind, "feed_forward", stream, seen[f"{kind}.feed_forward"][layer],
                    seen[f"{kind}.feed_forward_norm_input"][layer], after)
            stream = after
    return {name: np.stack(values).astype(np.float32) for name, values in parts.items()}


def trace(model, tokenizer, source, target, language=None) -> dict:
    source_ids, target_ids = make_forward.tokenize(tokenizer, source, target, language)
    decoder_input = [model.config.decoder_start_token_id] + target_ids[:-1]
    recorder = TraceRecorder(model)
    seen = recorder.run(source_ids, decoder_input)
    for name in list(seen):
        if name.split(".")[1] in ("stream", "stack_output"):
            assert len(seen[name]) == 1, name
            seen[name] = seen[name][0]
    epsilon, = recorder.epsilon
    centres, = recorder.centres
    new = {"stream", "norm_input", "gate", "hidden", "feed_forward_norm_input", "stack_output"}
    out = {
        "source_ids": np.array(source_ids, dtype=np.int32),
        "decoder_input_ids": np.array(decoder_input, dtype=np.int32),
        "source_text": np.frombuffer(source.encode(), dtype=np.uint8),
        "target_text": np.frombuffer(target.encode(), dtype=np.uint8),
    }
    if language:
        out["language"] = np.frombuffer(language.encode(), dtype=np.uint8)
    out.update({name: value for name, value in seen.items() if name.split(".")[1] in new})
    out.update(measures(seen, epsilon, centres))
    return {f"0.{name}": value for name, value in out.items()}


def save(name, tensors, folder):
    save_file(make_forward.contiguous(tensors), folder / f"trace-{name}.safetensors")


def tiny(name, folder):
    checkpoint, activation = OTHERWISE.get(name, (name, None))
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints.save(checkpoint, pathlib.Path(scratch))
        tokenizer = MarianTokenizer.from_pretrained(scratch)
    options = checkpoints.config(checkpoint)
    if activation:
        options["activation_function"] = activation
    language, *pair = (make_forward.MULTI_TARGET[0] if name == "multi-target"
                       else (None, *make_forward.TINY[0]))
    save(name, trace(variants.build(options), tokenizer, *pair, language), folder)


def family(name, folder):
    tokenizer = families.tokenizer(families.SHAPES[name][0])[0]
    save(name, trace(families.build(name), tokenizer, *make_forward.TINY[0],
                     families.target_language(name, 0)), folder)


def bundled(folder):
    model = MarianMTModel.from_pretrained(checkpoints.BUNDLED, dtype=torch.float32,
                                          attn_implementation="eager").eval()
    tokenizer = MarianTokenizer.from_pretrained(checkpoints.BUNDLED)
    tensors = trace(model, tokenizer, *make_forward.BUNDLED_FULL)
    for name, value in list(tensors.items()):
        if value.dtype == np.float32 and ".measure." not in name:
            make_forward.pick(tensors, name, rows=BUNDLED_ROWS)
    save("en-de", tensors, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one name of trace-NAME.safetensors, or families")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    for name in [*checkpoints.SHAPES, *OTHERWISE]:
        # The storage variants share the results of the F32 one.
        if not name.startswith("post-norm-relu-") and only in (None, name):
            tiny(name, checkpoints.DATA)
    for name in make_forward.WHOLE:
        if only in (None, name, "families"):
            family(name, checkpoints.DATA)
    if only in (None, "en-de"):
        bundled(checkpoints.DATA)
