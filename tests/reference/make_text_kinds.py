"""Tokenizers of other families, small ones, and what transformers makes of 300 texts: tests/data/text.

A folder for each kind with the files of a tokenizer as they lie on the Hub, one (NAME-json) with tokenizer.json as
save_pretrained of transformers 5 writes it, and NAME.json: for each text its ids, and the text that these become again.
texts.json has the texts. What is trained: SentencePiece models (unigram, BPE, with byte fallback) and a byte-level BPE,
on the sentences of checkpoints.py; their table of characters is a short one, so that the files stay small.

Left out are texts in which a special token is spelled out, which is text in Regard; white space at the end, for which
some fast tokenizers add a lone "▁"; a "▁" that is typed, and a mark behind a character that the table replaces (fast
tokenizers look a cluster of characters up as a whole, SentencePiece goes from one to the next).

Made with transformers 5.24.0, tokenizers 0.23.3, sentencepiece 0.2.3.

    make_text_kinds.py            all of it
    make_text_kinds.py DIR OUT    what tokenizers makes of the texts and of sentences with DIR/tokenizer.json, to OUT.json

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import random
import shutil
import sys
import tempfile
import unicodedata

import sentencepiece
import tokenizers
import transformers
from sentencepiece import sentencepiece_model_pb2

import checkpoints
import make_tokenizer
from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as NLLB

OUT = checkpoints.DATA / "text"
SPECIAL = ("</s>", "<s>", "<unk>", "<pad>", "<mask>", "<extra_id", "\ufffd")
# What the table of characters of a model does: Unicode's compatibility forms, a few of them.
RULES = {"ﬁ": "fi", "ﬂ": "fl", "①": "1", "½": "1⁄2", "…": "...", "Ａ": "A", "Ｕ": "U", "\u00a0": " ", "\u3000": " ",
         "\t": " ", "\n": " ", "\r": " ", "\x0b": " ", "\x0c": " ", "\u1680": " ", "\u2028": " ", "\u2029": " ", "\u0085": " ",
         "\u200b": "", "\u00ad": "", "\u0001": "", "\u001b": "", "ㄱ": "ᄀ", "㌔": "キロ"}
RULES.update({chr(c): " " for c in [*range(0x2000, 0x200B), 0x202F, 0x205F]})
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?-'\"()<>/_&%+=*"


def texts():
    lines = make_tokenizer.ODD + make_tokenizer.random_lines(140)
    lines += checkpoints.ENGLISH + checkpoints.GERMAN
    found = []
    for line in lines:
        line = line.rstrip()
        cut = any(a in RULES and unicodedata.category(b)[0] in "MC" for a, b in zip(line, line[1:]))
        if line and not cut and "▁" not in line and not any(s in line for s in SPECIAL) and line not in found and len(line.encode()) < 300:
            found.append(line)
    return found


def train(folder, name, model_type, size, **options):
    """A SentencePiece model, as bytes."""
    rules = folder / "rules.tsv"
    rules.write_text("".join(" ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) + "\n"
                             for a, b in RULES.items()), encoding="utf-8")
    lines = (checkpoints.ENGLISH + checkpoints.GERMAN) * 3 + [" ".join(LETTERS)] * 3
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(folder / name), vocab_size=size, model_type=model_type,
        normalization_rule_tsv=str(rules), hard_vocab_limit=False, minloglevel=2, character_coverage=1.0, **options)
    model = sentencepiece_model_pb2.ModelProto.FromString((folder / f"{name}.model").read_bytes())
    model.trainer_spec.ClearField("model_prefix")  # names of files
    model.normalizer_spec.ClearField("normalization_rule_tsv")
    return model.SerializeToString(deterministic=True)


T5_IDS = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
FAIRSEQ_IDS = {"unk_id": 0, "bos_id": 1, "eos_id": 2, "pad_id": -1}


def write(name, files):
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def golden(name, tokenizer, extra=(), normalizes=True, beyond=0, silent=0):
    """The ids of every text, as the tokenizer puts special tokens around them, and the text of these ids. normalizes:
    whether it has the table of characters of its model, which that of mBART in transformers 5 leaves out: there texts
    that the table changes are left out. beyond: ids that the tokenizer does not count; silent: the first ids that it does
    not know to be special."""
    rows = []
    for text in TEXTS + list(extra):
        if not normalizes and any(a in text and b != " " for a, b in RULES.items()):
            rows.append(None)
            continue
        ids = tokenizer(text)["input_ids"]
        rows.append([ids, tokenizer.decode(ids[silent:], skip_special_tokens=True, clean_up_tokenization_spaces=False).strip()])
    vocab = len(tokenizer) + beyond
    (OUT / f"{name}.json").write_text(json.dumps({"size": vocab, "extra": list(extra), "rows": rows}, ensure_ascii=False,
                                                 separators=(",", ":")) + "\n", encoding="utf-8")
    print(name, len(rows), "texts", vocab, "ids", tokenizer.convert_ids_to_tokens(rows[0][0]))


class Processor:
    """SentencePiece itself, called as a tokenizer is."""

    def __init__(self, model):
        self.spm = sentencepiece.SentencePieceProcessor(model_proto=model)

    def __call__(self, text):
        return {"input_ids": self.spm.encode(text) + [self.spm.eos_id()]}

    def __len__(self):
        return self.spm.get_piece_size()

    def decode(self, ids, **_):
        return self.spm.decode([i for i in ids if i != self.spm.eos_id()])

    def convert_ids_to_tokens(self, ids):
        return [self.spm.id_to_piece(i) for i in ids]


def save_json(name, tokenizer):
    """tokenizer.json and what stands beside it."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        folder = pathlib.Path(folder)
        files = {f.name: f.read_bytes() for f in folder.iterdir()}
        files["tokenizer.json"] = json.dumps(json.loads(files["tokenizer.json"]), ensure_ascii=False, separators=(",", ":")) + "\n"
        write(f"{name}-json", files)


