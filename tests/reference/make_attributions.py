"""Golden attributions: tests/data/attributions-*.safetensors.

What each method of mt/attribution.h says of every word of one translation, by the formulas of the
papers from PyTorch's tensors in double: "source_text" and "target_text" (UTF-8 bytes), and of each
method "<id>.source" [T][S] and "<id>.prefix" [T][T]; "<id>.encoder" [S][S] where there is one.
Gradient times input and integrated gradients are Captum's, whose path has 50 points of Gauss and
Legendre; "integrated-gradients.difference" [T] is log p less that with all embeddings at 0. For one word,
"word", "deletion.order" [methods][S] and "deletion.curve" [methods][S + 1], where source tokens are
hidden by the attention masks of transformers, and "spearman" [methods][methods] by SciPy's definition.

Also with one layer and one head: "weights.2.1", "norms.2.1".

attributions-changed-*.safetensors hold the methods that run the model again, or back, while heads are
off, scaled or level: "changes" is their list (UTF-8 bytes), as Regard reads it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys

import numpy as np
import torch
from captum.attr import InputXGradient, IntegratedGradients
from safetensors.numpy import save_file
from transformers import MarianMTModel, MarianTokenizer

import anatomy
import checkpoints
import families
import variants
from make_forward import TINY, tokenize

NAMES = ["post-norm-relu", "post-norm-final-norm", "pre-norm-gelu-learned", "odd-sizes-swish",
         "separate-vocabularies", "zero-pad", "bart-tiny", "t5-gated-tiny"]
CHANGED = ["post-norm-relu", "pre-norm-gelu-learned", "t5-gated-tiny"]
# Of a kind and a head, from 1: what its context is multiplied by; and heads that are level, for all
# queries or for one.
FACTORS = {("encoder", "1.1"): 0, ("decoder", "1.1"): -1.5, ("cross", "1.1"): 0.5}
LEVEL = {("encoder", "1.2"): None, ("decoder", "1.2"): 2, ("cross", "1.2"): None}
METHODS = ["weights", "norms", "rollout", "alti", "value-zeroing", "occlusion", "gradient-input",
           "integrated-gradients", "chefer"]
WORD = 2
STEPS = 50


class Sentence:
    """One sentence in a model in double, teacher-forced; weights, values and what goes by."""

    def __init__(self, model, source, target, factors=None, level=None):
        self.factors, self.level = factors or {}, level or {}
        self.model = model.double()
        self.source, self.target = source, target
        self.inputs = [model.config.decoder_start_token_id] + target[:-1]
        self.stacks = anatomy.stacks(model)
        self.encoder, self.decoder = (self.stacks[x].module for x in ("encoder", "decoder"))
        self.code = anatomy.code(model)
        self.pre_norm = anatomy.pre_norm(model)
        self.place = {}
        for i, layer in enumerate(self.stacks["encoder"].layers):
            self.place[layer.self_attn] = ("encoder", i)
        for i, layer in enumerate(self.stacks["decoder"].layers):
            self.place[layer.self_attn] = ("decoder", i)
            self.place[layer.cross_attn] = ("cross", i)
        self.weights, self.values, self.rows = {}, {}, {}
        self.keeps = True

    def attention(self, module, query, key, value, attention_mask, scaling=None,
                  position_bias=None, **_kwargs):
        place = self.place[module]
        scores = torch.matmul(query, key.transpose(2, 3)) * scaling
        if position_bias is not None:
            scores = scores + position_bias
        kind, layer = place
        for (name, head), row in self.level.items():
            if (name, int(head[0]) - 1) == (kind, layer):
                keep = torch.ones_like(scores)
                keep[:, int(head[2]) - 1, slice(None) if row is None else row - 1] = 0
                scores = scores * keep
        if attention_mask is not None:
            scores = scores + attention_mask
        weights = torch.softmax(scores, dim=-1)
        if self.keeps:
            self.weights[place], self.values[place] = weights, value
            if weights.requires_grad:
                weights.retain_grad()
        factors = torch.ones(1, weights.shape[1], 1, 1, dtype=weights.dtype)
        for (name, head), factor in self.factors.items():
            if (name, int(head[0]) - 1) == (kind, layer):
                factors[0, int(head[2]) - 1] = factor
        out = factors * torch.matmul(weights, value)
        return out.transpose(1, 2).contiguous(), weights

    def embeddings(self):
        s = anatomy.embed(self.model, self.encoder, torch.tensor([self.source]))
        t = anatomy.embed(self.model, self.decoder, torch.tensor([self.inputs]))
        return s.detach(), t.detach()

    def logits(self, s, t, mask=None):
        original, self.code.eager_attention_forward = (
            self.code.eager_attention_forward, self.attention)
        try:
            # Marian's decoder scales what it is given, its encoder does not.
            return self.model(inputs_embeds=s, use_cache=False, attention_mask=mask,
                              decoder_inputs_embeds=t / getattr(
                                  self.decoder, "embed_scale", 1.0)).logits
        finally:
            self.code.eager_attention_forward = original

    def log_p(self, s, t, mask=None):
        """[sentences][T]"""
        rows = variants.log_softmax(self.model, self.logits(s, t, mask))
        index = torch.tensor(self.target).expand(len(rows), -1)[..., None]
        return rows.gather(-1, index)[..., 0]

    @torch.no_grad()
    def run(self):
        """Keep what goes in and out of every sub-layer."""
        hooks = []

        def keep(module, name):
            def hook(_module, args, kwargs, out):
                first = args[0] if args else kwargs["hidden_states"]
                self.rows[name] = (first[0], (out[0] if isinstance(out, tuple) else out)[0])

            hooks.append(module.register_forward_hook(hook, with_kwargs=True))

        for module, (kind, i) in self.place.items():
            keep(module, (kind, i))
            keep(self.norm(kind, i), (kind, i, "norm"))
        for kind, stack in self.stacks.items():
            for i, layer in enumerate(stack.layers):
                keep(layer.after[1], (kind, i, "layer"))
        self.logits(*self.embeddings())
        for hook in hooks:
            hook.remove()

    def layer(self, kind, i):
        return self.stacks["encoder" if kind == "encoder" else "decoder"].layers[i]

    def norm(self, kind, i):
        layer = self.layer(kind, i)
        return layer.cross_norm if kind == "cross" else layer.self_norm

    def module(self, kind, i):
        return next(m for m, place in self.place.items() if place == (kind, i))

    def n_layers(self, kind):
        return len(self.stacks["encoder" if kind == "encoder" else "decoder"].layers)

    def per_head(self, kind, i):
        """A^h_ij f^h(x_j) [queries][keys][heads][d]"""
        values, weights = self.values[kind, i][0], self.weights[kind, i][0]
        n_heads, _, d_head = values.shape
        out = anatomy.out_map(self.module(kind, i)).weight.reshape(-1, n_heads, d_head)
        return torch.einsum("hij,hjk,ohk->ijho", weights, values, out)


def by_layer(sentence, function, layers=None):
    """A method that says something of each layer: the mean over them."""
    names = {"cross": "source", "decoder": "prefix", "encoder": "encoder"}
    return {name: torch.stack([function(kind, i) for i in (layers or
                                                           range(sentence.n_layers(kind)))]).mean(0)
            for kind, name in names.items()}


def compose(sentence, shares):
    """shares(kind, layer): [queries][keys], of cross-attention with the kept part as last column."""
    encoder = torch.eye(len(sentence.source)).double()
    for i in range(sentence.n_layers("encoder")):
        encoder = shares("encoder", i) @ encoder
        encoder = encoder / encoder.sum(-1, keepdim=True)
    n = len(sentence.target)
    source = torch.zeros(n, len(sentence.source)).double()
    target = torch.eye(n).double()
    for i in range(sentence.n_layers("decoder")):
        cross = shares("cross", i)
        step = torch.diag(cross[:, -1]) @ shares("decoder", i)
        source = step @ source + cross[:, :-1] @ encoder
        target = step @ target
        total = source.sum(-1, keepdim=True) + target.sum(-1, keepdim=True)
        source, target = source / total, target / total
    return {"source": source, "prefix": target, "encoder": encoder}


def rollout_shares(sentence):
    def shares(kind, i):
        mean = sentence.weights[kind, i][0].mean(0)
        if kind == "cross":
            return torch.cat([mean / 2, torch.full((len(mean), 1), 0.5).double()], 1)
        return mean / 2 + torch.eye(len(mean)).double() / 2

    return shares


def alti_shares(sentence):
    def shares(kind, i):
        norm_in, norm_out = sentence.rows[kind, i, "norm"]
        # A post-norm's input is the stream and what was added; a pre-norm's is the stream.
        added = sentence.rows[kind, i][1]
        before = norm_in if sentence.pre_norm else norm_in - added
        y = before + added if sentence.pre_norm else norm_out
        t = sentence.per_head(kind, i).sum(2)
        if kind == "cross":
            t = torch.cat([t, before[:, None]], 1)
        else:
            t = t + torch.eye(len(before)).double()[:, :, None] * before[:, None]
        if not sentence.pre_norm:
            gain = sentence.norm(kind, i).weight
            sigma = torch.sqrt(norm_in.var(-1, unbiased=False) + 1e-5)[:, None, None]
            t = gain * (t - t.mean(-1, keepdim=True)) / sigma
        given = (y.abs().sum(-1)[:, None] - (y[:, None] - t).abs().sum(-1)).clamp(min=0)
        return given / given.sum(-1, keepdim=True)

    return shares


def value_zeroing(sentence):
    """The layer module itself runs again on what it had, with one key's values 0."""
    clean = dict(sentence.rows)

    def layer_input(kind, i):
        seen = {}
        hook = sentence.layer(kind, i).layer.register_forward_pre_hook(
            lambda _m, args, kwargs: seen.update(args=args, kwargs=dict(kwargs)), with_kwargs=True)
        sentence.logits(*sentence.embeddings())
        hook.remove()
        return seen

    def matrix(kind, i):
        own = "encoder" if kind == "encoder" else "decoder"
        seen = layer_input(own, i)
        y = clean[own, i, "layer"][1]
        d, tap = sentence.layer(own, i).layer, sentence.layer(own, i).after[1]
        n_keys = sentence.values[kind, i].shape[2]
        columns = []
        for j in range(n_keys):
            def attention(module, query, key, value, mask, scaling=None, **kwargs):
                if sentence.place[module] == (kind, i):
                    value = value.clone()
                    value[:, :, j] = 0
                return sentence.attention(module, query, key, value, mask, scaling, **kwargs)

            kept = {}
            hook = tap.register_forward_hook(
                lambda _m, _a, out: kept.update(y=(out[0] if isinstance(out, tuple) else out)[0]))
            original, sentence.code.eager_attention_forward = (
                sentence.code.eager_attention_forward, attention)
            try:
                d(*seen["args"], **seen["kwargs"])
            finally:
                sentence.code.eager_attention_forward = original
                hook.remove()
            columns.append(1 - torch.nn.functional.cosine_similarity(y, kept["y"], dim=-1))
        c = torch.stack(columns, 1)
        c = torch.where(c < 1e-5, torch.zeros_like(c), c)
        return c / c.sum(-1, keepdim=True).clamp(min=1e-300)

    sentence.keeps = False
    with torch.no_grad():
        result = by_layer(sentence, matrix)
    sentence.keeps = True
    return result


