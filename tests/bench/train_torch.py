"""Training beside PyTorch: the same network, batches and optimiser, a step each in turns.

    train_torch.py SERVE [--rounds N] [--every N] [--threads N] [--attention plain|fused]
                         [--products f32|bf16] [--loop copies|autocast]

SERVE: the program bench-train. It makes the batches and trains on a batch when it is told to; here
the same is done with PyTorch as fast as eager mode goes: float32, one product for queries, keys and
values, logits only where there is a target token, fused Adam. PyTorch pads each batch to its longest
sentence, Regard packs. With --products bf16 both round the factors of products to bf16, and PyTorch
either computes everything with bf16 copies of parameters that stay float32, made anew each step, or as
torch.autocast has it; logits are float32 before the loss. What is compared is the ratio of two times
that were measured side by side, in an order that changes. Rates count source and target tokens, padding
not.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import math
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

D, HEADS, FFN, LAYERS, VOCABULARY = 256, 8, 1024, 6, 8001
DROPOUT, SMOOTHING = 0.1, 0.1
ENCODER_ALPHA, DECODER_ALPHA = 0.81 * LAYERS ** (5 / 16), (3 * LAYERS) ** 0.25


class Attention(nn.Module):
    """The paper, 3.2.2, with a bias everywhere."""

    def __init__(self, fused):
        super().__init__()
        self.fused = fused
        self.maps = nn.Linear(D, 3 * D)
        self.out = nn.Linear(D, D)

    def forward(self, x, mask, memory=None):
        def heads(y):
            return y.view(*y.shape[:2], HEADS, D // HEADS).transpose(1, 2)

        if memory is None:
            q, k, v = map(heads, self.maps(x).chunk(3, -1))
        else:
            q = heads(F.linear(x, self.maps.weight[:D], self.maps.bias[:D]))
            k, v = map(heads, F.linear(memory, self.maps.weight[D:], self.maps.bias[D:]).chunk(2, -1))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = q @ k.transpose(2, 3) / math.sqrt(D // HEADS) + mask
            y = scores.softmax(-1) @ v
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, alpha, crosses, fused):
        super().__init__()
        self.alpha = alpha
        self.self_attention = Attention(fused)
        self.cross_attention = Attention(fused) if crosses else None
        self.fc1, self.fc2 = nn.Linear(D, FFN), nn.Linear(FFN, D)
        self.norms = nn.ModuleList(nn.LayerNorm(D) for _ in range(3 if crosses else 2))

    def add(self, i, x, y):
        return self.norms[i](self.alpha * x + F.dropout(y, DROPOUT))

    def forward(self, x, mask, memory=None, cross_mask=None):
        x = self.add(0, x, self.self_attention(x, mask))
        if memory is not None:
            x = self.add(1, x, self.cross_attention(x, cross_mask, memory))
        return self.add(-1, x, self.fc2(F.relu(self.fc1(x))))


class Transformer(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D)
        nn.init.normal_(self.embedding.weight, std=D**-0.5)
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))
        self.encoder = nn.ModuleList(Layer(ENCODER_ALPHA, False, fused) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(Layer(DECODER_ALPHA, True, fused) for _ in range(LAYERS))
        angle = torch.arange(512)[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
        self.register_buffer("positions", torch.cat([angle.sin(), angle.cos()], 1))

    def embed(self, ids):
        x = self.embedding(ids) * math.sqrt(D) + self.positions[: ids.shape[1]]
        return F.dropout(x, DROPOUT)

    def loss(self, batch):
        x = self.embed(batch.source)
        for layer in self.encoder:
            x = layer(x, batch.source_mask)
        y = self.embed(batch.target_in)
        for layer in self.decoder:
            y = layer(y, batch.causal, x, batch.source_mask)
        logits = F.linear(y[batch.is_target], self.embedding.weight, self.bias)
        return F.cross_entropy(logits.float(), batch.answers, label_smoothing=SMOOTHING, reduction="sum")


class Batch:
    """Padded tensors, made before anything is timed."""

    def __init__(self, pairs, dtype):
        def pad(rows):
            n = max(map(len, rows))
            return torch.tensor(np.stack([np.pad(r, (0, n - len(r))) for r in rows]).astype(np.int64))

        def ones(rows):
            return pad([np.ones(len(r), int) for r in rows]).bool()

        sources, targets = zip(*pairs)
        self.source = pad(sources)
        self.target_in = pad([np.concatenate([[VOCABULARY - 1], t[:-1]]) for t in targets])
        self.is_target = ones(targets)
        self.answers = pad(targets)[self.is_target]
        nothing = torch.tensor(-math.inf)
        self.source_mask = torch.where(ones(sources), 0.0, nothing)[:, None, None]
        n = self.target_in.shape[1]
        self.causal = torch.where(torch.ones(n, n).tril().bool(), 0.0, nothing)
        self.causal, self.source_mask = self.causal.to(dtype), self.source_mask.to(dtype)
        s, t = sum(map(len, sources)), sum(map(len, targets))
        self.n_tokens, self.n_targets = s + t, t
        self.n_padded = self.source.numel() + self.target_in.numel()
        # Products of rows and weights, forward and twice backward, without padding.
        self.operations = 6 * (s * LAYERS * (4 * D * D + 2 * D * FFN + 2 * D * D)
                               + t * LAYERS * (6 * D * D + 2 * D * FFN) + t * D * VOCABULARY)


def read_batches(path, dtype):
    numbers = iter(np.fromfile(path, dtype=np.int32).tolist())
    batches = []
    for _ in range(next(numbers)):
        pairs = []
        for _ in range(next(numbers)):
            lengths = next(numbers), next(numbers)
            pairs.append(tuple(np.array([next(numbers) for _ in range(n)]) for n in lengths))
        batches.append(Batch(pairs, dtype))
    return batches


def has_copies(options):
    """Whether PyTorch computes with bf16 copies of its parameters."""
    return options.products == "bf16" and options.loop == "copies"


class Torch:
    name = "PyTorch " + torch.__version__.split("+")[0]

    def __init__(self, batches, options):
        torch.manual_seed(1)
        self.batches, self.model = batches, Transformer(options.attention == "fused")
        self.copies = None
        self.autocast = options.products == "bf16" and options.loop == "autocast"
        self.parameters = list(self.model.parameters())
        if has_copies(options):
            self.parameters = [p.detach().clone().requires_grad_() for p in self.parameters]
            self.copies = list(self.model.bfloat16().parameters())
        self.adam = torch.optim.Adam(self.parameters, lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def step(self, i):
        begin = time.perf_counter()
        batch = self.batches[i]
        self.adam.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.autocast):
            loss = self.model.loss(batch) / batch.n_targets
        loss.backward()
        if self.copies:
            for parameter, copy in zip(self.parameters, self.copies):
                parameter.grad, copy.grad = copy.grad.float(), None
        self.adam.step()
        if self.copies:
            with torch.no_grad():
                torch._foreach_copy_(self.copies, self.parameters)
        return time.perf_counter() - begin

    def memory(self):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Regard:
    name = "regard-train"

    def __init__(self, process):
        self.process = process

    def ask(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def step(self, i):
        return float(self.ask(i)[0])

    def memory(self):
        return float(self.ask("memory")[0])

    def peak(self):
        return float(self.ask("peak")[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("serve")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="every nth batch only")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--attention", choices=("plain", "fused"), default="plain")
    parser.add_argument("--products", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--loop", choices=("copies", "autocast"), default="copies", help="of PyTorch's bf16")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "batches"
        command = [options.serve, "--threads", str(options.threads), "--products", options.products,
                   "--serve", path]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        regard = Regard(process)
        peaks = [regard.peak()]
        batches = read_batches(path, torch.bfloat16 if has_copies(options) else torch.float32)
        programs = [regard, Torch(batches, options)]
        rates, ratios = {p.name: [] for p in programs}, []
        turns_of_round = range(options.every // 2, len(batches), options.every)
        for program in programs:
            for i in turns_of_round:
                program.step(i)
        for round_ in range(options.rounds):
            for i in turns_of_round:
                batch = batches[i]
                turns = programs if (round_ + i // options.every) % 2 else programs[::-1]
                seconds = {p.name: p.step(i) for p in turns}
                for name, time_ in seconds.items():
                    rates[name].append((batch.n_tokens / time_, batch.operations / time_ / 1e9))
                ratios.append(seconds[programs[1].name] / seconds[programs[0].name])
            peaks.append(regard.peak())
        peak = statistics.median(peaks)
        padding = 1 - sum(b.n_tokens for b in batches) / sum(b.n_padded for b in batches)
        print(f"{len(ratios)} steps each, {len(turns_of_round)} batches of about {batches[0].n_tokens} tokens,"
              f" {100 * padding:.1f} % padding for PyTorch, {options.attention} attention")
        if options.products == "bf16":
            print(f"products of bf16, by {regard.ask('bf16')[0]} here; PyTorch: {options.loop}")
        print(f"peak of sgemm, Regard's threads: {peak:.0f} GFLOP/s")
        print(f"{'':24}{'tokens/s':>10}{'of the peak':>14}{'memory':>12}")
        for p in programs:
            tokens, operations = map(statistics.median, zip(*rates[p.name]))
            print(f"{p.name:24}{tokens:10,.0f}{100 * operations / peak:12.1f} %{p.memory():9,.0f} MB")
        print(f"ratio of the two, side by side: median {statistics.median(ratios):.2f}"
              f" ({min(ratios):.2f} to {max(ratios):.2f})")
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    main()
