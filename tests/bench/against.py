"""This build beside an earlier one: the same sentences, files and keys, in turns.

    against.py NEW OLD MODEL... [--rounds N] [--length N] [--text FILE] [--windows N]

NEW, OLD: build folders with bench-serve, regard-cli and bench-window in them (tools/bench makes the new
one's; the old one's by `ninja -C OLD tests/bench/bench-serve tests/bench/bench-window app/regard-cli`).
Sentences go through bench-serve of both, one after the other, in an order that changes; files through
`regard-cli translate`; keys and the pointer through bench-window, N runs of each. What is printed is the
speed of the new build in parts of the old one's, measured side by side: above 1 it is faster.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import itertools
import os
import pathlib
import re
import statistics
import subprocess
import time

SENTENCES = (pathlib.Path(__file__).parent / "sentences.txt").read_text().splitlines()
DISPLAY = ["xvfb-run", "-a", "-s", "-screen 0 1440x900x24 -nolisten tcp -noreset"]


def put(label, old, new, ratios):
    ratios = sorted(ratios)
    quartiles = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else [ratios[0]] * 3
    print(f"{label:46} {statistics.median(old):9.1f} {statistics.median(new):9.1f}   "
          f"{statistics.median(ratios):5.2f}  {quartiles[0]:5.2f} {quartiles[2]:5.2f} {len(ratios):5}",
          flush=True)


def heading(what):
    print(f"\n{what:46} {'old ms':>9} {'new ms':>9}   speed  quartiles     n")


class Serve:
    def __init__(self, build, model):
        self.process = subprocess.Popen([build / "tests/bench/bench-serve", model], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, order, sentence):
        self.process.stdin.write(f"{order} {sentence}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])


def sentences(builds, model, rounds, length):
    """Two processes a round, begun in turns: where the memory of a process happens to lie makes it
    faster or slower than another of the same program for as long as it lives."""
    heading(f"{model.name}, {length} tokens")
    rows = list(itertools.product(("stored", "int8"), (1, 2), (1, 4), (0, 1)))
    times = {row: ([], []) for row in rows}
    for r in range(rounds):
        pair = {i: Serve(builds[i], model) for i in (r % 2, 1 - r % 2)}
        for row in rows:
            precision, threads, beam, captures = row
            order = f"{precision} {threads} {beam} {captures} {length}"
            for s, sentence in enumerate(SENTENCES[:1] + SENTENCES):  # the first does not count
                turn = (r + s) % 2
                for i in (turn, 1 - turn):
                    milliseconds = pair[i].run(order, sentence)
                    if s > 0:
                        times[row][i].append(milliseconds)
        for serve in pair.values():
            serve.process.stdin.close()
            serve.process.wait()
    for row, (new, old) in times.items():
        precision, threads, beam, captures = row
        put(f"{precision}, {threads} thread{'s' * (threads > 1)}, beam {beam}"
            f"{', captures' if captures else ''}", old, new, [b / a for a, b in zip(new, old)])


def files(builds, model, rounds, text):
    heading(f"{model.name}, {text.name}")
    for options in ([], ["--beam", "1"], ["--beam", "1", "--precision", "int8"]):
        times = [[], []]
        for r in range(rounds):
            for i in (r % 2, 1 - r % 2):
                begin = time.perf_counter()
                subprocess.run([builds[i] / "app/regard-cli", "translate", "--model", model, *options,
                                text], check=True, stdout=subprocess.DEVNULL)
                times[i].append((time.perf_counter() - begin) * 1e3)
        put("translate " + " ".join(options), times[1], times[0],
            [old / new for new, old in zip(*times)])


def window(builds, model, runs):
    heading("the window")
    rows = {}
    environment = dict(os.environ, GSK_RENDERER="cairo", GTK_A11Y="none")
    for r in range(runs):
        for i in (r % 2, 1 - r % 2):
            out = subprocess.run(DISPLAY + [builds[i] / "tests/bench/bench-window", model], text=True,
                                 check=True, capture_output=True, env=environment).stdout
            before = ""
            for line in out.splitlines():
                found = re.match(r"(.{10,44}?) {2,}([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +\d+$", line)
                if not found:
                    continue
                # "blocked meanwhile" is of the line before it.
                label = found[1].strip()
                label = f"{before}: blocked" if label.startswith("blocked") else label
                before = label
                rows.setdefault(label, ([], []))[i].append(float(found[2]))
    for label, (new, old) in rows.items():
        put(label, old, new, [b / a for a, b in zip(new, old)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--length", type=int, default=30)
    parser.add_argument("--text", type=pathlib.Path)
    parser.add_argument("--windows", type=int, default=5, help="0: leave the window out")
    options = parser.parse_args()
    builds = (options.new.resolve(), options.old.resolve())
    for model in options.models:
        sentences(builds, model, options.rounds, options.length)
    if options.text:
        files(builds, options.models[0], options.rounds, options.text)
    if options.windows:
        window(builds, options.models[0], options.windows)


if __name__ == "__main__":
    main()