@torch.no_grad()
def occlusion(sentence):
    s, t = sentence.embeddings()
    clean = sentence.log_p(s, t)[0]

    def erased(which, j):
        pair = [s.clone(), t.clone()]
        pair[which][0, j] = 0
        return clean - sentence.log_p(*pair)[0]

    return {"source": torch.stack([erased(0, j) for j in range(s.shape[1])], 1),
            "prefix": torch.stack([erased(1, j) for j in range(t.shape[1])], 1).tril()}


def gradients(sentence, make):
    s, t = sentence.embeddings()
    sentence.keeps = False
    source, prefix = [], []
    for word in range(len(sentence.target)):
        a, b = make(lambda x, y, w=word: sentence.log_p(x, y)[:, w], s, t)
        source.append(a[0].sum(-1))
        prefix.append(b[0].sum(-1))
    sentence.keeps = True
    return {"source": torch.stack(source).detach(), "prefix": torch.stack(prefix).detach()}


def chefer(sentence):
    s, t = (x.requires_grad_() for x in sentence.embeddings())
    source = torch.zeros(len(sentence.target), s.shape[1]).double()
    prefix = torch.zeros(len(sentence.target), t.shape[1]).double()

    def normalised(r):
        rest = r - torch.eye(len(r)).double()
        total = rest.sum(-1, keepdim=True)
        return torch.where(total > 0, rest / total.clamp(min=1e-300), 0) + torch.eye(len(r)).double()

    for word, piece in enumerate(sentence.target):
        logits = sentence.logits(s, t)
        logits[0, word, piece].backward()
        bar = {place: (w.grad[0] * w[0]).clamp(min=0).mean(0).detach()
               for place, w in sentence.weights.items()}
        ii, qq = torch.eye(s.shape[1]).double(), torch.eye(t.shape[1]).double()
        qi = torch.zeros(t.shape[1], s.shape[1]).double()
        for i in range(sentence.n_layers("encoder")):
            ii = ii + bar["encoder", i] @ ii
        for i in range(sentence.n_layers("decoder")):
            a = bar["decoder", i]
            qq, qi = qq + a @ qq, qi + a @ qi
            qi = qi + normalised(qq).T @ bar["cross", i] @ normalised(ii)
        source[word], prefix[word] = qi[word], qq[word]
        prefix[word, word] -= 1
    return {"source": source, "prefix": prefix}


