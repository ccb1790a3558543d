"""Regard beside CTranslate2 and transformers: the same model, sentences and output lengths, in turns.

    peers.py SERVE MODEL WORK [--rounds N] [--length N] [--texts FILE] [--sentences N] [--threads 1,2] [--beams 1,4]
             [--precisions float32,int8] [--int8 int8] [--guess auto] [--captures 1] [--from CODE --to CODE]
             [--lines FILE] [--line-beams 1,4] [--line-rounds N] [--line-peers intra,inter] [--no-transformers]
             [--converted FOLDER] [--plot FILE.svg]

SERVE: the program bench-serve. MODEL: a model in Hugging Face's format, of a family that CTranslate2 has a
converter for. WORK: a folder for its CTranslate2 copies, one of each precision, which are made once;
--converted names one that is there already. Each sentence is translated by each program, one after the other,
in an order that changes; every program makes exactly N output tokens. Regard captures all heads of every
sentence (--captures 0: none; 2: computed with rounded weights, where they are), the others capture nothing.
Regard has the most of the threads, CTranslate2 is run with each number of them. It is given pieces, so that
its time has no tokenising in it, and Regard's has. In float32 a copy in int8 guesses ahead where Regard thinks
that it pays (--guess auto), never, or always.

What is compared is the ratio of two times that were measured side by side; "best" marks the number of threads
that is CTranslate2's fastest. "same" counts the sentences whose translation is Regard's, token for token, but
for a last token that only Regard was forced to make. The lines of a file are translated many at a time (Regard
as regard-cli translate FILE does, CTranslate2 32 at a time, by one translator with all threads, "intra", and by
one for each thread, "inter"), nobody captures anything, and neither clock has the opening in it. Memory is what
the system says was the most that a process had, opening it included. The plot, of tokens a second, is made by
gnuplot.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
# 15 to 29 words each.
SENTENCES = (HERE / "sentences.txt").read_text().splitlines()


def peak_mb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def close(process):
    process.stdin.close()
    if process.wait() != 0:
        raise SystemExit(f"'{process.args[0]}' ended with {process.returncode}.")


class Regard:
    """The program on the other side of a pipe; its own clock. Sources of the others are the ids that it
    made of the texts."""

    def __init__(self, options, precision, threads):
        own = "stored" if precision == "float32" else options.int8
        own += "" if options.guess == "auto" else f":{options.guess}"
        captures = ("", ", captures", ", rounded captures")[options.captures]
        self.name, self.settings, self.captures = f"Regard {precision}{captures}", (own, threads), 0
        self.options, self.sources, self.guessed, self.true = options, {}, 0, 0
        languages = [options.source, options.target] if options.source else []
        self.process = subprocess.Popen([options.serve, options.model, *languages], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, text, beam, length, captures):
        precision, threads = self.settings
        self.process.stdin.write(f"{precision} {threads} {beam} {captures} {length} {text}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("bench-serve ended.")
        times, output, source, bytes_of_capture, guesses = answer.split("|")
        self.sources[text], output = ([[int(i) for i in ids.split()] for ids in part.split(";")]
                                      for part in (source, output))
        self.captures = max(self.captures, int(bytes_of_capture))
        guessed, true = map(int, guesses.split())
        self.guessed, self.true = self.guessed + guessed, self.true + true
        return float(times.split()[0]), output

    def run(self, text, beam, length):
        ms, output = self.ask(text, beam, length, 0 if text.startswith("@") else self.options.captures)
        assert all(len(ids) == length for ids in output), (text, output)
        return ms, output


class CTranslate2:
    """Another pipe, and its own clock too; it is told the ids that Regard has made of a text."""

    def __init__(self, options, folder, regard, precision, inter, intra, prefix):
        self.name = f"CTranslate2 {precision}, {inter} × {intra}"
        self.regard, self.prefix, self.same = regard, prefix, None
        self.pieces = vocabulary(folder)
        self.process = subprocess.Popen(
            [sys.executable, HERE / "peers_ctranslate2.py", folder, precision, str(inter), str(intra)],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.before = float(self.process.stdout.readline())

    def run(self, text, beam, length):
        order = {"source": self.regard.sources[text], "prefix": self.prefix, "beam": beam,
                 "length": length}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert all(len(tokens) == length for tokens in answer["tokens"]), answer
        return answer["ms"], answer["tokens"]

    def spell(self, ids):
        return [self.pieces[i] for i in ids]


class Transformers:
    def __init__(self, options, regard, model, threads, prefix):
        self.name, self.regard, self.model = "transformers float32", regard, model
        self.threads, self.prefix = threads, prefix

    def run(self, text, beam, length):
        import torch
        torch.set_num_threads(self.threads)
        begin = time.perf_counter()
        ids = torch.tensor(self.regard.sources[text])
        with torch.inference_mode():
            out = self.model.generate(input_ids=ids, num_beams=beam, min_new_tokens=length,
                                      max_new_tokens=length,
                                      **({"forced_bos_token_id": self.prefix[-1]} if self.prefix else {}))
        ms = (time.perf_counter() - begin) * 1e3
        assert out.shape[1] == length + 1, out.shape
        return ms, out[:, 1:].tolist()

    def spell(self, ids):
        return ids


def vocabulary(folder):
    for name in ("target_vocabulary.json", "shared_vocabulary.json"):
        if (folder / name).exists():
            return json.loads((folder / name).read_text(encoding="utf-8"))
    raise SystemExit(f"'{folder}' has no target_vocabulary.json and no shared_vocabulary.json.")


def convert(options, precision):
    """CTranslate2's copy of the model, with weights stored in the precision."""
    if options.converted:
        return options.converted
    folder = options.work / f"ctranslate2-{precision}"
    if not folder.exists():
        quantization = None if precision == "float32" else precision
        model_type = json.loads((options.model / "config.json").read_text())["model_type"]
        if model_type == "marian":
            import peers_file
            peers_file.convert(options.model, folder, quantization)
        else:
            sys.path.insert(0, str(HERE.parent / "reference"))
            import converters
            converters.convert_family(options.model, folder, quantization)
    return folder


