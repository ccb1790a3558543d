"""What rounding the weights costs: BLEU, and how far attention is off. Prints a table.

    precisions.py BENCH-PRECISION MODEL-DIR SOURCE REFERENCE

SOURCE and REFERENCE are lines of text, also as .xz. Wants sacrebleu (tests/reference/requirements.txt).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import lzma
import os
import subprocess
import sys
import tempfile

from sacrebleu.metrics import BLEU

PRECISIONS = {"stored": "F32", "f16": "F16", "bf16": "BF16",
              "bf16-all": "BF16, encoder too", "int8": "int8",
              "int8-all": "int8, encoder too"}


def lines(path):
    # Not splitlines(): a line may hold U+2028 and its like.
    opened = lzma.open if path.endswith(".xz") else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def run(program, model, precision, beams, source):
    """Translations, and what bench-precision says of them."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", suffix=".txt") as out:
        command = [program, model, precision, str(beams), source, out.name]
        said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        return lines(out.name), said


def main(program, model, source, reference):
    references = lines(reference)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False) as plain:
        plain.write("\n".join(lines(source)) + "\n")
    bleu = BLEU()
    print("| | BLEU greedy | BLEU beam 4 | same as F32, beam 4 | encoder | decoder | cross | log p |")
    print("|---|---|---|---|---|---|---|---|")
    try:
        for precision, name in PRECISIONS.items():
            scores = []
            for beams in (1, 4):
                found, said = run(program, model, precision, beams, plain.name)
                assert len(found) == len(references), f"{len(found)} lines"
                scores.append(bleu.corpus_score(found, [references]).score)
            maps = " | ".join(
                f"{said[kind]['mean']:.2g} ({said[kind]['most']:.2g})"
                for kind in ("encoder", "decoder", "cross")
            )
            print(
                f"| {name} | {scores[0]:.2f} | {scores[1]:.2f} "
                f"| {100 * said['same'] / said['lines']:.1f} % | {maps} | {said['logprob']:.2g} |",
                flush=True,
            )
    finally:
        os.unlink(plain.name)
    print(f"\n{len(references)} lines; {bleu.get_signature()}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
