"""Does training here come to the same as training with PyTorch?

    parity.py REGARD_TRAIN DATA [--work DIR] [--seeds N] [--steps N] [--threads N]

DATA: a folder of regard-train prepare with one vocabulary. For each seed, regard-train fit trains a
small model; then PyTorch begins with the numbers of its checkpoint of step 0 and goes through the
same batches in the same order, with the same schedule, smoothing, clipping and Adam, but with
dropout of its own. Both models are then read from F32 numbers, and PyTorch's forward pass computes
the perplexity of the held-out pairs for both. The spread over seeds says what a difference means.

A third model is trained by Regard with products of bf16 (--products bf16) from the same numbers, with
the same batches and dropout.

First PyTorch goes some steps with Regard's dropout too, so that there is no chance left: the losses
have to be the same, step by step, to rounding.

The network is written from the papers with PyTorch's own functions and autograd, padded and masked;
nothing of it is shared with Regard. What is there already in DIR is not trained again.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

D, HEADS, FFN, LAYERS, SMOOTHING, CLIP = 128, 4, 512, 3, 0.1, 1.0
RATE, COOLDOWN, BATCH_TOKENS, SORT_BATCHES, DROPOUT = 1e-3, 0.3, 1000, 100, 0.1
EXACT_STEPS = 50
# DeepNorm (Wang et al. 2022, table 2, encoder-decoder): LN(alpha x + f(x)).
ALPHA = {"encoder": 0.81 * LAYERS ** (5 / 16), "decoder": (3 * LAYERS) ** 0.25}
EPSILON = 1e-5


GOLDEN = np.uint64(0x9E3779B97F4A7C15)


# ---- Batches: engine/train/mt-sampler.c again ----------------------------------------------------


def finish(x):
    """What SplitMix64 does to its state: an array of uint64."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def mix(x):
    with np.errstate(over="ignore"):
        return finish(np.atleast_1d(np.asarray(x, np.uint64)) + GOLDEN)


def shuffle(items, seed, epoch, use):
    items = items.tolist()
    key = mix(mix(mix(seed) ^ np.uint64(epoch)) ^ np.uint64(use))
    n = len(items)
    with np.errstate(over="ignore"):
        x = mix(key + np.arange(n - 1, dtype=np.uint64) * GOLDEN)
    at = np.arange(n, 1, -1, dtype=np.uint64)
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    places = ((x >> half) * at + ((x & low) * at >> half)) >> half  # x at / 2^64
    for i, k in zip(range(n - 1, 0, -1), places.tolist()):
        items[i], items[k] = items[k], items[i]
    return np.array(items)


class Data:
    def __init__(self, folder):
        manifest = json.loads((folder / "manifest.json").read_text())
        self.pad, self.vocabulary = manifest["pad_id"], manifest["source_vocab_size"]
        self.weights = np.repeat([s["weight"] for s in manifest["sources"]],
                                 [s["pairs"] for s in manifest["sources"]])

        def load(name):
            return np.load(folder / f"{name}.npy", mmap_mode="r")

        self.ids = {(p, s): load(f"{p}.{s}") for p in ("train", "heldout")
                    for s in ("source", "target")}
        self.offsets = {k: load(f"{k[0]}.{k[1]}-offsets") for k in self.ids}

    def lengths(self, part, side):
        return np.diff(self.offsets[part, side].astype(np.int64))

    def rows(self, part, side, pairs):
        ids, at = self.ids[part, side], self.offsets[part, side]
        return [np.asarray(ids[int(at[p]):int(at[p + 1])], np.int64) for p in pairs]

    def cut(self, pairs, part):
        """Stretches of pairs of at most BATCH_TOKENS tokens."""
        both = (self.lengths(part, "source") + self.lengths(part, "target"))[pairs].tolist()
        begins, tokens = [0], 0
        for i, more in enumerate(both):
            if i > 0 and tokens + more > BATCH_TOKENS:
                begins.append(i)
                tokens = 0
            tokens += more
        return [pairs[b:e] for b, e in zip(begins, begins[1:] + [len(pairs)])]

    def epoch(self, seed, epoch):
        n = len(self.weights)
        u = (mix(mix(seed ^ 0x7061697273) ^ np.arange(n, dtype=np.uint64)) >> np.uint64(11)) * 2.0**-53
        whole = np.floor(self.weights)
        part = self.weights - whole
        before = np.fmod(epoch * part, 1) + u
        copies = (whole + np.floor(before + part) - np.floor(before)).astype(int)
        pairs = shuffle(np.repeat(np.arange(n), copies), seed, epoch, 1)
        source, target = (self.lengths("train", s)[pairs] for s in ("source", "target"))
        ends, begin, out = np.cumsum(source + target), 0, []
        while begin < len(pairs):
            least = SORT_BATCHES * BATCH_TOKENS + (ends[begin - 1] if begin else 0)
            end = min(int(np.searchsorted(ends, least)) + 1, len(pairs))
            out.append(pairs[begin:end][np.lexsort((source[begin:end], target[begin:end]))])
            begin = end
        batches = self.cut(np.concatenate(out), "train")
        return [batches[i] for i in shuffle(np.arange(len(batches)), seed, epoch, 2)]

    def batches(self, seed, n):
        out, epoch = [], 0
        while len(out) < n:
            out += self.epoch(seed, epoch)[: n - len(out)]
            epoch += 1
        return out


