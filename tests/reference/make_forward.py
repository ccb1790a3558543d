"""Golden results of one teacher-forced pass: tests/data/forward-*.safetensors.

For each sentence k: "k.source_ids", "k.decoder_input_ids", "k.target_ids", "k.source_text" and
"k.target_text" (UTF-8 bytes), "k.language" (likewise: the code that was put before the source text
as ">>code<< ", or of the language that the target begins with; not there if none was), "k.logprobs", and "k.<kind>.<site>" as in recorder.py. A tensor too
big to keep whole has its rows or columns picked: "….rows" and "….cols" then list which.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import pathlib
import tempfile

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import MarianMTModel, MarianTokenizer, MBartTokenizer

import checkpoints
import families
import opus_shape
import variants
from recorder import Recorder

TINY = [("the cat sat on the mat", "ein hund lief im regen ."),
        ("Zwei 2 dogs", "hunde"),  # two characters that are in no vocabulary
        ("we saw two small birds in a tree .", "vögel .")]

# For the checkpoint with language tokens: the language, and both texts. The last one brings its own.
MULTI_TARGET = [("zho_Hant", *TINY[0]), ("deu", *TINY[1]), (None, ">>swe<< " + TINY[2][0], TINY[2][1])]

BUNDLED_FULL = ("The old man gave his dog a piece of bread.",
                "Der alte Mann gab seinem Hund ein Stück Brot.")
BUNDLED_MEDIUM = (
    "When I came home last night, my sister was sitting in the kitchen and reading a long letter "
    "from Paris.",
    "Als ich gestern Abend nach Hause kam, saß meine Schwester in der Küche und las einen langen "
    "Brief aus Paris.")
# Our own words, over a hundred tokens, with commas, numbers, a dash and a word that must be spelled.
BUNDLED_LONG = (
    "On the first Monday of every month, when the shops in the old town were still closed and the "
    "streets were wet from the night's rain, my grandfather used to walk down to the harbour with "
    "his grey dog, buy 3 fresh rolls and a newspaper - never more than that, never less - and sit "
    "on the same green bench until the ferry from the island arrived at 8:45, because, as he told "
    "everyone who asked, somebody had to be there in case Mrs. Quendlebury came back.",
    "Am ersten Montag jedes Monats, wenn die Läden in der Altstadt noch geschlossen waren und die "
    "Straßen nass vom Regen der Nacht, ging mein Großvater mit seinem grauen Hund zum Hafen "
    "hinunter, kaufte 3 frische Brötchen und eine Zeitung - nie mehr, nie weniger - und saß auf "
    "derselben grünen Bank, bis um 8.45 Uhr die Fähre von der Insel ankam, denn, wie er jedem "
    "sagte, der fragte, jemand musste da sein, falls Frau Quendlebury zurückkäme.")


def tokenize(tokenizer, source, target, language=None):
    """Ids of both texts. Marian's language stands in the source, that of the others in the target."""
    if language and hasattr(tokenizer, "src_lang"):
        tokenizer.tgt_lang = language
    elif language:
        source = f">>{language}<< {source}"
    source_ids = tokenizer(source)["input_ids"]
    target_ids = tokenizer(text_target=target)["input_ids"]
    return source_ids, target_ids


def pick(tensors, name, rows=None, cols=None):
    """Keep only some rows (last axis but one) or columns of a tensor, and say which."""
    value = tensors[name]
    if rows is not None:
        tensors[name + ".rows"] = np.array(rows, dtype=np.int32)
        value = value[..., rows, :]
    if cols is not None:
        tensors[name + ".cols"] = np.array(cols, dtype=np.int32)
        value = value[..., cols]
    tensors[name] = value


