"""Regard beside CTranslate2 and transformers: the same model, sentences and output lengths, in turns.

    peers.py SERVE MODEL WORK [--rounds N] [--length N] [--threads 1,2] [--beams 1,4] [--no-transformers]
             [--plot FILE.svg]

SERVE: the program bench-serve. MODEL: a Marian model in Hugging Face's format. WORK: a folder for its
CTranslate2 copy. Each sentence is translated by each program, one after the other, in an order that
changes; every program makes exactly N output tokens. Regard captures all heads of every sentence, the
others capture nothing. What is compared is the ratio of two times that were measured side by side. The
plot, of tokens a second, is made by gnuplot.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import pathlib
import statistics
import subprocess
import time

import ctranslate2
import peers_file
import sentencepiece
import torch
import transformers

# 15 to 29 words each.
SENTENCES = (pathlib.Path(__file__).parent / "sentences.txt").read_text().splitlines()


class Regard:
    """The program on the other side of a pipe; its own clock."""

    def __init__(self, serve, model, precision, threads, name):
        self.name, self.settings = name, (precision, threads)
        self.process = serve

    def run(self, sentence, beam, length):
        precision, threads = self.settings
        self.process.stdin.write(f"{precision} {threads} {beam} 1 {length} {sentence}\n")
        self.process.stdin.flush()
        ms, tokens = self.process.stdout.readline().split()
        assert int(tokens) == length, (tokens, length)
        return float(ms)


class CTranslate2:
    def __init__(self, folder, tokenizer, precision, threads):
        self.name = f"CTranslate2 {precision}"
        self.tokenizer = tokenizer
        self.translator = ctranslate2.Translator(
            str(folder), device="cpu", compute_type=precision, inter_threads=1, intra_threads=threads)

    def run(self, sentence, beam, length):
        begin = time.perf_counter()
        pieces = self.tokenizer.encode(sentence, out_type=str) + ["</s>"]
        result = self.translator.translate_batch([pieces], beam_size=beam, min_decoding_length=length,
                                                 max_decoding_length=length, return_end_token=True)
        ms = (time.perf_counter() - begin) * 1e3
        assert len(result[0].hypotheses[0]) == length, len(result[0].hypotheses[0])
        return ms


class Transformers:
    def __init__(self, model, tokenizer, threads):
        self.name = "transformers float32"
        self.model, self.tokenizer, self.threads = model, tokenizer, threads

    def run(self, sentence, beam, length):
        torch.set_num_threads(self.threads)
        begin = time.perf_counter()
        ids = self.tokenizer(sentence, return_tensors="pt")
        with torch.inference_mode():
            out = self.model.generate(**ids, num_beams=beam, min_new_tokens=length,
                                      max_new_tokens=length)
        ms = (time.perf_counter() - begin) * 1e3
        assert out.shape[1] == length + 1, out.shape
        return ms


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


def compare(regard, peers, beam, length, rounds, threads):
    """One row for each program, with the ratio of its time to Regard's; tokens a second of each."""
    everyone = [regard] + peers
    times = {p.name: [] for p in everyone}
    for r in range(-1, rounds):  # the first does not count
        for s, sentence in enumerate(SENTENCES):
            turn = (s + r) % len(everyone)
            measured = {p.name: p.run(sentence, beam, length)
                        for p in everyone[turn:] + everyone[:turn]}
            if r >= 0:
                for name, ms in measured.items():
                    times[name].append(ms)
    rates = {}
    for p in everyone:
        ratios = [t / own for t, own in zip(times[p.name], times[regard.name])]
        ms = statistics.median(times[p.name])
        rates[p.name.split()[0]] = length * 1e3 / ms
        print(f"{threads:7} {beam:4}  {p.name:26} {ms:9.1f} {length * 1e3 / ms:9.0f}   "
              f"{spread(ratios) if p is not regard else ''}", flush=True)
    return rates


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("serve")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--length", type=int, default=30)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--beams", default="1,4")
    parser.add_argument("--precisions", default="float32,int8")
    parser.add_argument("--no-transformers", action="store_true")
    parser.add_argument("--plot")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    threads = [int(n) for n in options.threads.split(",")]

    folder = options.work / "ctranslate2"
    if not folder.exists():
        peers_file.convert(options.model, folder)
    serve = subprocess.Popen([options.serve, options.model], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    pieces = sentencepiece.SentencePieceProcessor(str(options.model / "source.spm"))
    print(f"ctranslate2 {ctranslate2.__version__}, transformers {transformers.__version__}, "
          f"torch {torch.__version__}; {len(SENTENCES)} sentences, {options.rounds} rounds, "
          f"{options.length} output tokens\n")
    print("threads beam  program                           ms  tokens/s   its time / Regard's: least, "
          "median, most")
    reference, rows = None, []
    if not options.no_transformers:
        reference = (transformers.MarianMTModel.from_pretrained(options.model).eval(),
                     transformers.MarianTokenizer.from_pretrained(options.model))
    for precision in options.precisions.split(","):
        for n in threads:
            own = Regard(serve, options.model, "stored" if precision == "float32" else precision, n,
                         f"Regard {precision}, captures")
            peers = [CTranslate2(folder, pieces, precision, n)]
            if reference and precision == "float32":
                peers.append(Transformers(*reference, n))
            for beam in (int(b) for b in options.beams.split(",")):
                rates = compare(own, peers, beam, options.length, options.rounds, n)
                rows.append((f"{precision}\\n{n} thread{'s' * (n > 1)}\\n{'beam ' + str(beam) if beam > 1 else 'greedy'}",
                             rates))
    if options.plot:
        plot(rows, f"{options.model.name}, {options.length} tokens, {len(SENTENCES)} sentences", options.plot)
    serve.stdin.close()
    serve.wait()


if __name__ == "__main__":
    main()
