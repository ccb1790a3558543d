"""What MarianTokenizer makes of texts with added tokens: tests/data/added-tokens.json.

Each case is a set of tokenizer files beside the SentencePiece models of checkpoints/post-norm-relu, random texts of
words, added tokens, blanks, CJK and emoji with their ids, and random ids with the text they decode to. Language tokens
(">>deu<<") are left out of what is decoded, since Regard shows them as tokens and not as text.

Made with transformers 5.24.0 and sentencepiece 0.2.3, without sacremoses.

    make_added_tokens.py

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import random
import shutil
import tempfile

from transformers import MarianTokenizer

import checkpoints

BASE = checkpoints.DATA / "checkpoints" / "post-norm-relu"
SIZE = 125  # of the embedding
FREE = 110  # ids from here on are not in vocab.json, but for <pad>


def token(content, **flags):
    return dict({"content": content, "lstrip": False, "normalized": True, "rstrip": False, "single_word": False,
                 "special": False}, **flags)


TRIO = {"0": token("</s>", special=True), "1": token("<unk>", special=True), "124": token("<pad>", special=True)}


def decoder(*tokens):
    return dict(TRIO, **{str(FREE + i): t for i, t in enumerate(tokens)})


FLAGS = [token("<l>", lstrip=True), token("<r>", rstrip=True), token("<lr>", lstrip=True, rstrip=True),
         token("<w>", single_word=True), token("cat", single_word=True), token("<lw>", lstrip=True, single_word=True),
         token("<rw>", rstrip=True, single_word=True), token("\u3000中", lstrip=True, rstrip=True, single_word=True),
         token("<s1>", special=True, lstrip=True), token("ca")]
# name -> files; "words" are what the texts are made of, beside words of the vocabulary
CASES = {
    "none": {},
    "decoder": {"tokenizer_config.json": {"added_tokens_decoder": decoder(
        token("<brand>"), token(">>deu<<"), token("New York"), token("ab"), token("abc"), token("bcd"), token("😀"),
        token("世界"), token("the"), token("▁dog"))}},
    "flags": {"tokenizer_config.json": {"added_tokens_decoder": decoder(*FLAGS),
                                        "extra_special_tokens": ["<s1>", "<lr>"]}},
    # Tokens that begin and end within one another.
    "overlap": {"tokenizer_config.json": {"added_tokens_decoder": decoder(
        token("a"), token("aab"), token("b a"), token("abéa"), token("éab"), token("bb"), token("béb b"), token("b"))}},
    "older": {"tokenizer_config.json": {"source_lang": "en"},
              "added_tokens.json": {"<x>": 116, "<y>": 117, "<z>": 116, ">>fra<<": 118, "<mask>": 119},
              "special_tokens_map.json": {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>",
                                          "mask_token": token("<mask>", lstrip=True),
                                          "additional_special_tokens": ["<y>", "<new>", "der"]}},
    # Numbered by how many words there are; some of these have no embedding.
    "numbered": {"tokenizer_config.json": {"additional_special_tokens": ["<eop>", "<eod>", "▁the", "hund"],
                                           "cls_token": "<cls>", "image_token": "<image>"},
                 "special_tokens_map.json": {"additional_special_tokens": ["<passed-over>"], "bos_token": "<bos>"}},
    "named": {"tokenizer_config.json": {"extra_special_tokens": {"boi": "<boi>", "eoi": "<eoi>"}}},
    "fast": {"tokenizer.json": {"version": "1.0", "added_tokens": [dict(token("<fast>", rstrip=True), id=115),
                                                                   dict(token("dog"), id=121)]}},
    "whole": {"tokenizer_config.json": {"added_tokens_decoder": decoder(token("<brand>"), token("cat")),
                                        "split_special_tokens": True}},
}
PLAIN = ["the", "cat", "dog", "house", "Hund", "die", "ab", "a", "b", "é", "abcd", "cats", "concat", ",", ".", "世", "中", "界",
         "你好", "😀", "👍🏽", "🇩🇪", "<", ">", ">>", "<<", ">>de<<", "▁", "▁the", "New", "York", "<s", "x", "\u0301"]
BLANKS = ["", "", "", " ", " ", " ", "  ", "\t", "\n", "\u00a0", "\u3000", "\x1f"]


def contents(files):
    """All added tokens that a case names."""
    found = []

    def look(value, key=""):
        if isinstance(value, dict):
            if "content" in value:
                found.append(value["content"])
            elif key in ("added_tokens_decoder", "extra_special_tokens", "", "special_tokens_map.json",
                         "tokenizer_config.json", "tokenizer.json"):
                for name, inner in value.items():
                    look(inner, name)
            else:
                found.extend(value)
        elif isinstance(value, list):
            for inner in value:
                look(inner, "token")
        elif isinstance(value, str) and key.rstrip("i").endswith(("token", "bo", "eo")):
            found.append(value)

    look(files)
    return [t for t in found if t not in ("</s>", "<unk>", "<pad>")]


def texts(name, files, n):
    source = random.Random(name)
    own = contents(files) or ["<brand>"]
    for _ in range(n):
        if name == "overlap":
            text = "".join(source.choice("aabbé  ") for _ in range(source.randint(2, 24)))
        else:
            parts = []
            for _ in range(source.randint(1, 9)):
                parts += [source.choice(own if source.random() < 0.5 else PLAIN), source.choice(BLANKS)]
            text = "".join(parts)
        if text.strip():
            yield text


if __name__ == "__main__":
    vocab = {piece: i for piece, i in json.loads((BASE / "vocab.json").read_text()).items()
             if i < FREE or piece == "<pad>"}
    cases = []
    for name, files in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for file in ("source.spm", "target.spm"):
                shutil.copy(BASE / file, folder)
            (folder / "vocab.json").write_text(json.dumps(vocab))
            for file, content in files.items():
                (folder / file).write_text(json.dumps(content))
            tokenizer = MarianTokenizer.from_pretrained(folder)
            language = {i for piece, i in tokenizer.get_added_vocab().items() if piece.startswith(">>")}
            encoded, decoded = [], []
            for text in texts(name, files, 40):
                ids = tokenizer(text)["input_ids"]
                if len(ids) > 1:
                    encoded.append({"text": text, "ids": ids})
            source = random.Random(name + " ids")
            known = [i for i in range(SIZE) if i < FREE or i in tokenizer.added_tokens_decoder]
            for _ in range(20):
                ids = [source.choice(known[-20:] if source.random() < 0.4 else known) for _ in range(source.randint(1, 9))]
                kept = [i for i in ids if i not in language]
                decoded.append({"ids": ids, "text": tokenizer.decode(kept, skip_special_tokens=True)})
        cases.append({"name": name, "files": files, "texts": encoded, "ids": decoded})
        print(name, len(encoded), "texts", len(decoded), "lists of ids", tokenizer.get_added_vocab())
    blob = {"vocab": vocab, "cases": cases}
    (checkpoints.DATA / "added-tokens.json").write_text(json.dumps(blob, ensure_ascii=False, separators=(",", ":")) + "\n")