def position_share(scores, bias):
    """[layers][heads]: of each row the variance of the biases over the keys that it sees, divided by
    the sum of theirs and that of the rest of the score; mean over the rows that see several."""
    scores, bias = scores.astype(np.float64), bias.astype(np.float64)
    shares = []
    for row in range(scores.shape[-2]):
        seen = np.isfinite(scores[0, 0, row])
        if seen.sum() < 2:
            continue
        position, score = bias[..., row, seen], scores[..., row, seen]
        of_position, of_content = position.var(-1), (score - position).var(-1)
        shares.append(of_position / (of_position + of_content))
    return np.mean(shares, axis=0).astype(np.float32)


def sentence(k, model, tokenizer, source, target, sites=None, language=None) -> dict:
    start = model.config.decoder_start_token_id
    source_ids, target_ids = tokenize(tokenizer, source, target, language)
    if isinstance(tokenizer, MBartTokenizer):  # its language is behind the text for training alone
        start = target_ids.pop()
    decoder_input = [start] + target_ids[:-1]
    seen = Recorder(model).run(source_ids, decoder_input)
    logprobs = variants.log_softmax(model, torch.from_numpy(seen["decoder.logits"]))
    out = {
        "source_ids": np.array(source_ids, dtype=np.int32),
        "decoder_input_ids": np.array(decoder_input, dtype=np.int32),
        "target_ids": np.array(target_ids, dtype=np.int32),
        "source_text": np.frombuffer(source.encode(), dtype=np.uint8),
        "target_text": np.frombuffer(target.encode(), dtype=np.uint8),
        "logprobs": logprobs[torch.arange(len(target_ids)), torch.tensor(target_ids)].numpy(),
    }
    for kind in ("encoder", "decoder"):
        if f"{kind}.score_bias" in seen:
            out[f"{kind}.position_share"] = position_share(seen[f"{kind}.scores"],
                                                           seen[f"{kind}.score_bias"])
    if language:
        out["language"] = np.frombuffer(language.encode(), dtype=np.uint8)
    out.update({n: v for n, v in seen.items() if sites is None or n.split(".")[1] in sites})
    return {f"{k}.{n}": v for n, v in out.items()}


def contiguous(tensors):
    return {k: np.ascontiguousarray(v) for k, v in tensors.items()}


def tiny(name, folder):
    model = checkpoints.build(name)
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints.save(name, pathlib.Path(scratch))
        tokenizer = MarianTokenizer.from_pretrained(scratch)
        if not hasattr(model.model.encoder.layers[0], "tap_out") and not checkpoints.config(
                name).get("position_embedding_layout"):
            # What transformers can run itself, it must read from the files we commit.
            read = MarianMTModel.from_pretrained(scratch, dtype=torch.float32,
                                                 attn_implementation="eager")
            ids = torch.tensor([[3, 4, 5, 0]])
            assert torch.equal(read.eval()(input_ids=ids, decoder_input_ids=ids).logits,
                               model(input_ids=ids, decoder_input_ids=ids).logits), name
    if name == "pre-norm-gelu-learned":
        variants.check_against_mbart(model, checkpoints.config(name))
    tensors = {}
    cases = MULTI_TARGET if name == "multi-target" else [(None, *pair) for pair in TINY]
    for k, (language, source, target) in enumerate(cases):
        # The first sentence with every site, the others with what a capture shows.
        sites = None if k == 0 else {"weights", "logits"}
        if k == 0 and name == "multi-target":  # what depends on the language and on 16 heads
            sites = {"embedding", "scores", "weights", "context", "layer_output", "logits"}
        tensors.update(sentence(k, model, tokenizer, source, target, sites, language))
    save_file(contiguous(tensors), folder / f"forward-{name}.safetensors")


# Of other families, those of which every site is kept.
WHOLE = ("bart-tiny", "nllb-tiny", "t5-gated-tiny")