class Batch:
    def __init__(self, data, part, pairs):
        def pad(rows, fill=0):
            n = max(map(len, rows))
            return torch.tensor(np.stack([np.pad(r, (0, n - len(r)), constant_values=fill) for r in rows]))

        sources, targets = (data.rows(part, s, pairs) for s in ("source", "target"))
        start = np.array([data.pad])
        self.source = pad(sources)
        self.target_in = pad([np.concatenate([start, t[:-1]]) for t in targets])
        answers = pad(targets, -1)
        self.is_source, self.is_target = pad(sources, -1) >= 0, answers >= 0
        self.answers = answers[self.is_target]
        self.source_mask = self.is_source[:, None, None]
        n = self.target_in.shape[1]
        self.causal = torch.ones(n, n, dtype=torch.bool).tril()


# ---- The network ---------------------------------------------------------------------------------


class Chance:
    """Dropout as PyTorch draws it."""

    def begin(self, step, batch):
        pass

    def drop(self, x, stack, place):
        return F.dropout(x, DROPOUT)


class Nothing(Chance):
    def drop(self, x, stack, place):
        return x


class Same(Chance):
    """Dropout as Regard draws it: engine/train/mt-operators.h again."""

    def __init__(self, seed):
        self.seed = seed

    def begin(self, step, batch):
        self.step = step - 1
        self.tokens = {"encoder": batch.is_source, "decoder": batch.is_target}

    def drop(self, x, stack, place):
        site = (place * 2 + (stack == "decoder")) * 2
        key = np.array([self.seed], np.uint64)
        with np.errstate(over="ignore"):
            for more in (int(GOLDEN), self.step, site):
                key = finish(key + np.uint64(more))
        low, high = (key & np.uint64(0xFFFFFFFF)).astype(np.uint32), (key >> np.uint64(32)).astype(np.uint32)
        tokens = self.tokens[stack]
        h = np.arange(int(tokens.sum()) * D, dtype=np.uint32) ^ low
        h = (h ^ (h >> np.uint32(16))) * np.uint32(0x7FEB352D)
        h = ((h ^ (h >> np.uint32(15))) + high) * np.uint32(0x846CA68B)
        h ^= h >> np.uint32(16)
        kept = torch.from_numpy(h >= np.uint32(DROPOUT * 2**32)).view(-1, D)
        factor = torch.zeros_like(x)
        factor[tokens] = kept.float() / (1 - DROPOUT)
        return x * factor


