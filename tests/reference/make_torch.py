"""Write tests/data/torch: the weights of a small checkpoint, saved by PyTorch in every way that
differs for a reader, each as a pytorch_model.bin for the folder tests/data/checkpoints/post-norm-relu.
The weights there are exact in every type, so that all of them must give the same numbers.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import collections
import json
import pathlib
import sys
import zipfile

import torch
from safetensors.torch import load_file

from checkpoints import DATA

SOURCE = DATA / "checkpoints" / "post-norm-relu" / "model.safetensors"


def saved_as(weights: dict, dtype) -> dict:
    found = collections.OrderedDict((name, t.to(dtype)) for name, t in weights.items())
    # As every state_dict() has it; it becomes an attribute in the pickle.
    found._metadata = collections.OrderedDict({"": {"version": 1}, "model": {"version": 1}})
    return found


def views(weights: dict) -> dict:
    """The same tensors as views of other storages, in four types."""
    found = collections.OrderedDict()
    types = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
    for i, (name, t) in enumerate(weights.items()):
        t = t.to(types[i % 4])
        if t.dim() == 2 and i % 3 == 0:
            t = t.t().contiguous().t()  # transposed
        elif t.dim() == 2 and i % 3 == 1:
            wide = torch.full((t.shape[0] * 2, t.shape[1] + 3), 7.0, dtype=t.dtype)
            wide[::2, 1:-2] = t  # every second row, without the edges
            t = wide[::2, 1:-2]
        elif t.dim() == 1:
            t = torch.stack([t, t + 1])[0] if i % 2 else torch.stack([t + 1, t], 1)[:, 1]
        found[name] = t
    # One storage for the three projections of a layer, as fused implementations have it.
    for layer in range(2):
        names = [f"model.encoder.layers.{layer}.self_attn.{p}_proj.weight" for p in "qkv"]
        fused = torch.cat([weights[name] for name in names])
        found.update(zip(names, fused.split(fused.shape[0] // 3)))
    # Several names for one tensor, as MarianMTModel.state_dict() has them.
    shared = torch.nn.Parameter(weights["model.shared.weight"])
    for name in ("model.shared", "model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head"):
        found[f"{name}.weight"] = shared
    # What is not a weight.
    found["model.encoder.embed_positions.position_ids"] = torch.arange(4).expand(2, 4)
    found["note"] = "not a tensor"
    return {"epoch": 3, "loss": 0.25, "state_dict": found, "args": {"lr": [1e-3, None, 2 ** 70]}}


def write_shards(weights: dict, folder: pathlib.Path):
    names = list(weights)
    index = {"metadata": {}, "weight_map": {}}
    for k in range(3):
        file = f"pytorch_model-{k + 1:05}-of-00003.bin"
        mine = names[len(names) * k // 3:len(names) * (k + 1) // 3]
        torch.save({name: weights[name] for name in mine}, folder / file)
        index["weight_map"].update((name, file) for name in mine)
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index) + "\n")


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "torch"
    weights = load_file(SOURCE)

    def file(name: str) -> pathlib.Path:
        (out / name).mkdir(parents=True, exist_ok=True)
        return out / name / "pytorch_model.bin"

    torch.save(saved_as(weights, torch.float32), file("f32"))
    # Protocol 4 has other opcodes for the same.
    torch.save(views(weights), file("views"), pickle_protocol=4)
    bf16 = saved_as(weights, torch.bfloat16)
    write_shards(bf16, file("bf16-sharded").parent)
    torch.save(saved_as(weights, torch.float16), file("deflated"))
    archive = zipfile.ZipFile(file("deflated"))
    entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(file("deflated"), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as again:
        for name, data in entries:
            again.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)

    # Forms that are refused by name.
    few = {"model.shared.weight": weights["model.shared.weight"][:2].clone()}
    torch.save(few, file("legacy"), _use_new_zipfile_serialization=False)
    torch.jit.save(torch.jit.script(torch.nn.Linear(1, 1)), str(file("torchscript")))
    torch.save(torch.nn.Linear(1, 1), file("whole-module"))


if __name__ == "__main__":
    main()
