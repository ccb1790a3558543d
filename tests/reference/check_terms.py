"""Terms by transformers' own constrained beam search, which its releases before 5 have: how its results compare with
those of tests/data/terms.safetensors. Nothing of it is kept in data.

    venv/bin/pip install transformers==4.49.0 -t OLD
    PYTHONPATH=OLD venv/bin/python check_terms.py

With PyTorch 2.13.0 and transformers 4.49.0, of 70 searches with a beam of 6: 43 worse, 10 the same, 16 better, and one
that lacks a term.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json

import torch
import transformers
from safetensors.numpy import load_file
from transformers import GenerationConfig, MarianTokenizer

import checkpoints
from make_generation import NAME, SENTENCES
from make_terms import has

BEAMS = 6


def main():
    torch.set_num_threads(1)
    data = load_file(checkpoints.DATA / "terms.safetensors")
    kinds = [json.loads(kind) for kind in bytes(data["kinds"]).decode().split("\0")[:-1]]
    model = checkpoints.build(NAME)
    model.generation_config = GenerationConfig()
    tokenizer = MarianTokenizer.from_pretrained(checkpoints.DATA / "checkpoints" / NAME)
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    counts = dict.fromkeys(("worse", "the same", "better", "lacking a term"), 0)
    for c, (kind, number, beams, n, _) in enumerate(data["cases"].tolist()):
        if beams != BEAMS or n == 0 or data["case_prefix"][c] != data["case_prefix"][c + 1]:
            continue
        bounds = data["term_first"][data["case_term"][c]:data["case_term"][c + 1] + 1]
        terms = [data["terms"][a:b].tolist() for a, b in zip(bounds, bounds[1:])]
        options = dict(kinds[kind])
        if "sequence_bias" in options:  # it wants lists without the id 0
            options["sequence_bias"] = {tuple(ids): bias for ids, bias in options["sequence_bias"]}
        config = GenerationConfig(**options | dict(num_beams=beams, force_words_ids=terms, output_scores=True,
                                                   return_dict_in_generate=True))
        with torch.no_grad():
            out = model.generate(torch.tensor([tokenizer(lines[number])["input_ids"]]),
                                 generation_config=config)
        ids = out.sequences[0].tolist()[1:]
        gap = float(out.sequences_scores[0]) - float(data["scores"][data["case_first"][c]])
        counts["lacking a term" if not all(has(ids, term) for term in terms) else
               "the same" if abs(gap) < 1e-4 else "better" if gap > 0 else "worse"] += 1
    print(transformers.__version__, counts)


if __name__ == "__main__":
    main()
