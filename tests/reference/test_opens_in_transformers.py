"""Opens models/en-de and models/by-hand, unchanged, in Hugging Face transformers and translates with them.

What Regard promises about the bundled directories, checked from the other side. Run by hand (it needs
the packages of requirements.txt); tests/engine/test-bundled.c then proves, without Python, that the
committed files are still the ones this was run on.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import sys

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

import checkpoints

SHA256 = "7b2a55f0fa8528549e8f4e1868166508516c3ba188db84e12d6003e558a94993"

SENTENCES = (("I have two dogs.", "Ich habe zwei Hunde."), ("Where is the station?", "Wo ist der Bahnhof?"))
WORDS = (("cat", "Katze"), ("dog", "Hund"), ("bird", "Vogel"), ("fish", "Fisch"), ("bird cat", "Vogel Katze"))


def check(folder, pairs, beams):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, report = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    for fault, names in report.items():
        assert not names, f"{fault}: {names}"
    for text, expected in pairs:
        for n in beams:
            out = model.generate(**tokenizer(text, return_tensors="pt"), num_beams=n)
            found = tokenizer.decode(out[0], skip_special_tokens=True)
            print(f"{text} -> {found}")
            assert found == expected, f"expected {expected}"
    print(f"ok: models/{folder.name} opens in transformers unchanged")


if __name__ == "__main__":
    weights = (checkpoints.BUNDLED / "model.safetensors").read_bytes()
    assert hashlib.sha256(weights).hexdigest() == SHA256, "not the recorded weights"
    check(checkpoints.BUNDLED, SENTENCES, (4,))
    check(checkpoints.BUNDLED.parent / "by-hand", WORDS, (1, 4))
    sys.exit(0)
