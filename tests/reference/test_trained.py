"""Opens checkpoints that regard-train wrote in transformers and in CTranslate2, and compares translations.

    python tests/reference/test_trained.py build/app/regard-cli TEXT run/step-00000400 run/model …

TEXT has a sentence a line. For each folder: no tensor is missing, superfluous or of another shape,
and transformers' generate gives the translations that regard-cli gives, as a rule all of them (equal
scores may be broken differently in F32); fewer than 98 of 100 is a failure. CTranslate2 gets what its
stock converter makes of the folder, with nothing said about how the decoder starts: it starts with
zeros, and so the embedding of <pad> must be zero. It ends a beam search by a rule of its own, so
translations are compared with its greedy ones, of which 98 of 100 must be Regard's. Run by hand, with
the packages of requirements.txt.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import pathlib
import subprocess
import sys
import tempfile

import ctranslate2
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

MAX_LENGTH = 48


def translate_by_regard(program, folder, text, beams):
    done = subprocess.run(
        [program, "translate", "--model", folder, "--beam", str(beams), "--max-length", str(MAX_LENGTH)],
        input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def translate_by_transformers(folder, lines):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, report = AutoModelForSeq2SeqLM.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True)
    for fault, names in report.items():
        assert not names, f"{folder}: {fault}: {names}"
    out = []
    for line in lines:
        ids = model.generate(**tokenizer(line, return_tensors="pt"), num_beams=4,
                             max_length=MAX_LENGTH)
        out.append(tokenizer.decode(ids[0], skip_special_tokens=True))
    return out


def translate_by_ctranslate2(folder, lines):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with tempfile.TemporaryDirectory() as work:
        converted = pathlib.Path(work) / "converted"
        ctranslate2.converters.TransformersConverter(folder).convert(converted)
        translator = ctranslate2.Translator(str(converted), compute_type="float32")
        pieces = [tokenizer.convert_ids_to_tokens(tokenizer(line)["input_ids"]) for line in lines]
        results = translator.translate_batch(pieces, beam_size=1, max_decoding_length=MAX_LENGTH - 1)
    return [
        tokenizer.decode(tokenizer.convert_tokens_to_ids(result.hypotheses[0]), skip_special_tokens=True)
        for result in results
    ]


def main():
    program, text_file, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(text_file, encoding="utf-8") as file:
        text = file.read()
    lines = text.splitlines()
    failed = False
    for folder in folders:
        pairs = {
            "transformers, beam 4": (translate_by_regard(program, folder, text, 4),
                                     translate_by_transformers(folder, lines)),
            "CTranslate2, greedy": (translate_by_regard(program, folder, text, 1),
                                    translate_by_ctranslate2(folder, lines)),
        }
        for name, (ours, theirs) in pairs.items():
            same = sum(a == b for a, b in zip(ours, theirs, strict=True))
            print(f"{folder}: {name}: {same} of {len(lines)} translations are equal")
            failed = failed or same < 0.98 * len(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
