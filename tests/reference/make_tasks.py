"""What `generate` makes of texts behind the prefixes of tasks, searched as the tasks ask:
tests/data/tasks.json. Made with PyTorch 2.13.0 and transformers 5.24.0.

Of the checkpoint t5-tiny, whose config.json has task_specific_params. A case is: the name of a task, or
null for a prefix of one's own and the settings of the model; the prefix; the number of a sentence (line
of sentences.en.txt); "source", the ids of both as one text; "hypotheses", ids without the start token
and sequences_scores (of greedy search, null). As in the pipelines of transformers, the keys of a task
are put over the generation of the model.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import copy
import json

import torch

import checkpoints
import families

NAME = "t5-tiny"
SENTENCES = (0, 3, 7, 12, 20)
OWN = "say: "


def run(model, read, task, prefix, settings, number, text):
    source = read(prefix + text)["input_ids"]
    config = copy.deepcopy(model.generation_config)
    config.update(**settings)
    beams = config.num_beams or 1
    with torch.no_grad():
        out = model.generate(torch.tensor([source]), generation_config=config, output_scores=True,
                             num_return_sequences=min(beams, 2), return_dict_in_generate=True)
    hypotheses = []
    for h, sequence in enumerate(out.sequences.tolist()):
        ids = sequence[1:]
        while ids and ids[-1] == config.pad_token_id:
            ids.pop()
        hypotheses.append({"ids": ids, "score": out.sequences_scores[h].item() if beams > 1 else None})
    return {"task": task, "prefix": prefix, "sentence": number, "source": source,
            "hypotheses": hypotheses}


def main():
    model, read = families.open_small(NAME)
    lines = (checkpoints.DATA / "sentences.en.txt").read_text(encoding="utf-8").splitlines()
    cases = []
    for number in SENTENCES:
        for task, keys in model.config.task_specific_params.items():
            settings = dict(keys)
            cases.append(run(model, read, task, settings.pop("prefix"), settings, number, lines[number]))
        cases.append(run(model, read, None, OWN, {}, number, lines[number]))
    text = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (checkpoints.DATA / "tasks.json").write_text(f"[{text}]\n", encoding="utf-8")
    print(len(cases), "cases,", sum(len(c["hypotheses"][0]["ids"]) for c in cases), "tokens")


if __name__ == "__main__":
    main()