def given(folder, out):
    """Of a real folder, for test-text-kinds: README.md says how."""
    lines = texts()
    for name in ("sentences.en.txt", "first-forty.en.txt", "reading-100.en.txt"):
        lines += [x for x in (checkpoints.DATA / name).read_text(encoding="utf-8").split("\n") if x]
    tokenizer = tokenizers.Tokenizer.from_file(str(pathlib.Path(folder) / "tokenizer.json"))
    size = json.loads((pathlib.Path(folder) / "config.json").read_text())["vocab_size"]
    eos, unk = tokenizer.token_to_id("</s>"), tokenizer.token_to_id("<unk>")
    rows = []
    for text in lines:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        rows.append([ids + [eos], tokenizer.decode([i for i in ids if i != unk]).strip()])
    pathlib.Path(out + ".json").write_text(json.dumps({"size": size, "extra": [], "texts": lines, "rows": rows}))
    print(len(rows), "texts")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        given(*sys.argv[1:])
        sys.exit()
    OUT.mkdir(exist_ok=True)
    TEXTS = texts()
    (OUT / "texts.json").write_text(json.dumps({"texts": TEXTS}, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(len(TEXTS), "texts")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        unigram = train(scratch, "t5", "unigram", 260, **T5_IDS)
        fairseq = train(scratch, "fairseq", "unigram", 260, **FAIRSEQ_IDS)
        bpe = train(scratch, "bpe", "bpe", 260, **FAIRSEQ_IDS)
        bytes_ = train(scratch, "bytes", "unigram", 460, byte_fallback=True, user_defined_symbols=["<2de>", "<2fr>"], **T5_IDS)

    masked = ["the <extra_id_0> cat<extra_id_1> sat", "<extra_id_99>x"]
    folder = write("t5", {"spiece.model": unigram})
    tokenizer = transformers.T5Tokenizer.from_pretrained(folder)
    golden("t5", tokenizer, masked)
    save_json("t5", tokenizer)

    # Which of the programs is right about pieces of single bytes: SentencePiece itself.
    write("madlad", {"spiece.model": bytes_})
    golden("madlad", Processor(bytes_))

    folder = write("pegasus", {"spiece.model": unigram})
    tokenizer = transformers.PegasusTokenizer.from_pretrained(folder)
    golden("pegasus", tokenizer, ["<mask_2> cat<mask_1>"])
    save_json("pegasus", tokenizer)

    for name, cls in (("mbart", transformers.MBartTokenizer), ("mbart50", transformers.MBart50Tokenizer)):
        folder = write(name, {"sentencepiece.bpe.model": fairseq})
        tokenizer = cls.from_pretrained(folder, src_lang="de_DE", tgt_lang="fr_XX")
        golden(name, tokenizer, ["the <mask> cat", "die  <mask>katze"], name != "mbart")
        save_json(name, tokenizer)

    # transformers 5.24 numbers the mask before the languages if no file says otherwise, and the published files do.
    first = sentencepiece.SentencePieceProcessor(model_proto=bpe).get_piece_size() + 1
    added = ["<s>", "<pad>", "</s>", "<unk>"] + NLLB + ["<mask>"]
    folder = write("nllb", {"sentencepiece.bpe.model": bpe, "tokenizer_config.json": json.dumps(
        {"src_lang": "deu_Latn", "additional_special_tokens": NLLB, "tokenizer_class": "NllbTokenizer",
         "added_tokens_decoder": {i if i < 4 else first + i - 4: {"content": t, "special": True, "lstrip": t == "<mask>"}
                                  for i, t in enumerate(added)}})})
    tokenizer = transformers.NllbTokenizer.from_pretrained(folder, src_lang="deu_Latn", tgt_lang="fra_Latn")
    golden("nllb", tokenizer, ["the <mask> cat"])
    save_json("nllb", tokenizer)
    (folder / "tokenizer_config.json").unlink()  # the constants do

    spm = sentencepiece.SentencePieceProcessor(model_proto=bpe)
    pieces = ["<s>", "<pad>", "</s>", "<unk>"] + [spm.id_to_piece(i) for i in range(3, spm.get_piece_size())][:-3]
    folder = write("m2m", {"sentencepiece.bpe.model": bpe,
                           "vocab.json": json.dumps({p: i for i, p in enumerate(pieces)}, ensure_ascii=False)})
    tokenizer = transformers.M2M100Tokenizer.from_pretrained(folder, src_lang="de")
    golden("m2m", tokenizer, beyond=100 + 8, silent=1)  # languages, and words that fairseq made up

    # Byte-level BPE: BART's special tokens, and CodeT5's; a space before the first word, and none.
    for name, cls, model, extra in (
            ("bart", transformers.BartTokenizer, {}, []),
            ("codet5", transformers.RobertaTokenizer, {"add_prefix_space": True},
             [f"<extra_id_{i}>" for i in range(99, -1, -1)])):
        trained = tokenizers.ByteLevelBPETokenizer(add_prefix_space=False)
        trained.train_from_iterator(checkpoints.ENGLISH * 3 + checkpoints.GERMAN * 3 + TEXTS, vocab_size=480, show_progress=False,
                                    special_tokens=["<s>", "<pad>", "</s>", "<unk>"])
        trained.save_model(str(scratch_folder := pathlib.Path(tempfile.mkdtemp())))
        vocab = json.loads((scratch_folder / "vocab.json").read_text())
        size = len(vocab)
        vocab["<mask>"] = size
        config = dict(model, tokenizer_class=cls.__name__, additional_special_tokens=extra, added_tokens_decoder={
            i: {"content": t, "special": True, "lstrip": t == "<mask>"} for t, i in
            [(t, vocab[t]) for t in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")] +
            [(t, size + 1 + i) for i, t in enumerate(extra)]})
        folder = write(name, {"vocab.json": json.dumps(vocab, ensure_ascii=False), "tokenizer_config.json": json.dumps(config),
                              "merges.txt": (scratch_folder / "merges.txt").read_bytes()})
        shutil.rmtree(scratch_folder)
        tokenizer = cls.from_pretrained(folder)
        golden(name, tokenizer, ["the <mask> cat", "a<mask>b"] + (masked if extra else []))
        save_json(name, tokenizer)

    folder = write("byt5", {"tokenizer_config.json": json.dumps({"tokenizer_class": "ByT5Tokenizer"})})
    golden("byt5", transformers.ByT5Tokenizer.from_pretrained(folder), ["the <extra_id_0> cat<extra_id_1>"])
