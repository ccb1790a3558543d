"""Captures as people make them elsewhere: tests/data/foreign-*.npz.

Runs the very snippets of docs/captures.md, on small models: a BERT with random weights, and the
checkpoint that the tests of the engine use, so that its attention can be compared with ours.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import pathlib
import re
import shutil
import tempfile

import torch
from transformers import BertConfig, BertModel, BertTokenizer

import checkpoints

DOCUMENT = checkpoints.DATA.parent.parent / "docs" / "captures.md"
MOST_LINES = 20
MAX_LENGTH = 10  # test-capture-foreign.c knows it too
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the dogs were play ##ing in rain .".split()


def snippets():
    found = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.M | re.S)
    assert len(found) == 2, f"{DOCUMENT.name} has {len(found)} snippets"
    for snippet in found:
        assert snippet.count("\n") <= MOST_LINES, f"a snippet of {snippet.count(chr(10))} lines"
    return found


def run(snippet, folder, text):
    """The snippet with another folder and text, in the current directory."""
    changed, n = re.subn(r"^folder, text = .*$", f"folder, text = {folder!r}, {text!r}", snippet,
                         flags=re.M)
    assert n == 1
    exec(compile(changed, str(DOCUMENT), "exec"), {})


def make_bert(folder):
    pathlib.Path(folder).mkdir()
    pathlib.Path(folder, "vocab.txt").write_text("\n".join(WORDS) + "\n")
    torch.manual_seed(4)
    config = BertConfig(vocab_size=len(WORDS), hidden_size=24, num_hidden_layers=2,
                        num_attention_heads=3, intermediate_size=32, initializer_range=0.6)
    BertModel(config).save_pretrained(folder)
    BertTokenizer(str(pathlib.Path(folder, "vocab.txt"))).save_pretrained(folder)


def shorten(folder):
    """Random models do not know when to stop, and the file should be small."""
    path = pathlib.Path(folder, "generation_config.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"max_length": MAX_LENGTH}))


if __name__ == "__main__":
    encoder, translation = snippets()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make_bert("tiny-bert")
        run(encoder, "tiny-bert", "The dogs were playing in the rain.")
        shutil.copytree(checkpoints.DATA / "checkpoints" / "post-norm-relu", "post-norm-relu")
        shorten("post-norm-relu")
        run(translation, "post-norm-relu", "the cat sat on the mat .")
        for name in ("encoder", "translation"):
            shutil.copy(f"{name}.npz", checkpoints.DATA / f"foreign-{name}.npz")