@torch.no_grad()
def deletion(sentence, result):
    s, t = sentence.embeddings()
    orders, curves = [], []
    for method in METHODS:
        order = torch.argsort(-result[method]["source"][WORD].float(), stable=True).tolist()
        curve = []
        for n in range(len(order)):
            mask = torch.ones(1, len(order), dtype=torch.long)
            mask[0, order[:n]] = 0
            curve.append(float(sentence.log_p(s, t, mask)[0, WORD]))
        orders.append(order)
        curves.append(curve)
    return np.array(orders, dtype=np.int32), np.array(curves, dtype=np.float32)


def spearman(result):
    def ranks(x):
        x = x.float()
        return torch.tensor([float((x < v).sum()) + (float((x == v).sum()) + 1) / 2 for v in x])

    rows = [ranks(torch.cat([result[m]["source"][WORD], result[m]["prefix"][WORD, :WORD + 1]]))
            for m in METHODS]
    return np.corrcoef(torch.stack(rows).double().numpy()).astype(np.float32)


def run_methods(sentence):
    """Those that run the model again, or back."""
    return {
        "value-zeroing": value_zeroing(sentence),
        "occlusion": occlusion(sentence),
        "gradient-input": gradients(
            sentence, lambda f, s, t: InputXGradient(f).attribute(
                (s.clone().requires_grad_(), t.clone().requires_grad_()))),
        "integrated-gradients": gradients(
            sentence, lambda f, s, t: IntegratedGradients(f, multiply_by_inputs=True).attribute(
                (s, t), n_steps=STEPS, method="gausslegendre", internal_batch_size=1)),
        "chefer": chefer(sentence)}


