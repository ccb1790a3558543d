"""A Marian model in PyTorch, to be trained and to translate on one graphics card.

regard-train trains on the processor: an hour for 15 million tokens of the bundled shape. This computes the same
(the post-norm Transformer of the paper, label smoothing, Adam, batches of sentences of like length, weights of the
sources) some hundred times as fast, from what regard-train has prepared, and writes the same kind of folder.
make.sh says what is trained in which order, run.py does it; this file has the means.

Wants PyTorch (2.11 was used), safetensors and NumPy. Without a graphics card it runs on the processor, in f32.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import concurrent.futures
import json
import math
import os
import pathlib
import time

import numpy as np

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")  # before PyTorch is there
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

# Padded lengths of a batch: few shapes.
LENGTHS = (4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64, 96, 128, 192)


def sinusoids(n, d):
    """Positions as Hugging Face's Marian has them: all sines, then all cosines, f32 [n, d]."""
    angles = np.arange(n)[:, None] / np.power(10000.0, 2 * (np.arange(d // 2)[None, :]) / d)
    return torch.tensor(np.concatenate([np.sin(angles), np.cos(angles)], 1), dtype=torch.float32)


class Network:
    """The parameters by their names in model.safetensors, and the pass; p are tensors of one type on one device."""

    def __init__(self, config, tensors, device, dtype):
        self.config, self.device, self.dtype = config, device, dtype
        self.d, self.h = config["d_model"], config["encoder_attention_heads"]
        self.n_enc, self.n_dec = config["encoder_layers"], config["decoder_layers"]
        self.pad, self.eos = config["pad_token_id"], config["eos_token_id"]
        self.p = {k: v.to(device, dtype) for k, v in tensors.items()}
        self.positions = sinusoids(config["max_position_embeddings"], self.d).to(device, dtype)
        self.scale = math.sqrt(self.d)
        self.dropout = 0.0

    def drop(self, x):
        return F.dropout(x, self.dropout, True) if self.dropout else x

    def linear(self, x, name):
        return F.linear(x, self.p[name + ".weight"], self.p[name + ".bias"])

    def norm(self, x, name):
        return F.layer_norm(x, (self.d,), self.p[name + ".weight"], self.p[name + ".bias"])

    def heads(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.h, self.d // self.h).transpose(1, 2)

    def projected(self, x, name, which):
        """Several projections of one input in one product."""
        w = torch.cat([self.p[f"{name}.{c}_proj.weight"] for c in which])
        b = torch.cat([self.p[f"{name}.{c}_proj.bias"] for c in which])
        return [self.heads(y) for y in F.linear(x, w, b).chunk(len(which), -1)]

    def attended(self, q, k, v, name, mask=None, causal=False):
        z = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        b, _, n, _ = z.shape
        return self.linear(z.transpose(1, 2).reshape(b, n, self.d), name + ".out_proj")

    def embedded(self, ids, at=0):
        x = F.embedding(ids, self.p["model.shared.weight"]) * self.scale
        return self.drop(x + self.positions[at : at + ids.shape[1]])

    def feed_forward(self, x, name):
        return self.linear(F.relu(self.linear(x, name + ".fc1")), name + ".fc2")

    def encode(self, source):
        """source [b, m] → [b, m, d], and what is added to scores of its keys [b, 1, 1, m]: much less than 0 for <pad>."""
        b, m = source.shape
        aligned = (m + 7) // 8 * 8  # as kernels want it
        mask = torch.zeros(b, 1, 1, aligned, device=self.device, dtype=self.dtype)
        mask = mask[..., :m].masked_fill_((source == self.pad)[:, None, None, :], -1e9)
        wide = mask.expand(-1, self.h, m, -1)
        x = self.embedded(source)
        for i in range(self.n_enc):
            name = f"model.encoder.layers.{i}"
            q, k, v = self.projected(x, name + ".self_attn", "qkv")
            z = self.attended(q, k, v, name + ".self_attn", wide)
            x = self.norm(x + self.drop(z), name + ".self_attn_layer_norm")
            x = self.norm(x + self.drop(self.feed_forward(x, name)), name + ".final_layer_norm")
        return x, mask

    def decode(self, target, memory, mask):
        """target [b, n], which begins with <pad> → [b, n, d]."""
        wide = mask.expand(-1, self.h, target.shape[1], -1)
        x = self.embedded(target)
        for i in range(self.n_dec):
            name = f"model.decoder.layers.{i}"
            q, k, v = self.projected(x, name + ".self_attn", "qkv")
            z = self.attended(q, k, v, name + ".self_attn", causal=True)
            x = self.norm(x + self.drop(z), name + ".self_attn_layer_norm")
            cross = name + ".encoder_attn"
            q = self.heads(self.linear(x, cross + ".q_proj"))
            k, v = self.projected(memory, cross, "kv")
            x = self.norm(x + self.drop(self.attended(q, k, v, cross, wide)), cross + "_layer_norm")
            x = self.norm(x + self.drop(self.feed_forward(x, name)), name + ".final_layer_norm")
        return x

    def logits(self, x):
        return F.linear(x, self.p["model.shared.weight"], self.p["final_logits_bias"].view(-1))

    def loss(self, source, target, sizes, n, smoothing, agree=0.0):
        """source [b, m], target [b, k], sizes [b] its lengths, n their sum (so that nothing waits for the device).
        Sum over tokens of the smoothed cross-entropy. agree: the pass is made twice with other dropout, and the
        divergence between both is added with this factor (R-Drop; Liang et al. 2021)."""
        if agree:
            source, target, sizes, n = source.repeat(2, 1), target.repeat(2, 1), sizes.repeat(2), 2 * n
        b, k = target.shape
        given = torch.cat([torch.full_like(target[:, :1], self.pad), target[:, :-1]], 1)
        memory, mask = self.encode(source)
        x = self.decode(given, memory, mask)
        shift = torch.arange(b, device=self.device) * k - (sizes.cumsum(0) - sizes)
        real = torch.arange(n, device=self.device) + torch.repeat_interleave(shift, sizes, output_size=n)
        x, wanted = x.reshape(b * k, self.d)[real], target.reshape(-1)[real]
        log_p = F.log_softmax(self.logits(x).float(), -1)
        total = F.nll_loss(log_p, wanted, reduction="sum") * (1 - smoothing)
        if smoothing:
            total = total - log_p.sum() * (smoothing / log_p.shape[1])
        if agree:
            one, two = log_p.chunk(2)
            total = total + agree * 0.5 * ((one.exp() - two.exp()) * (one - two)).sum()
        return total

    @torch.no_grad()
    def greedy(self, source, longest):
        """Greedy translations [b, longest], <pad> after </s>, and their mean log-probabilities [b]."""
        memory, mask = self.encode(source)
        b = source.shape[0]
        cross = [self.projected(memory, f"model.decoder.layers.{i}.encoder_attn", "kv") for i in range(self.n_dec)]
        shape = (b, self.h, longest, self.d // self.h)
        own = [[torch.zeros(shape, device=self.device, dtype=self.dtype) for _ in range(2)] for _ in range(self.n_dec)]
        ids = torch.full((b, 1), self.pad, device=self.device)
        out = torch.full((b, longest), self.pad, device=self.device)
        score = torch.zeros(b, device=self.device)
        done = torch.zeros(b, dtype=torch.bool, device=self.device)
        for t in range(longest):
            x = self.embedded(ids, t)
            for i in range(self.n_dec):
                name = f"model.decoder.layers.{i}"
                q, k, v = self.projected(x, name + ".self_attn", "qkv")
                own[i][0][:, :, t : t + 1], own[i][1][:, :, t : t + 1] = k, v
                z = self.attended(q, own[i][0][:, :, : t + 1], own[i][1][:, :, : t + 1], name + ".self_attn")
                x = self.norm(x + z, name + ".self_attn_layer_norm")
                q = self.heads(self.linear(x, name + ".encoder_attn.q_proj"))
                z = self.attended(q, *cross[i], name + ".encoder_attn", mask.expand(-1, self.h, 1, -1))
                x = self.norm(x + z, name + ".encoder_attn_layer_norm")
                x = self.norm(x + self.feed_forward(x, name), name + ".final_layer_norm")
            logits = self.logits(x[:, 0]).float()
            logits[:, self.pad] = -1e9
            p = F.log_softmax(logits, -1)
            value, token = p.max(-1)
            score += value.masked_fill(done, 0)
            token = token.masked_fill(done, self.pad)
            out[:, t] = token
            done |= token == self.eos
            ids = token[:, None]
            if t % 4 == 3 and bool(done.all()):
                break
        n = (out != self.pad).sum(1).clamp(min=1)
        return out, (score / n).masked_fill(~done, -1e9)


class Pairs:
    """Pairs as ids, flat on the device: ids[offsets[i] … offsets[i + 1]) is sentence i with its </s>."""

    def __init__(self, sides, device):
        self.device = device
        self.offsets = [np.asarray(offsets, np.int64) for _, offsets in sides]
        self.lengths = [np.diff(offsets) for offsets in self.offsets]
        self.ids = [torch.from_numpy(np.asarray(ids).astype(np.int32)).to(device) for ids, _ in sides]
        self.starts = [torch.from_numpy(offsets[:-1]).to(device) for offsets in self.offsets]
        self.sizes = [torch.from_numpy(n).to(device) for n in self.lengths]

    def __len__(self):
        return len(self.lengths[0])

    def side(self, which, side, width, pad):
        at = torch.arange(width, device=self.device)
        index = self.starts[side][which][:, None] + at
        ids = self.ids[side][index.clamp(max=len(self.ids[side]) - 1)].long()
        return ids.masked_fill(at >= self.sizes[side][which][:, None], pad)

    def batch(self, which, m, k, pad):
        """(source [b, m], target [b, k], lengths of the targets [b], their sum) of the pairs `which`."""
        n = int(self.lengths[1][which].sum())
        which = torch.from_numpy(which).to(self.device)
        return self.side(which, 0, m, pad), self.side(which, 1, k, pad), self.sizes[1][which], n


def flat(sentences):
    """Lists of ids → (ids, offsets), as regard-train has sentences: one after the other."""
    offsets = np.zeros(len(sentences) + 1, np.int64)
    offsets[1:] = np.cumsum([len(s) for s in sentences])
    return np.concatenate([np.asarray(s, np.uint16) for s in sentences]), offsets


def joined(parts):
    """Several (ids, offsets) → one."""
    ids = np.concatenate([i for i, _ in parts])
    offsets, base = [np.zeros(1, np.int64)], 0
    for _, o in parts:
        offsets.append(o[1:].astype(np.int64) + base)
        base += int(o[-1])
    return ids, np.concatenate(offsets)


def padded(lengths):
    steps = np.array(LENGTHS)
    return steps[np.searchsorted(steps, lengths)]


def epoch(pairs, weights, batch_tokens, random):
    """Batches of one epoch: (indices, source width, target width); each pair as often as its weight says."""
    times = np.floor(weights + random.random(len(weights))).astype(np.int64)
    drawn = np.repeat(np.arange(len(pairs)), times)
    random.shuffle(drawn)
    source, target = padded(pairs.lengths[0][drawn]), padded(pairs.lengths[1][drawn])
    widest = np.maximum(source, target)
    order = np.argsort(widest * 1000 + source, kind="stable")
    drawn, source, target, widest = drawn[order], source[order], target[order], widest[order]
    batches, at = [], 0
    while at < len(drawn):
        n = max(1, batch_tokens // widest[at])
        n = max(1, batch_tokens // widest[min(len(drawn), at + n) - 1])
        stop = at + n
        batches.append((drawn[at:stop], int(source[at:stop].max()), int(target[at:stop].max())))
        at = stop
    random.shuffle(batches)
    return batches


class Trainer:
    """Adam over f32 parameters, the pass in bf16; the mean of the parameters goes along."""

    def __init__(self, config, tensors, device, dropout=0.1, dtype=None):
        dtype = dtype or (torch.bfloat16 if device.type == "cuda" else torch.float32)
        self.device = device
        self.master = {k: v.to(device, torch.float32).clone() for k, v in tensors.items()}
        self.net = Network(config, tensors, device, dtype)
        self.net.dropout = dropout
        self.names = list(self.master)
        for k in self.names:
            self.net.p[k] = self.net.p[k].clone().requires_grad_(True)
        self.m = [torch.zeros_like(self.master[k]) for k in self.names]
        self.v = [torch.zeros_like(self.master[k]) for k in self.names]
        self.mean = {k: v.clone() for k, v in self.master.items()}
        self.step, self.means = 0, 0

    def hold_pad(self, tensors):
        tensors["model.shared.weight"][self.net.pad].zero_()

    def update(self, source, target, sizes, n, rate, smoothing=0.1, agree=0.0, betas=(0.9, 0.98), clip=1.0):
        """One step; the loss per token and the norm of the gradient, both on the device."""
        loss = self.net.loss(source, target, sizes, n, smoothing, agree)
        loss.backward()
        tokens = 2 * n if agree else n
        grads = [self.net.p[k].grad.float() for k in self.names]
        for k in self.names:
            self.net.p[k].grad = None
        torch._foreach_div_(grads, float(tokens))
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(grads)))
        torch._foreach_mul_(grads, torch.clamp(clip / (norm + 1e-9), max=1.0))
        self.step += 1
        t = self.step
        master = [self.master[k] for k in self.names]
        torch._foreach_lerp_(self.m, grads, 1 - betas[0])
        torch._foreach_mul_(self.v, betas[1])
        torch._foreach_addcmul_(self.v, grads, grads, 1 - betas[1])
        root = torch._foreach_sqrt(self.v)
        torch._foreach_div_(root, math.sqrt(1 - betas[1] ** t))
        torch._foreach_add_(root, 1e-9)
        torch._foreach_addcdiv_(master, self.m, root, -rate / (1 - betas[0] ** t))
        self.hold_pad(self.master)
        with torch.no_grad():
            torch._foreach_copy_([self.net.p[k] for k in self.names], master)
        return loss.detach() / tokens, norm

    def average(self, decay):
        """The moving mean: decay is that of one call."""
        self.means += 1
        decay = min(decay, self.means / (10 + self.means))
        torch._foreach_lerp_(list(self.mean.values()), [self.master[k] for k in self.mean], 1 - decay)


def train(trainer, pairs, weights, seconds, rate, batch_tokens, say, warmup=300, floor=0.02, hold=0.3, agree=0.0,
          seed=1, validate=None, every=60, steps=None):
    """Train until the time is over, or so many steps. The rate rises for `warmup` steps, stays for the share `hold`
    and falls as a cosine to `floor` of itself. validate(network) gives a line of text, `every` seconds."""
    random = np.random.default_rng(seed)
    maker = concurrent.futures.ThreadPoolExecutor(1)
    ahead = maker.submit(epoch, pairs, weights, batch_tokens, random)
    begin = last = time.time()
    pad, first, n_epoch, batches, n_tokens, losses, next_say = trainer.net.pad, trainer.step, 0, [], 0, [], begin + 10
    while True:
        now = time.time()
        share = (trainer.step - first) / steps if steps else (now - begin) / seconds
        if share >= 1:
            break
        if not batches:
            batches = ahead.result()
            ahead = maker.submit(epoch, pairs, weights, batch_tokens, random)
            n_epoch += 1
            n_all = sum(int(pairs.lengths[1][b[0]].sum()) for b in batches)
            say(f"epoch {n_epoch}: {len(batches)} batches, {n_all} target tokens")
        which, m, k = batches.pop()
        fall = 0 if share < hold else (share - hold) / (1 - hold)
        r = rate * min(1, (trainer.step - first + 1) / warmup)
        r *= floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * fall))
        source, target, sizes, n = pairs.batch(which, m, k, pad)
        loss, norm = trainer.update(source, target, sizes, n, r, agree=agree)
        losses.append(loss)
        n_tokens += n
        if trainer.step % 5 == 0:
            trainer.average(0.98)
        if trainer.step % 4 == 0:  # wait for the device, since the clock decides
            losses[-4:][0].item()
        if now > next_say:
            mean = float(torch.stack(losses).mean())
            say(f"step {trainer.step} {100 * share:.0f} % loss {mean:.4f} norm {float(norm):.2f} rate {r:.2e} "
                f"{n_tokens / (time.time() - last):.0f} target tokens/s epoch {n_epoch}, {len(batches)} batches left")
            if not math.isfinite(mean):
                raise SystemExit("the loss is not a finite number")
            if validate:
                say(validate(trainer.net))
            losses, n_tokens, last = [], 0, time.time()
            next_say = time.time() + every
    say(f"{trainer.step - first} steps in {time.time() - begin:.0f} s")
    if validate:
        say("at the end: " + validate(trainer.net))
        say("the mean: " + validate(mean_network(trainer)))
    maker.shutdown(wait=False, cancel_futures=True)


def mean_network(trainer):
    return Network(trainer.net.config, trainer.mean, trainer.device, trainer.net.dtype)


@torch.no_grad()
def heldout_loss(net, pairs, ranges):
    """Cross-entropy per token without smoothing, of each range of pairs."""
    dropout, net.dropout = net.dropout, 0.0
    out = []
    for a, b in ranges:
        total, tokens = 0.0, 0
        for i in range(a, b, 250):
            which = np.arange(i, min(b, i + 250))
            m, k = (int(padded(np.array([pairs.lengths[s][which].max()]))[0]) for s in (0, 1))
            batch = pairs.batch(which, m, k, net.pad)
            total, tokens = total + float(net.loss(*batch, 0.0)), tokens + batch[-1]
        out.append(total / tokens)
    net.dropout = dropout
    return out


@torch.no_grad()
def translate(net, sentences, batch_tokens=65536):
    """sentences (ids, offsets) → (lists of ids with </s>, scores), in their order; an empty list for what was not
    finished."""
    dropout, net.dropout = net.dropout, 0.0
    pairs = Pairs([sentences], net.device)
    order = np.argsort(pairs.lengths[0], kind="stable")
    out, scores = [[]] * len(order), np.full(len(order), -1e9, np.float32)
    at = 0
    while at < len(order):
        n = max(16, batch_tokens // int(padded(pairs.lengths[0][order[at : at + 1]])[0]))
        which = order[at : at + n]
        at += n
        width = int(padded(np.array([pairs.lengths[0][which].max()]))[0])
        longest = min(190, int(pairs.lengths[0][which].max() * 1.6) + 8)
        ids, score = net.greedy(pairs.side(torch.from_numpy(which).to(net.device), 0, width, net.pad), longest)
        ids, score = ids.to(torch.int32).cpu().numpy(), score.float().cpu().numpy()
        for row, i, s in zip(ids, which, score):
            if s > -1e8:
                end = int(np.flatnonzero(row == net.eos)[0])
                out[i], scores[i] = row[: end + 1].tolist(), s
    net.dropout = dropout
    return out, scores


def read_model(folder):
    folder = pathlib.Path(folder)
    return json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")


def write_model(tensors, folder):
    """model.safetensors in f16; the other files are those of the model from which it began."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rounded = {k: v.detach().to("cpu", torch.float16).contiguous() for k, v in tensors.items()}
    save_file(rounded, folder / "model.safetensors", metadata={"format": "pt"})
