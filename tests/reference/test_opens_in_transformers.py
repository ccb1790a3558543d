"""Opens models/en-de, unchanged, in Hugging Face transformers and translates with it.

What Regard promises about the bundled directory, checked from the other side. Run by hand (it needs
the packages of requirements.txt); tests/engine/test-bundled.c then proves, without Python, that the
committed files are still the ones this was run on.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import sys

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

import checkpoints

SHA256 = "ead55409100a131185ba86ec8159228ab8bc20afb92aa043d1c45563afbca91e"

if __name__ == "__main__":
    weights = (checkpoints.BUNDLED / "model.safetensors").read_bytes()
    assert hashlib.sha256(weights).hexdigest() == SHA256, "not the recorded weights"
    tokenizer = AutoTokenizer.from_pretrained(checkpoints.BUNDLED)
    model, report = AutoModelForSeq2SeqLM.from_pretrained(
        checkpoints.BUNDLED, dtype=torch.float32, output_loading_info=True)
    for fault, names in report.items():
        assert not names, f"{fault}: {names}"
    for text, expected in (("I have two dogs.", "Ich habe zwei Hunde."),
                           ("Where is the station?", "Wo ist der Bahnhof?")):
        out = model.generate(**tokenizer(text, return_tensors="pt"))
        found = tokenizer.decode(out[0], skip_special_tokens=True)
        print(f"{text} -> {found}")
        assert found == expected, f"expected {expected}"
    print("ok: models/en-de opens in transformers unchanged")
    sys.exit(0)
