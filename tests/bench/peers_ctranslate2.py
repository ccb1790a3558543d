"""CTranslate2 on the other side of a pipe, in a process that has nothing else in its memory.

    peers_ctranslate2.py FOLDER PRECISION INTER INTRA

FOLDER: a model as its converters write it. INTER translators work with INTRA threads each. Once the model is
open, a line says how many MB the process had at most before it was. Each line of standard input is an order
in JSON, {"source": [[id…]…], "prefix": [id…], "beam": N, "length": N}: translations of exactly so many tokens,
the prefix among them; a length of 0 leaves it to the model. The answer is one line: {"ms": …, "tokens":
[[piece…]…]}. What is timed is translate_batch, with what is in pieces already.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import sys
import time

sys.modules["torch"] = None  # what CTranslate2 takes for its converters is no part of its memory here
import ctranslate2  # noqa: E402

BATCH = 32  # of translate_file


def peak_mb(pid="self"):
    """The most memory that a process has had."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def vocabulary(folder, side):
    for name in (f"{side}_vocabulary.json", "shared_vocabulary.json"):
        if (folder / name).exists():
            return json.loads((folder / name).read_text(encoding="utf-8"))
    raise SystemExit(f"'{folder}' has no {side}_vocabulary.json and no shared_vocabulary.json.")


def main():
    folder, precision, inter, intra = pathlib.Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
    source_pieces, target_pieces = vocabulary(folder, "source"), vocabulary(folder, "target")
    before = peak_mb()
    translator = ctranslate2.Translator(str(folder), device="cpu", compute_type=precision,
                                        inter_threads=inter, intra_threads=intra)
    print(before, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        source = [[source_pieces[i] for i in ids] for ids in order["source"]]
        prefix = [target_pieces[i] for i in order["prefix"]]
        options = {"min_decoding_length": order["length"], "max_decoding_length": order["length"]
                   } if order["length"] else {}
        begin = time.perf_counter()
        results = translator.translate_batch(
            source, target_prefix=[prefix] * len(source) if prefix else None, beam_size=order["beam"],
            return_end_token=True, max_batch_size=BATCH if len(source) > 1 else 0, **options)
        ms = (time.perf_counter() - begin) * 1e3
        print(json.dumps({"ms": ms, "tokens": [r.hypotheses[0] for r in results]}), flush=True)


if __name__ == "__main__":
    main()