def is_same(own, theirs):
    """Marian's configuration has the last token of the longest translation be </s>, which CTranslate2 does not
    know: that token is not compared."""
    return own == theirs or own[-1] == "</s>" and own[:-1] == theirs[:-1]


def spread(values):
    return f"{min(values):6.2f} {statistics.median(values):6.2f} {max(values):6.2f}"


def plot(rows, title, path):
    """rows: (what was measured, {program: tokens a second}); one group of bars for each."""
    names = list(dict.fromkeys(name for _, rates in rows for name in rates))
    colours = ["#3584e4", "#c0bfbc", "#77767b"]
    lines = [f"set terminal svg size 900,360 font 'sans,12' background '#ffffff'",
             f"set output '{path}'", f"set title '{title}'", "set style data histogram",
             "set style histogram clustered gap 1.5", "set style fill solid", "set boxwidth 0.9",
             "set yrange [0:*]", "set ylabel 'output tokens a second'", "set grid y lc '#deddda'",
             "set border 3", "set bmargin 5", "set tics nomirror", "set key outside top horizontal", "$d << EOD"]
    for label, rates in rows:
        lines.append(f'"{label}" ' + " ".join(f"{rates[n]:.1f}" if n in rates else "?" for n in names))
    lines.append("EOD\nset datafile missing '?'\nplot " + ", ".join(
        f"$d using {i + 2}:xtic(1) title '{name}' lc rgb '{colours[i]}'" for i, name in enumerate(names)))
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


def compare(what, regard, peers, texts, beam, length, rounds):
    """One row for each program, with the ratio of its time to Regard's; tokens a second of each."""
    everyone = [regard] + peers
    times = {p.name: [] for p in everyone}
    same, n_texts, n_tokens = {p.name: 0 for p in peers}, 0, 0
    for r in range(-1, rounds):  # the first does not count, and tells the others the ids
        for t, text in enumerate(texts):
            turn = (t + r) % len(everyone) if r >= 0 else 0
            measured = {p.name: p.run(text, beam, length) for p in everyone[turn:] + everyone[:turn]}
            if r >= 0:
                for name, (ms, _) in measured.items():
                    times[name].append(ms)
                continue
            own = measured[regard.name][1]
            n_texts, n_tokens = n_texts + len(own), n_tokens + sum(map(len, own)) / len(texts)
            for p in peers:
                same[p.name] += sum(is_same(p.spell(ids), theirs)
                                    for ids, theirs in zip(own, measured[p.name][1]))
    medians = {name: statistics.median(values) for name, values in times.items()}
    fastest = min((p.name for p in peers if p.name.startswith("CTranslate2")), key=medians.get)
    rates = {}
    for p in everyone:
        ms = medians[p.name]
        if not p.name.startswith("CTranslate2") or p.name == fastest:
            rates[p.name.split()[0]] = n_tokens * 1e3 / ms
        row = f"{what:18} {beam:4}  {p.name:32} {ms:9.1f} {n_tokens * 1e3 / ms:9.0f}   "
        if p is not regard:
            ratios = [t / own for t, own in zip(times[p.name], times[regard.name])]
            row += f"{spread(ratios)}  {same[p.name]:4} of {n_texts:<4}{' best' * (p.name == fastest)}"
        print(row.rstrip(), flush=True)
    return rates