class Transformer:
    """p: tensors by Marian's names, out_proj and fc2 as they are trained (alpha times the file's)."""

    def __init__(self, path, dropout):
        self.p = {name: self.unfold(name, t.float()).requires_grad_()
                  for name, t in load_file(path).items()}
        self.dropout = dropout
        angle = torch.arange(512)[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
        self.positions = torch.cat([angle.sin(), angle.cos()], 1)

    @staticmethod
    def unfold(name, tensor, power=1):
        folded = "out_proj" in name or "fc2" in name
        stack = "encoder" if ".encoder.layers" in name else "decoder"
        return tensor * ALPHA[stack] ** power if folded else tensor.clone()

    def save(self, path):
        save_file({n: self.unfold(n, t.detach(), -1) for n, t in self.p.items()}, path)

    def linear(self, name, x):
        return F.linear(x, self.p[f"{name}.weight"], self.p[f"{name}.bias"])

    def embed(self, stack, ids):
        x = F.embedding(ids, self.p["model.shared.weight"]) * math.sqrt(D)
        return self.dropout.drop(x + self.positions[: ids.shape[1]], stack, 0)

    def attention(self, name, x, memory, mask):
        def heads(y):
            return y.view(*y.shape[:2], HEADS, D // HEADS).transpose(1, 2)

        q, k, v = (heads(self.linear(f"{name}.{p}_proj", y))
                   for p, y in (("q", x), ("k", memory), ("v", memory)))
        scores = (q @ k.transpose(2, 3) / math.sqrt(D // HEADS)).masked_fill(~mask, -math.inf)
        return self.linear(f"{name}.out_proj", (scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def add(self, stack, place, norm, x, y):
        alpha = ALPHA[stack]
        x = alpha * x + self.dropout.drop(y, stack, place)
        # The epsilon of LN(x + f / alpha), which is what the file has.
        return F.layer_norm(x, (D,), self.p[f"{norm}.weight"], self.p[f"{norm}.bias"], EPSILON * alpha**2)

    def stack(self, stack, ids, mask, memory=None, cross_mask=None):
        x = self.embed(stack, ids)
        places = itertools.count(1)
        for layer in range(LAYERS):
            p = f"model.{stack}.layers.{layer}."
            x = self.add(stack, next(places), f"{p}self_attn_layer_norm", x,
                         self.attention(f"{p}self_attn", x, x, mask))
            if memory is not None:
                x = self.add(stack, next(places), f"{p}encoder_attn_layer_norm", x,
                             self.attention(f"{p}encoder_attn", x, memory, cross_mask))
            inside = F.relu(self.linear(f"{p}fc1", x))
            x = self.add(stack, next(places), f"{p}final_layer_norm", x, self.linear(f"{p}fc2", inside))
        return x

    def logits(self, b):
        x = self.stack("encoder", b.source, b.source_mask)
        y = self.stack("decoder", b.target_in, b.causal, x, b.source_mask)
        return F.linear(y[b.is_target], self.p["model.shared.weight"], self.p["final_logits_bias"][0])


@torch.no_grad()
def perplexity(path, data):
    """Of the held-out pairs, without dropout and smoothing."""
    model, total, n = Transformer(path, Nothing()), 0.0, 0
    by_length = np.argsort(data.lengths("heldout", "target"), kind="stable")
    for pairs in data.cut(by_length, "heldout"):
        b = Batch(data, "heldout", pairs)
        total += F.cross_entropy(model.logits(b), b.answers, reduction="sum").item()
        n += len(b.answers)
    return math.exp(total / n)


def warmup_of(steps):
    return steps // 5


def rate_of(step, steps):
    """engine/train/mt-adam.c: up in a line, inverse square root, in a line to zero."""
    first, warmup = math.floor(steps * (1 - COOLDOWN)), warmup_of(steps)

    def curve(t):
        return RATE * min(t / warmup, math.sqrt(warmup / t))

    return curve(step) if step <= first else curve(first) * (steps + 1 - step) / (steps + 1 - first)


def train(model, data, seed, draw, steps):
    """Batches are drawn by seed, dropout by draw. The losses of the steps, without smoothing."""
    torch.manual_seed(draw)
    parameters = list(model.p.values())
    adam = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)
    losses = []
    for step, pairs in enumerate(data.batches(seed, steps), 1):
        adam.param_groups[0]["lr"] = rate_of(step, steps)
        b = Batch(data, "train", pairs)
        model.dropout.begin(step, b)
        logits = model.logits(b)
        adam.zero_grad(set_to_none=True)
        F.cross_entropy(logits, b.answers, label_smoothing=SMOOTHING).backward()
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        adam.step()
        losses.append(F.cross_entropy(logits.detach(), b.answers).item())
    return losses


# ---- Beside regard-train -------------------------------------------------------------------------


def fit(options, output, seed, steps, products="f32"):
    last = output / f"step-{steps:08d}"
    if not (last / "model.safetensors").exists():
        settings = {
            "layers": LAYERS, "d_model": D, "heads": HEADS, "d_ffn": FFN, "dropout": DROPOUT,
            "label_smoothing": SMOOTHING, "clip": CLIP, "schedule": "inverse-sqrt", "rate": RATE,
            "warmup": warmup_of(steps), "cooldown": COOLDOWN, "steps": steps, "batch_tokens": BATCH_TOKENS,
            "sort_batches": SORT_BATCHES, "save_every": 0, "save_at": [0, steps], "dtype": "f32",
            "validate_every": 0, "translate_pairs": 0, "report_every": 1, "seed": seed, "pad": "trained",
            "threads": options.threads, "products": products}
        config = output.with_suffix(".json")
        config.write_text(json.dumps(settings))
        subprocess.run([options.regard_train, "fit", "--config", config, "--data", options.data,
                        "--output", output], check=True, stdout=subprocess.DEVNULL)
    events = [json.loads(line) for line in (output / "log.jsonl").read_text().splitlines()]
    own = [e["perplexity"] for e in events if e["event"] == "validation"][-1]
    return (output / "step-00000000/model.safetensors", last / "model.safetensors",
            [e["loss"] for e in events if e["event"] == "step"], own)


def compare_exactly(options, data):
    first, _, ours, _ = fit(options, options.work / "regard-exact", 1, EXACT_STEPS)
    theirs = train(Transformer(first, Same(1)), data, 1, 1, EXACT_STEPS)
    worst = max(abs(a / b - 1) for a, b in zip(ours, theirs, strict=True))
    print(f"with the same dropout, {EXACT_STEPS} steps: loss {ours[0]:.4f} to {ours[-1]:.4f}; step by step the"
          f" two differ by at most {worst:.1e} of it", flush=True)


def compare(options, data, seed):
    first, last, _, own = fit(options, options.work / f"regard-{seed}", seed, options.steps)
    path = options.work / f"torch-{seed}.safetensors"
    if not path.exists():
        model = Transformer(first, Chance())
        train(model, data, seed, seed, options.steps)
        model.save(path)
    _, rounded, _, _ = fit(options, options.work / f"bf16-{seed}", seed, options.steps, "bf16")
    begun, ours, theirs, bf16 = (perplexity(p, data) for p in (first, last, path, rounded))
    print(f"{seed:4}{begun:12.0f}{theirs:12.2f}{ours:14.2f}{own:16.2f}{ours / theirs:10.4f}"
          f"{bf16:12.2f}{bf16 / ours:10.4f}", flush=True)
    return theirs, ours, bf16


def compare_chance(options, data):
    """What dropout alone does: PyTorch again from the numbers and batches of seed 1."""
    path = options.work / "torch-again.safetensors"
    if not path.exists():
        first, _, _, _ = fit(options, options.work / "regard-1", 1, options.steps)
        model = Transformer(first, Chance())
        train(model, data, 1, 1001, options.steps)
        model.save(path)
    again, before = (perplexity(p, data) for p in (path, options.work / "torch-1.safetensors"))
    print(f"PyTorch with seed 1 and other dropout: {again:.2f}, {again / before:.4f} of before")


def run(options):
    data = Data(options.data)
    compare_exactly(options, data)
    print(f"perplexity of {len(data.lengths('heldout', 'source')):,} held-out pairs, {options.steps:,} steps"
          f" of about {BATCH_TOKENS:,} tokens")
    print(f"{'seed':>4}{'step 0':>12}{'PyTorch':>12}{'regard-train':>14}{'as it said':>16}{'ratio':>10}"
          f"{'bf16':>12}{'to F32':>10}")
    rows = [compare(options, data, seed) for seed in range(1, options.seeds + 1)]
    means = [statistics.geometric_mean(column) for column in zip(*rows)]
    print(f"mean{'':12}{means[0]:12.2f}{means[1]:14.2f}{'':16}{means[1] / means[0]:10.4f}"
          f"{means[2]:12.2f}{means[2] / means[1]:10.4f}")
    for name, column in zip(("PyTorch", "regard-train", "bf16"), zip(*rows)):
        print(f"spread over seeds, {name}: {100 * (max(column) / min(column) - 1):.2f} %")
    compare_chance(options, data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("regard_train")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="keep models here (a temporary folder)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        run(options)
        return
    with tempfile.TemporaryDirectory() as work:
        options.work = pathlib.Path(work)
        run(options)


if __name__ == "__main__":
    main()