def family(name, folder):
    """Of another family: one sentence with every site, or what the family changes, and one with what
    a capture shows; each into another language, where there are several."""
    model, tokenizer = families.build(name), families.tokenizer(families.SHAPES[name][0])[0]
    tensors = {}
    for k, (source, target) in enumerate(TINY[:2]):
        sites = {"weights", "logits"}
        if k == 0:
            sites = {"embedding", "position", "score_bias", "scores", "layer_output", "logits"}
            if name == "byt5-tiny":  # a byte a token
                sites = {"layer_output", "logits"}
            elif name in WHOLE:
                sites = None
        tensors.update(sentence(k, model, tokenizer, source, target, sites,
                                families.target_language(name, k)))
        if sites is None:
            pick(tensors, f"{k}.decoder.logits", rows=range(0, len(tensors[f"{k}.target_ids"]), 4))
        else:
            pick(tensors, f"{k}.decoder.logits", cols=range(k, model.config.vocab_size, 5))
    save_file(contiguous(tensors), folder / f"forward-{name}.safetensors")


def bundled(folder):
    model = MarianMTModel.from_pretrained(checkpoints.BUNDLED, dtype=torch.float32,
                                          attn_implementation="eager").eval()
    tokenizer = MarianTokenizer.from_pretrained(checkpoints.BUNDLED)
    tensors = sentence(0, model, tokenizer, *BUNDLED_FULL,
                       {"weights", "scores", "layer_output", "embedding", "position", "logits"})
    pick(tensors, "0.decoder.logits", rows=range(0, len(tensors["0.target_ids"]), 2))
    medium = sentence(1, model, tokenizer, *BUNDLED_MEDIUM,
                      {"weights", "query", "attention_output", "feed_forward", "residual",
                       "logits"})
    n_target = len(medium["1.target_ids"])
    pick(medium, "1.decoder.logits", rows=[1, n_target // 2, n_target - 1])
    for name in list(medium):
        if name.endswith(".weights"):
            pick(medium, name, rows=range(0, n_target - 2, 3))
        elif name.split(".")[-1] in ("query", "attention_output", "feed_forward", "residual"):
            pick(medium, name, rows=[0, 7, 19])
    long = sentence(2, model, tokenizer, *BUNDLED_LONG, {"weights", "layer_output", "logits"})
    n_source, n_target = len(long["2.source_ids"]), len(long["2.target_ids"])
    print("bundled: tokens of the long sentence", n_source, n_target)
    for name in list(long):
        if name.endswith(".weights") or name.endswith(".layer_output"):
            last = n_source - 1 if "encoder" in name else n_target - 1
            pick(long, name, rows=[0, last // 2, last])
    pick(long, "2.decoder.logits", cols=range(3, 8001, 199))
    save_file(contiguous({**tensors, **medium, **long}), folder / "forward-en-de.safetensors")


def opus(folder):
    model = opus_shape.build()
    with tempfile.TemporaryDirectory() as scratch:
        opus_shape.save_tokenizer(pathlib.Path(scratch))
        tokenizer = MarianTokenizer.from_pretrained(scratch)
    tensors = sentence(0, model, tokenizer, *TINY[0],
                       {"weights", "scores", "layer_output", "logits"})
    for name in list(tensors):
        if name.endswith(".layer_output"):
            pick(tensors, name, rows=[0, 5])
    pick(tensors, "0.decoder.logits", cols=range(1, opus_shape.VOCAB_SIZE, 193))
    save_file(contiguous(tensors), folder / "forward-opus-shape.safetensors")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one checkpoint name, en-de, opus-shape or families")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    for name in checkpoints.SHAPES:
        # The storage variants share the results of the F32 one.
        if name.startswith("post-norm-relu-") or only not in (None, name):
            continue
        tiny(name, checkpoints.DATA)
    for name in families.SHAPES:
        if only in (None, name, "families"):
            family(name, checkpoints.DATA)
    if only in (None, "en-de"):
        bundled(checkpoints.DATA)
    if only in (None, "opus-shape"):
        opus(checkpoints.DATA)
