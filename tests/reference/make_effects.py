"""Golden effects of heads: tests/data/effects-*.safetensors.

Of one sentence, "text", and its greedy translation, "ids": "clean", the log-probability of each output
token, teacher-forced; and "<with>.<kind>" [layers][heads][tokens], the same with one head changed.
"zero" and "mean" are made by a forward hook on the output projection, whose input has the contexts of
all heads side by side: one head's columns become 0, or their mean over all rows, "mean_contexts.<kind>"
[layers][d_model]. "uniform" replaces the eager attention function, as in make_changes.py.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import pathlib
import tempfile

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import GenerationConfig, MarianMTModel, MarianTokenizer

import checkpoints
import variants
from make_changes import Changed, search


def attentions(model):
    """kind -> the attention modules of its layers."""
    encoder, decoder = model.model.encoder.layers, model.model.decoder.layers
    return {"encoder": [layer.self_attn for layer in encoder],
            "decoder": [layer.self_attn for layer in decoder],
            "cross": [layer.encoder_attn for layer in decoder]}


class Made:
    """The one sentence, scored as often as wanted."""

    def __init__(self, model, generation, tokenizer, text, max_length):
        self.model = model
        self.source = tokenizer(text)["input_ids"]
        self.ids, _ = search(model, generation, self.source, 1, max_length)

    @torch.no_grad()
    def logprobs(self):
        start = self.model.config.decoder_start_token_id
        logits = self.model(input_ids=torch.tensor([self.source]), use_cache=False,
                            decoder_input_ids=torch.tensor([[start] + self.ids[:-1]])).logits[0]
        rows = variants.log_softmax(self.model, logits.double())
        return rows[torch.arange(len(self.ids)), torch.tensor(self.ids)].numpy().astype(np.float32)

    def contexts(self):
        """kind -> [layers][d_model], means over rows."""
        found = {}
        hooks = [module.out_proj.register_forward_pre_hook(
            lambda _m, args, at=(kind, i): found.__setitem__(at, args[0][0].mean(dim=0)))
            for kind, modules in attentions(self.model).items() for i, module in enumerate(modules)]
        self.logprobs()
        for hook in hooks:
            hook.remove()
        return {kind: torch.stack([found[kind, i] for i in range(len(modules))])
                for kind, modules in attentions(self.model).items()}

    def with_head(self, module, head, value):
        """value: [d_head] or 0."""
        width = module.head_dim

        def replace(_module, args):
            context = args[0].clone()
            context[..., head * width:(head + 1) * width] = value
            return (context,)

        hook = module.out_proj.register_forward_pre_hook(replace)
        result = self.logprobs()
        hook.remove()
        return result

    def with_uniform(self, kind, layer, head):
        with Changed(self.model, f"{kind} {layer + 1}.{head + 1} uniform"):
            return self.logprobs()


def make(model, generation, tokenizer, text, max_length, out):
    made = Made(model, generation, tokenizer, text, max_length)
    means = made.contexts()
    tensors = {"text": np.frombuffer(text.encode(), dtype=np.uint8),
               "ids": np.array(made.ids, dtype=np.int32), "clean": made.logprobs()}
    for kind, modules in attentions(model).items():
        heads = range(modules[0].num_heads)
        width = modules[0].head_dim
        tensors[f"mean_contexts.{kind}"] = means[kind].numpy()
        tensors[f"zero.{kind}"] = np.stack(
            [[made.with_head(m, h, 0) for h in heads] for m in modules])
        tensors[f"mean.{kind}"] = np.stack(
            [[made.with_head(m, h, means[kind][i, h * width:(h + 1) * width]) for h in heads]
             for i, m in enumerate(modules)])
        tensors[f"uniform.{kind}"] = np.stack(
            [[made.with_uniform(kind, i, h) for h in heads] for i in range(len(modules))])
    save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()}, out)
    print(out.name, out.stat().st_size)


def main():
    torch.set_num_threads(1)
    for name in ("post-norm-relu", "odd-sizes-swish", "pre-norm-gelu-learned", "zero-pad"):
        with tempfile.TemporaryDirectory() as scratch:
            checkpoints.save(name, pathlib.Path(scratch))
            tokenizer = MarianTokenizer.from_pretrained(scratch)
            generation = GenerationConfig.from_pretrained(scratch)
        make(checkpoints.build(name), generation, tokenizer, "the cat sat on the mat .", 16,
             checkpoints.DATA / f"effects-{name}.safetensors")
    folder = checkpoints.DATA / "frozen" / "en-de"
    model = MarianMTModel.from_pretrained(folder, dtype=torch.float32,
                                          attn_implementation="eager").eval()
    make(model, GenerationConfig.from_pretrained(folder), MarianTokenizer.from_pretrained(folder),
         "I have two dogs.", 40, checkpoints.DATA / "effects-frozen.safetensors")


if __name__ == "__main__":
    main()