def numbers(text):
    return [int(n) for n in text.split(",") if n]


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("serve")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--length", type=int, default=30)
    parser.add_argument("--texts", type=pathlib.Path)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--beams", type=numbers, default=[1, 4])
    parser.add_argument("--precisions", default="float32,int8")
    parser.add_argument("--int8", default="int8", choices=["int8", "int8-all"])
    parser.add_argument("--guess", default="auto", choices=["auto", "never", "always"])
    parser.add_argument("--captures", type=int, default=1, choices=[0, 1, 2])
    parser.add_argument("--from", dest="source")
    parser.add_argument("--to", dest="target")
    parser.add_argument("--lines", type=pathlib.Path)
    parser.add_argument("--line-beams", type=numbers)
    parser.add_argument("--line-peers", default="intra,inter")
    parser.add_argument("--line-rounds", type=int, default=3)
    parser.add_argument("--no-transformers", action="store_true")
    parser.add_argument("--converted", type=pathlib.Path)
    parser.add_argument("--plot")
    options = parser.parse_args()
    if options.sentences is not None and options.sentences < 1:
        parser.error("--sentences is 1 or more")
    if bool(options.source) != bool(options.target):
        parser.error("--from and --to go together")
    return options


def main():
    options = parse()
    import ctranslate2
    options.work.mkdir(parents=True, exist_ok=True)
    reference, versions = None, [f"ctranslate2 {ctranslate2.__version__}"]
    if not options.no_transformers:
        import torch
        import transformers
        transformers.logging.set_verbosity_error()
        reference = transformers.AutoModelForSeq2SeqLM.from_pretrained(options.model).eval()
        versions += [f"transformers {transformers.__version__}", f"torch {torch.__version__}"]
    texts = options.texts.read_text().splitlines() if options.texts else SENTENCES
    texts, rows, most = texts[:options.sentences], [], max(options.threads)
    print(f"{', '.join(versions)}; {len(texts)} sentences, {options.rounds} rounds, "
          f"{options.length} output tokens; Regard with {most} thread{'s' * (most > 1)}\n")
    print("what               beam  program                                 ms  tokens/s   its time / "
          "Regard's: least, median, most; same")
    for precision in options.precisions.split(","):
        folder = convert(options, precision)
        regard = Regard(options, precision, most)
        prefix = []
        if options.target:  # what every translation begins with
            prefix = [regard.ask(texts[0], 1, options.length, 0)[1][0][0]]
        peers = [CTranslate2(options, folder, regard, precision, 1, n, prefix) for n in options.threads]
        others = [Transformers(options, regard, reference, most, prefix)
                  ] if reference and precision == "float32" else []
        for beam in options.beams:
            rates = compare("sentences", regard, peers + others, texts, beam, options.length,
                            options.rounds)
            rows.append((f"{precision}\\n{'beam ' + str(beam) if beam > 1 else 'greedy'}", rates))
        if regard.guessed:
            print(f"guesses            {regard.true} of {regard.guessed} came true, the first round included")
        print(f"memory             Regard {peak_mb(regard.process.pid):.0f} MB, captures of it at most "
              f"{regard.captures / 2**20:.1f}; " + "; ".join(
                  f"{p.name} {peak_mb(p.process.pid):.0f}, {p.before:.0f} before the model is opened"
                  for p in peers), flush=True)
        if options.lines:
            for p in peers:
                close(p.process)
            shapes = {"intra": (1, most), "inter": (most, 1)}
            peers = [CTranslate2(options, folder, regard, precision, *shapes[kind], prefix)
                     for kind in options.line_peers.split(",")]
            regard.name = f"Regard {precision}"
            for beam in options.line_beams or options.beams:
                compare("lines of a file", regard, peers, [f"@{options.lines}"], beam, options.length,
                        options.line_rounds)
            print(f"memory             Regard {peak_mb(regard.process.pid):.0f} MB; " + "; ".join(
                f"{p.name} {peak_mb(p.process.pid):.0f}" for p in peers), flush=True)
        for process in [p.process for p in [regard] + peers]:
            close(process)
    if options.plot:
        plot(rows, f"{options.model.name}, {options.length} tokens, {len(texts)} sentences", options.plot)


if __name__ == "__main__":
    main()
