"""Golden results of MarianTokenizer and SentencePiece: tests/data/tokenizer-en-de.safetensors.

For line i: text (UTF-8 bytes, may hold control characters and newlines, never NUL), ids with the
final </s>, begin/end byte offsets of each piece as SentencePiece itself reports them (</s> and a
language code: both ends where they stand), and the decoded text.

    make_tokenizer.py en.txt de.txt
    make_tokenizer.py en.txt de.txt --model DIR --out FILE      another model's tokenizer
    make_tokenizer.py --language CODE --model DIR --out FILE    of a multi-target model: the odd lines
                                          only, each as MarianTokenizer reads ">>CODE<< " before it

The language's token has both ends at 0. tokenizer-multi-target.safetensors was made with
--language deu. en.txt and de.txt are sentences, one a line: the committed file was made with a Tatoeba test set
(CC BY 2.0 FR, tatoeba.org).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import pathlib
import random
import unicodedata

import numpy as np
from safetensors.numpy import save_file
from transformers import MarianTokenizer

import checkpoints

SPECIAL = ("</s>", "<unk>", "<pad>")

ODD = [
    # emoji: plain, skin tone, zero-width joiners, flags, keycaps, variation selectors
    "I 😀 you", "👍🏽 ok", "👩‍👩‍👧‍👦 family", "🇩🇪🇫🇷 flags", "1️⃣ 2️⃣", "❤️ vs ❤", "😀😀😀😀😀😀", "a😀b😀c", "🏳️‍🌈", "✂︎",
    # other scripts
    "世界", "你好，世界！", "東京は日本の首都です。", "日本語と English の mix", "안녕하세요 세계", "ㄱㄴㄷ", "مرحبا بالعالم",
    "العَرَبِيَّة with vowels", "שלום עולם", "नमस्ते दुनिया", "สวัสดีชาวโลก", "Привет, мир!", "Γειά σου Κόσμε", "ሰላም ልዑል",
    "ⵜⴰⵎⴰⵣⵉⵖⵜ", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛", "𐍈𐌰𐍄", "𠀀𠀁 beyond the plane",
    # combining marks, both normal forms, stacks of marks
    "café", "cafe\u0301", "Ångström", "A\u030angstro\u0308m", "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334algo",
    "\u0301 alone", "e\u0301\u0301\u0301", "ǘ u\u0308\u0301", "ﬁne ﬂow ﬀ", "①②③", "½ ¼ ²³", "Ⅷ ⅷ", "㌔ ㍿", "ＦＵＬＬ width", "ｶﾞｷﾞ",
    "ß ẞ ss", "İ i̇ ı", "ŉ ŀ", "…", "‘single’ “double” „low“ «angle»", "–—―‐‑−", "x\u00adsoft\u00adhyphen",
    # spaces of every kind
    " leading", "trailing ", "  two  spaces  ", "\t", "tab\there", "a\nb", "a\r\nb", "line one\n\nline two", "\u00a0nbsp\u00a0here",
    "\u2003em\u2003space", "\u3000ideographic\u3000", "zero\u200bwidth", "\ufeffBOM", "\u200e\u200fmarks", "a\u2028b\u2029c",
    "word\u2060joiner", "   ", " ", "\u00a0", "\n", "\u200b", "a" + " " * 40 + "b", " . ", "\u1680ogham\u180emongol",
    # control characters
    *[f"a{chr(c)}b" for c in range(1, 32)], *[f"x {chr(c)} y" for c in range(127, 160)], "\x01\x02\x03", "\x1b[31mred\x1b[0m",
    "\ufffd replacement", "\ufffc object", "\ue000 private", "\U000f0000 private", "\u0378 unassigned", "\ufdd0 not a character",
    "\uffff", "\U0010ffff",
    # long words, long runs
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "pneumonoultramicroscopicsilicovolcanoconiosis", "a" * 100, "ab" * 120, "x" * 400, "!" * 60, "ä" * 90, "世" * 80, "1234567890" * 12,
    "https://www.example.org/a/very/long/path?with=query&and=more#fragment", "foo_bar-baz.qux@example.com", "C:\\Windows\\System32",
    "3.14159265358979", "1,000,000.00", "10:45 p.m.", "#hashtag @mention", "{}[]()<>|~^`", "$€£¥", "a/b\\c", "50 %", "50%",
    # characters that mean something inside SentencePiece or the vocabulary
    "▁", "▁▁", "a▁b", "▁word", " ▁ ", "a ▁b", "</s>", "<pad>", "<unk>", "a </s> b", "<s>", "text<pad>text", "<unk> <unk>",
    "< unk >", "</S>", "<0x41>",
    # language codes at the start, where MarianTokenizer looks for them, and elsewhere
    ">>de<< hello", ">>deu<< hello there", ">>mlg<<hello", ">>de<<", ">>de<< ", " >>de<< hello", "hello >>de<<", ">>no end",
    ">><< empty", ">>a b c<< spaces", ">>fr<<>>de<< two", ">>>de<<< three", ">> de << hello", "<<de>>", ">>", ">>日<< hi",
]


def random_lines(n):
    """Words of our own mixed with characters from everywhere; the same for ever (fixed seed)."""
    source = random.Random(20240611)
    blocks = [(0x20, 0x7E), (0xA1, 0x17F), (0x300, 0x36F), (0x370, 0x4FF), (0x590, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F),
              (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2190, 0x2BFF), (0x3000, 0x30FF),
              (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFE6F), (0xFF00, 0xFFEF),
              (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF)]
    words = " ".join(checkpoints.ENGLISH + checkpoints.GERMAN).split()
    lines = []
    for i in range(n):
        parts = []
        for _ in range(source.randint(1, 8)):
            kind = source.random()
            if kind < 0.5:
                word = source.choice(words)
                parts.append(source.choice((word, word.capitalize(), word.upper())))
            else:
                first, last = source.choice(blocks)
                parts.append("".join(chr(source.randint(first, last)) for _ in range(source.randint(1, 6))))
        lines.append(source.choice((" ", " ", " ", "  ", "", "\u00a0")).join(parts))
    for i in range(0, n, 7):  # decomposed and composed twins
        lines[i] = unicodedata.normalize("NFD", lines[i])
    return lines


def reference_to(tokenizer, spm, text, language):
    """The same with a language before the text; the space between is not the text's. Decoded is what
    comes after it: Regard shows language tokens as tokens, not as text."""
    ids, begin, end, _ = reference(tokenizer, spm, f">>{language}<< {text}")
    decoded = tokenizer.decode(ids[1:], skip_special_tokens=True)
    shift = len(language) + 5
    assert tokenizer.convert_ids_to_tokens(ids[0]) == f">>{language}<<"
    return ids, [max(b - shift, 0) for b in begin], [0] + [max(e - shift, 0) for e in end[1:]], decoded


def reference(tokenizer, spm, text):
    """ids, begin, end, decoded."""
    code, rest = tokenizer.remove_language_code(text)
    shift = len(text.encode()) - len(rest.encode())
    proto = spm.encode(rest.encode(), return_type="proto")
    pieces = [p.piece for p in proto.pieces]
    raw = rest.encode()  # begin and end count its bytes
    assert all(raw[p.begin:p.end].decode() == p.surface for p in proto.pieces), text
    ids = tokenizer.convert_tokens_to_ids(code + pieces) + [tokenizer.eos_token_id]
    if not any(s in text for s in SPECIAL):
        # Text that spells a special token is text in Regard; Hugging Face would take it for the
        # token. Everywhere else the two must agree.
        assert ids == tokenizer(text)["input_ids"], text
    begin = [0] * len(code) + [shift + p.begin for p in proto.pieces] + [len(text.encode())]
    end = [shift] * len(code) + [shift + p.end for p in proto.pieces] + [len(text.encode())]
    return ids, begin, end, tokenizer.decode(ids, skip_special_tokens=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("english", nargs="?")
    parser.add_argument("german", nargs="?")
    parser.add_argument("--language")
    parser.add_argument("--model", default=checkpoints.FROZEN)
    parser.add_argument("--out", default=checkpoints.DATA / "tokenizer-en-de.safetensors")
    args = parser.parse_args()
    read = lambda path: pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:-1]
    if args.language:
        # What starts with a code of the model is another matter: that code has precedence.
        lines = [line for line in ODD if line.strip() and not line.startswith(f">>{args.language}<<")]
    else:
        lines = ODD + random_lines(700) + read(args.english)[1:2000:2] + read(args.german)[::5]
    tokenizer = MarianTokenizer.from_pretrained(args.model)
    blob = {"text": b"", "decoded": b""}
    columns = {"text_first": [0], "decoded_first": [0], "first": [0], "ids": [], "begin": [], "end": []}
    for line in lines:
        if args.language:
            ids, begin, end, decoded = reference_to(tokenizer, tokenizer.spm_source, line, args.language)
        else:
            ids, begin, end, decoded = reference(tokenizer, tokenizer.spm_source, line)
        for name, text in (("text", line), ("decoded", decoded)):
            blob[name] += text.encode()
            columns[name + "_first"].append(len(blob[name]))
        columns["ids"] += ids
        columns["begin"] += begin
        columns["end"] += end
        columns["first"].append(len(columns["ids"]))
    tensors = {k: np.frombuffer(v, dtype=np.uint8) for k, v in blob.items()}
    small = ("ids", "begin", "end")
    tensors.update({k: np.array(v, dtype=np.uint16 if k in small else np.int32) for k, v in columns.items()})
    save_file(tensors, args.out)
    print(len(lines), "lines", len(columns["ids"]), "tokens")
