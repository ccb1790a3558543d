#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A session as docs/sessions.md describes it, written without Regard: tests/data/session.regard.

    tests/reference/make_session.py OUT.regard      (Python 3.11, its standard library)

Its captures are tests/data/foreign-encoder.npz, as B, and the same with its first head's weights all
even, as A.
"""

import io
import json
import pathlib
import sys
import zipfile

import numpy as np  # 2.4

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
TIME = (1980, 1, 1, 0, 0, 0)


def state(text, changes, model):
    return {
        "text": text,
        "caret": len(text),
        "model": model,
        "request": {
            "search": {"beam_size": 2, "changes": changes},
            "precision": "stored",
            "alternative": 0,
        },
        "place": {"kind": "encoder", "layer": 1, "head": 2},
        "translations": {},
    }


def even():
    """The capture in which one head attends to all alike."""
    arrays = dict(np.load(DATA / "foreign-encoder.npz"))
    arrays["attentions"][0, ..., 0, :, :] = 1 / arrays["attentions"].shape[-1]
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def main():
    model = {
        "name": "tiny-bert",
        "title": None,
        "archive": False,
        "files": [{"name": "model.safetensors", "bytes": 12, "sha256": "0123456789abcdef" * 4}],
    }
    look = {"page": "attention", "scale": "sqrt", "colormap": "viridis", "combine": "head"}
    look |= {"label_by": "output", "merge_words": False, "hide_special": False, "show_heads": True}
    look |= {"show_details": True, "show_tokens": True, "zoom": 1, "top": 0, "left": 0, "row": None}
    look |= {"column": None, "step": None, "compare": "difference", "chosen": []}
    session = {"format": "regard-session", "version": 1, "program": "make_session.py"}
    session |= state("the dogs were playing in the rain .", ["encoder 1.1 zero"], model)
    session |= {"reference": state("the dogs were playing in the rain .", [], model), "look": look}
    files = {
        "session.json": json.dumps(session).encode(),
        "a.npz": even(),
        "b.npz": (DATA / "foreign-encoder.npz").read_bytes(),
    }
    with zipfile.ZipFile(sys.argv[1], "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, TIME), content)


if __name__ == "__main__":
    main()