def flatten(sentence, result):
    tensors = {f"{method}.{name}": value.detach().numpy().astype(np.float32)
               for method, parts in result.items() for name, value in parts.items()}
    with torch.no_grad():
        s, t = sentence.embeddings()
        tensors["integrated-gradients.difference"] = (
            sentence.log_p(s, t) - sentence.log_p(0 * s, 0 * t))[0].numpy().astype(np.float32)
    return tensors


def attribute(model, source, target):
    sentence = Sentence(model, source, target)
    sentence.run()
    result = {}
    weights = lambda kind, i: sentence.weights[kind, i][0].mean(0)
    norms = lambda kind, i: sentence.per_head(kind, i).sum(2).norm(dim=-1)
    result["weights"], result["norms"] = by_layer(sentence, weights), by_layer(sentence, norms)
    if min(sentence.n_layers("encoder"), sentence.n_layers("decoder")) > 1:
        result["weights.2.1"] = by_layer(sentence, lambda k, i: sentence.weights[k, i][0, 0], [1])
        result["norms.2.1"] = by_layer(sentence,
                                       lambda k, i: sentence.per_head(k, i)[:, :, 0].norm(dim=-1),
                                       [1])
    result["rollout"] = compose(sentence, rollout_shares(sentence))
    result["alti"] = compose(sentence, alti_shares(sentence))
    result.update(run_methods(sentence))
    tensors = flatten(sentence, result)
    tensors["word"] = np.array([WORD], dtype=np.int32)
    tensors["deletion.order"], tensors["deletion.curve"] = deletion(sentence, result)
    tensors["spearman"] = spearman(result)
    return tensors


def attribute_changed(model, source, target):
    sentence = Sentence(model, source, target, FACTORS, LEVEL)
    sentence.run()
    tensors = flatten(sentence, run_methods(sentence))
    lines = [f"{kind} {head} " + ("zero" if factor == 0 else f"scale {factor}")
             for (kind, head), factor in FACTORS.items()]
    lines += [f"{kind} {head}" + ("" if row is None else f" query {row}") + " uniform"
              for (kind, head), row in LEVEL.items()]
    tensors["changes"] = np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)
    return tensors


def make(name, model, tokenizer, source_text, target_text, function=attribute):
    source, target = tokenize(tokenizer, source_text, target_text)
    tensors = function(model, source, target)
    tensors["source_text"] = np.frombuffer(source_text.encode(), dtype=np.uint8)
    tensors["target_text"] = np.frombuffer(target_text.encode(), dtype=np.uint8)
    out = checkpoints.DATA / f"attributions-{name}.safetensors"
    save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()}, out)
    print(out.name, out.stat().st_size)


def main(only):
    for name in only or NAMES:
        make(name, *families.open_small(name), *TINY[0])
    for name in only or CHANGED:
        if name in CHANGED:
            make(f"changed-{name}", *families.open_small(name), *TINY[0], attribute_changed)
    if only:
        return
    folder = checkpoints.DATA / "frozen" / "en-de"
    model = MarianMTModel.from_pretrained(folder, dtype=torch.float32,
                                          attn_implementation="eager").eval()
    make("frozen", model, MarianTokenizer.from_pretrained(folder), "I have two dogs.",
         "Ich habe zwei Hunde.")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1:])
