#!/usr/bin/env python3
"""How clear the heads of a model are, in numbers.

    models/recipes/heads.py MODEL tests/data/alignments.en-de.tsv

The file has sentences, their translations and the words that belong together by hand (1-based, words
are what stands between spaces). Each translation is given to the model (teacher forcing), and printed are

- the alignment error of the best cross-attention head: the share of linked target words whose largest
  weight, summed over the pieces of a source word, is on a word that is not linked to it. A head may look
  for the piece that its row reads or for the one that it predicts: whichever is better counts;
- positional heads of self-attention: those whose largest weight is at one offset in 90 % of the rows,
  of the rows that have a key there. The last row of a sentence, and a decoder's first, are left out;
- the share of the mass of cross-attention and of the encoder's that is on </s>.

Wants regard-cli on the PATH, or REGARD_CLI, and NumPy.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

POSITIONAL = 0.9  # of the rows


def read(path):
    """(English, German, links) of each line."""
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        source, target, links = line.split("\t")
        yield source, target, {tuple(int(i) - 1 for i in link.split("-")) for link in links.split()}


def capture(model, source, target, path):
    subprocess.run([os.environ.get("REGARD_CLI", "regard-cli"), "capture", "--model", model, "--output", path,
                    "--target", target, source], check=True)
    return numpy.load(path)


def words_of(tokens, spans, text):
    """For each piece the number of the word between spaces that it is of, -1 for signs and </s>."""
    text = text.encode()
    numbers = []
    for token, (begin, end) in zip(tokens, spans):
        piece = text[begin:end].decode()
        if not any(c.isalnum() for c in piece) or token == "</s>":
            numbers.append(-1)
            continue
        at = end - len(piece.lstrip().encode())
        numbers.append(text[:at].count(b" "))
    return numpy.array(numbers)


def by_source_word(weights, words):
    """[…, T, S] summed over the pieces of each word: […, T, words]."""
    return numpy.stack([weights[..., words == w].sum(-1) for w in range(words.max() + 1)], -1)


class Alignment:
    """Errors of every cross head, with rows named by what they read and by what they predict."""

    def __init__(self):
        self.wrong = {"predicts": 0, "reads": 0}
        self.n = 0

    def add(self, found, links):
        source = words_of(found["source_tokens"], found["source_spans"], str(found["source_text"]))
        weights = by_source_word(found["cross_attentions"], source)
        linked = collections.defaultdict(set)
        for i, j in links:
            linked[j].add(i)
        for name, kind in (("predicts", "output"), ("reads", "decoder_input")):
            target = words_of(found[f"{kind}_tokens"], found[f"{kind}_spans"], str(found[f"{kind}_text"]))
            for word, right in linked.items():
                rows = weights[:, :, target == word].mean(2)
                chosen = rows.argmax(-1)
                self.wrong[name] = self.wrong[name] + ~numpy.isin(chosen, list(right))
        self.n += len(linked)

    def report(self):
        for name, wrong in self.wrong.items():
            error = wrong / self.n
            layer, head = numpy.unravel_index(error.argmin(), error.shape)
            yield error.min(), f"cross head {layer + 1}.{head + 1}, rows by the piece that they {name[:-1]}"


class Offsets:
    """How often the largest weight of each head of one stack is at each offset."""

    def __init__(self):
        self.hits = collections.Counter()
        self.rows = collections.Counter()

    def add(self, weights, first):
        chosen = weights.argmax(-1)
        n = weights.shape[-1]
        for query in range(first, n - 1):
            for offset in range(-3, 4):
                if 0 <= query + offset < n:
                    self.rows[offset] += 1
                    for at in zip(*numpy.nonzero(chosen[:, :, query] == query + offset)):
                        self.hits[at, offset] += 1

    def positional(self):
        """{offset: [(layer, head), …]}."""
        heads = collections.defaultdict(list)
        for (at, offset), hits in sorted(self.hits.items()):
            if hits >= POSITIONAL * self.rows[offset]:
                heads[offset].append(at)
        return heads


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    alignment = Alignment()
    offsets = {"encoder": Offsets(), "decoder": Offsets()}
    mass = {"cross": [], "encoder": []}
    with tempfile.TemporaryDirectory() as folder:
        for source, target, links in read(sys.argv[2]):
            found = capture(sys.argv[1], source, target, os.path.join(folder, "capture.npz"))
            alignment.add(found, links)
            offsets["encoder"].add(found["encoder_attentions"], 0)
            offsets["decoder"].add(found["decoder_attentions"], 1)
            for kind, shares in mass.items():
                shares.append(found[f"{kind}_attentions"][..., -1].mean(-1))
    error, where = min(alignment.report())
    print(f"alignment error {100 * error:.1f} % of {alignment.n} words: {where}")
    n_positional = 0
    for stack, rows in offsets.items():
        for offset, heads in sorted(rows.positional().items()):
            n_positional += len(heads)
            print(f"{stack}, offset {offset:+d}: " + ", ".join(f"{l + 1}.{h + 1}" for l, h in heads))
    print(f"positional heads: {n_positional}")
    for kind, shares in mass.items():
        layers = numpy.mean(shares, 0).mean(-1)
        print(f"{kind} mass on </s>: {100 * layers.mean():.1f} % (by layer "
              + " ".join(f"{100 * share:.0f}" for share in layers) + ")")


if __name__ == "__main__":
    main()
