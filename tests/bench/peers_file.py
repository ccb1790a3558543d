"""A file of sentences through regard-cli and through CTranslate2's translate_file, in turns.

    peers_file.py REGARD_CLI MODEL WORK FILE [--rounds N] [--precisions float32,int8] [--beams 2]
                  [--threads 2] [--int8 int8-all] [--limit SECONDS] [--length N] [--reference FILE]
                  [--peers inter,intra,pieces]

REGARD_CLI: the program. MODEL: a Marian model in Hugging Face's format. WORK: a folder for its CTranslate2
copy and the translations. FILE: one sentence a line. Every program opens the model once for each run and
translates the whole file; CTranslate2 with its default batches (32 sentences, sorted by length in groups
of 512). Regard's time is that of the whole process, start, tokenising and writing included. CTranslate2's
is that of translate_file alone, once with tokenising and detokenising inside, once from and to a file of
pieces; opening the model is not counted. So the second ratio is by Regard's time less that of the same command
with an empty file, run just before. Two threads can be one translator with two threads
(inter 1, intra 2) or two with one each (inter 2, intra 1): both are run. A run that takes longer than the
limit is ended and counted as the limit. What runs beside CTranslate2's int8, which rounds the encoder too, is
--int8: Regard's int8-all, which does likewise, or int8, which does not. --length makes every translation that
long, for a model whose weights are random and which would never end.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time


def convert(model, folder, quantization=None):
    """CTranslate2's converter starts Marian's decoder from a vector of zeros, which is what the <pad>
    of OPUS-MT models is. A model whose <pad> was trained begins with that instead."""
    import ctranslate2
    from ctranslate2.converters import transformers as converters
    from safetensors import safe_open

    with safe_open(model / "model.safetensors", "pt") as weights:
        name = next(n for n in weights.keys() if n.endswith(("embed_tokens.weight", "shared.weight")))
        starts_from_zero = not weights.get_tensor(name)[-1].any()

    class FromPad(converters.MarianMTLoader):
        def set_decoder(self, spec, decoder):
            converters.BartLoader.set_decoder(self, spec, decoder)

        def set_config(self, config, model, tokenizer):
            super().set_config(config, model, tokenizer)
            config.decoder_start_token = "<pad>"

        def get_vocabulary(self, model, tokenizer):
            return converters.BartLoader.get_vocabulary(self, model, tokenizer)

        def _remove_pad_weights(self, spec):
            pass

    if not starts_from_zero:
        converters._MODEL_LOADERS["MarianConfig"] = FromPad()
    ctranslate2.converters.TransformersConverter(str(model)).convert(str(folder), quantization=quantization,
                                                                  force=True)


def translate(options):
    """One run of CTranslate2, in a process of its own; prints its seconds."""
    import ctranslate2
    import sentencepiece

    model, work, source, out, precision, beam, inter, intra, pieces, length = options
    load = lambda name: sentencepiece.SentencePieceProcessor(str(pathlib.Path(model) / name))
    source_pieces, target_pieces = load("source.spm"), load("target.spm")
    translator = ctranslate2.Translator(work, device="cpu", compute_type=precision,
                                        inter_threads=int(inter), intra_threads=int(intra))
    inside = {} if pieces == "pieces" else {
        "source_tokenize_fn": lambda line: source_pieces.encode(line, out_type=str) + ["</s>"],
        "target_detokenize_fn": target_pieces.decode}
    if int(length):
        inside |= {"min_decoding_length": int(length), "max_decoding_length": int(length)}
    begin = time.perf_counter()
    translator.translate_file(source, out, beam_size=int(beam), **inside)
    print(time.perf_counter() - begin)


def timed(command, limit, out=subprocess.PIPE):
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, timeout=limit, stdout=out, check=True)
    except subprocess.TimeoutExpired:
        return limit
    return float(done.stdout) if out == subprocess.PIPE else time.perf_counter() - begin


def spread(values):
    return f"{min(values):6.2f} {statistics.median(values):6.2f} {max(values):6.2f}"


def compare(options, files, precision, beam):
    import sacrebleu
    work, opening = options.work, []
    own = work / f"regard-{precision}-{beam}.txt"
    outputs = {"regard": own}
    n = options.threads
    # The token that a decoder starts with counts.
    length = ["--min-length", str(options.length + 1), "--max-length", str(options.length + 1)]

    def translate(file, out):
        return timed([options.regard, "translate", "--model", str(options.model), "--threads", str(n),
                      "--beam", str(beam), "--precision",
                      "stored" if precision == "float32" else options.int8,
                      *(length if options.length else []), str(file)],
                     options.limit, out)

    def regard():
        with open(os.devnull, "w") as out:
            opening.append(translate(files["empty"], out))
        with own.open("w") as out:
            return translate(options.file, out)

    def peer(inter, intra, pieces):
        out = work / f"ctranslate2-{precision}-{beam}{pieces and '-pieces'}.txt"
        outputs["ctranslate2"] = work / f"ctranslate2-{precision}-{beam}.txt"
        return timed([sys.executable, __file__, "--one", str(options.model), str(work / "ctranslate2"),
                      str(files[pieces]), str(out), precision, str(beam), str(inter), str(intra),
                      pieces or "text", str(options.length)], options.limit)

    runs = {"regard-cli translate FILE": regard,
            f"translate_file, inter {n} intra 1": lambda: peer(n, 1, ""),
            f"translate_file, inter 1 intra {n}": lambda: peer(1, n, ""),
            f"… of pieces, inter {n} intra 1": lambda: peer(n, 1, "pieces")}
    names = [name for name, kind in zip(runs, ("regard", "inter", "intra", "pieces"))
             if kind == "regard" or kind in options.peers.split(",")]
    times = {name: [] for name in names}
    for r in range(options.rounds):
        turn = r % len(names)
        for name in names[turn:] + names[:turn]:
            times[name].append(runs[name]())
    for name in names:
        own_times = times[names[0]]
        ratios = [t / o for t, o in zip(times[name], own_times)]
        without = [t / (o - begin) for t, o, begin in zip(times[name], own_times, opening)]
        print(f"{precision:8} {beam:4}  {name:36} {statistics.median(times[name]):7.2f}   "
              + (f"{spread(ratios)}   {spread(without)}" if name != names[0] else
                 f"{statistics.median(opening):.2f} s to open"), flush=True)
    if options.reference:
        reference = options.reference.read_text().splitlines()
        for name, file in outputs.items():
            bleu = sacrebleu.corpus_bleu(file.read_text().splitlines(), [reference])
            print(f"{precision:8} {beam:4}  {name}: BLEU {bleu.score:.2f}")


def main():
    if sys.argv[1:2] == ["--one"]:
        return translate(sys.argv[2:])
    parser = argparse.ArgumentParser()
    parser.add_argument("regard")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--precisions", default="float32,int8")
    parser.add_argument("--beams", default="2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--int8", default="int8-all", choices=["int8", "int8-all"])
    parser.add_argument("--limit", type=float, default=100)
    parser.add_argument("--length", type=int, default=0)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--peers", default="inter,intra,pieces")
    options = parser.parse_args()

    import ctranslate2
    import sentencepiece
    options.work.mkdir(parents=True, exist_ok=True)
    if not (options.work / "ctranslate2").exists():
        convert(options.model, options.work / "ctranslate2")
    pieces = sentencepiece.SentencePieceProcessor(str(options.model / "source.spm"))
    lines = options.file.read_text().splitlines()
    (options.work / "pieces.txt").write_text(
        "".join(" ".join(pieces.encode(line, out_type=str) + ["</s>"]) + "\n" for line in lines))
    files = {"": options.file, "pieces": options.work / "pieces.txt", "empty": options.work / "empty.txt"}
    files["empty"].write_text("")
    print(f"ctranslate2 {ctranslate2.__version__}; {len(lines)} lines, {options.threads} threads, "
          f"{options.rounds} rounds\n")
    print("precision beam                                            s   its time / Regard's: least, "
          "median, most; without opening")
    for precision in options.precisions.split(","):
        for beam in (int(b) for b in options.beams.split(",")):
            compare(options, files, precision, beam)


if __name__ == "__main__":
    main()
