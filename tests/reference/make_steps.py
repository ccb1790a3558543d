"""Golden steps of Hugging Face generate: tests/data/steps-*.safetensors.

What a search considered, step by step: generate's own helper functions are watched while it runs, and
its logits are read before and after its rules. Copies of the start, which generate carries along with
-1e9 until there are other hypotheses, are left out: they are none.

One row of "cases" [n][6] is: sentence (line of sentences.en.txt, or index into make_search.TINY), beam
size, hypotheses returned, max_length, early stopping (0 false, 1 true, 2 never), language (counted in
the order of ids; -1: none). "length_penalty" [n], "case_step", "case_result", "case_prefix",
"case_forbidden" [n + 1] where what belongs to a case begins.

"step_node", "step_row" [steps + 1]: where nodes and rows of a step begin. A node is a continuation that
was considered, best first: "node_id"; "node_parent", its place among the nodes of the step before
(255: the start); "node_sum"; "node_flags" (below). A row is the distribution behind a hypothesis:
"row_parent" as above and "row_entropy" in nats. Some rows have options: "option_row" says which; "option_id"
[rows][20] the likeliest before any rule, "option_logprob", and "option_rule" (0 a choice, 1 taken away, 2 the
only one, which counts 0). "result_node" [results]: index among the nodes of the case; "result_score":
sequences_scores.

"prefix" are the tokens that prefix_allowed_tokens_fn forces, "prefix_logprob" what a teacher-forced
pass gives them. "forbidden" [n][5]: step (-1: every one, bad_words_ids), number of tokens, up to three.
"forced_logprob": of the nodes that the model's configuration forces, in their order, before the rules.

A case is left out if sums, scores or options that are compared lie so close that rounding decides.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import pathlib
import tempfile

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import (GenerationConfig, LogitsProcessor, LogitsProcessorList, MarianMTModel,
                          MarianTokenizer)

import checkpoints
import families
from make_forward import WHOLE
from make_search import EARLY, SENTENCES, TINY

TOP = 20
CLOSE = 3e-5
NOT_IN_QUESTION = -5e8
RUNS_ON, FINISHED, STAYS, ENDS, CUT, FORCED = 1, 2, 4, 8, 16, 32
NO_PARENT = 255


class TooClose(Exception):
    """Rounding decides what this search finds."""


class ForbidAt(LogitsProcessor):
    """Takes the last token of a list away behind the others, if the list begins at one step."""

    def __init__(self, step, ids):
        self.step, self.ids = step, ids

    def __call__(self, input_ids, scores):
        scores = scores.clone()
        for row, so_far in enumerate(input_ids.tolist()):
            so_far = so_far[1:]
            if (len(so_far) == self.step + len(self.ids) - 1
                    and so_far[self.step:] == self.ids[:-1]):
                scores[row, self.ids[-1]] = -torch.inf
        return scores


class Watch:
    """Replaces the helpers of generate by ones that write down what these are given and give."""

    NAMES = ("_get_top_k_continuations", "_get_running_beams_for_next_iteration",
             "_update_finished_beams", "_check_early_stop_heuristic")

    def __init__(self, model):
        self.model, self.steps = model, []

    def __enter__(self):
        for name in self.NAMES:
            setattr(self.model, name, self.wrap(name, getattr(self.model, name)))
        return self.steps

    def __exit__(self, *_):
        for name in self.NAMES:
            delattr(self.model, name)

    def wrap(self, name, function):
        def call(**given):
            result = function(**given)
            if name == "_get_top_k_continuations":
                sums = given["accumulated_log_probs"][0]
                step = given["cur_len"] - given["decoder_prompt_len"]
                self.steps.append({
                    "all": torch.topk(sums, min(given["beams_to_keep"] + 1, len(sums)))[0].tolist(),
                    "sums": result[0][0].tolist(),
                    "sequences": result[1][0, :, 1:given["cur_len"] + 1].tolist(),
                    "beams": result[2][0, :, step].tolist()})
            elif name == "_get_running_beams_for_next_iteration":
                self.steps[-1]["ends"] = given["next_token_hits_stopping_criteria"][0].tolist()
                n = len(self.steps[-1]["sequences"][0])
                self.steps[-1]["running"] = list(zip(result[0][0, :, 1:n + 1].tolist(),
                                                     result[1][0].tolist()))
            elif name == "_update_finished_beams":
                is_finished = result[3][0].tolist()
                n = len(self.steps[-1]["sequences"][0])
                # [:n]: an older one is followed by padding, and is none of this step.
                self.steps[-1]["finished"] = [
                    (sequence[1:n + 1], score) for sequence, score, done
                    in zip(result[0][0].tolist(), result[1][0].tolist(), is_finished) if done]
            else:
                best, scores = given["running_beam_scores"][0, 0], given["beam_scores"][0]
                length = given["cur_len"] - given["decoder_prompt_len"]
                if given["early_stopping"] == "never" and given["length_penalty"] > 0:
                    length = given["max_length"] - given["decoder_prompt_len"]
                self.steps[-1]["doubt"] = float(
                    (best / length ** given["length_penalty"] - scores.min()).abs())
            return result
        return call


def check_apart(values, what):
    values = [v for v in values if v > NOT_IN_QUESTION]
    if any(a - b < CLOSE for a, b in zip(values, values[1:])):
        raise TooClose(what)


class Steps:
    def __init__(self, option_stride):
        self.stride, self.n_rows_seen, self.n_close = option_stride, 0, 0
        self.sentences = set()
        self.lists = {name: [] for name in (
            "cases length_penalty node_id node_parent node_sum node_flags row_parent row_entropy "
            "option_row option_id option_logprob option_rule result_node result_score prefix "
            "prefix_logprob forbidden forced_logprob").split()}
        self.firsts = {name: [0] for name in (
            "case_step case_result case_prefix case_forbidden step_node step_row").split()}

    def run(self, model, tokenizer, generation, number, text, language=None, **asked):
        """Returns the sequences, or None if rounding decides."""
        codes = sorted(tokenizer.supported_language_codes, key=tokenizer.convert_tokens_to_ids)
        ids = tokenizer(f">>{language}<< {text}" if language else text)["input_ids"]
        return self.search(model, generation, number, ids,
                           codes.index(f">>{language}<<") if language else -1, {}, **asked)

    def search(self, model, generation, number, ids, language, settings, prefix=(), forbidden=(),
               num_beams=4, num_return_sequences=1, max_length=40, early_stopping=False,
               length_penalty=1.0):
        mark = {k: len(v) for k, v in (self.lists | self.firsts).items()}
        try:
            sequences = self.try_case(model, generation, number, ids, language, settings,
                                      list(prefix), list(forbidden), dict(
                                          num_beams=num_beams, max_length=max_length,
                                          num_return_sequences=num_return_sequences,
                                          early_stopping=early_stopping,
                                          length_penalty=length_penalty))
            self.sentences.add(number)
            return sequences
        except TooClose:
            for name, n in mark.items():
                del (self.lists | self.firsts)[name][n:]
            self.n_close += 1
            return None

    def try_case(self, model, generation, number, ids, language, settings, prefix, forbidden,
                 options):
        given = dict(generation.to_dict() | settings, **options, min_length=0, output_scores=True,
                     output_logits=True, return_dict_in_generate=True)
        if given.get("forced_bos_token_id") is not None:
            forbidden = [(step, ids) for step, ids in forbidden if step != 0]  # nothing would be left
        everywhere = [list(ids) for step, ids in forbidden if step < 0]
        given["bad_words_ids"] = (given.get("bad_words_ids") or []) + everywhere or None
        asked = {}
        if prefix:
            given["forced_bos_token_id"] = None  # there a constraint comes first
            everything = list(range(model.lm_head.out_features))
            asked["prefix_allowed_tokens_fn"] = lambda _, ids: (
                [prefix[len(ids) - 1]] if len(ids) <= len(prefix) else everything)
        asked["logits_processor"] = LogitsProcessorList(
            [ForbidAt(step, list(ids)) for step, ids in forbidden if step >= 0])
        config = GenerationConfig(**given)
        source = torch.tensor([ids])
        of_model = model.generation_config.forced_bos_token_id  # generate asks it for what is None
        if prefix:
            model.generation_config.forced_bos_token_id = None
        with torch.no_grad(), Watch(model) as steps:
            out = model.generate(input_ids=source, generation_config=config, **asked)
        model.generation_config.forced_bos_token_id = of_model
        if config.num_beams == 1:
            steps = self.greedy_steps(out, config)
        self.add_case(number, language, prefix, forbidden, options)
        nodes = self.add_steps(out, steps, config, len(prefix))
        self.add_prefix(model, source, config, prefix)
        return self.add_results(out, steps, config, nodes)

    def greedy_steps(self, out, config):
        """The one hypothesis, in the form in which a beam is written down."""
        sequence, total, steps = out.sequences[0, 1:].tolist(), 0.0, []
        for at, token in enumerate(sequence):
            scores = out.scores[at][0]
            two = torch.topk(scores, 2)[0]
            if two[0] - two[1] < CLOSE:
                raise TooClose("greedy")
            if not self.is_forced(out, at, 0):
                total += float(torch.log_softmax(out.logits[at][0], dim=-1)[token])
            ends = token == config.eos_token_id or at + 2 == config.max_length
            so_far = sequence[:at + 1]
            score = total / (at + 1) ** config.length_penalty
            steps.append({"all": [total], "sums": [total], "sequences": [so_far], "beams": [0],
                          "ends": [ends], "running": [] if ends else [(so_far, total)],
                          "finished": [(so_far, score)] if ends else [], "doubt": 1.0})
        return steps

    @staticmethod
    def is_forced(out, step, beam):
        """By the model's configuration: one choice is left, and counts 0."""
        finite = torch.isfinite(out.scores[step][beam])
        return int(finite.sum()) == 1 and float(out.scores[step][beam][finite][0]) == 0.0

    def add_case(self, number, language, prefix, forbidden, options):
        self.lists["cases"].append([
            number, options["num_beams"], options["num_return_sequences"], options["max_length"],
            EARLY[options["early_stopping"]], language])
        self.lists["length_penalty"].append(options["length_penalty"])
        self.lists["prefix"] += prefix
        for step, ids in forbidden:
            self.lists["forbidden"].append([step, len(ids)] + list(ids) + [0] * (3 - len(ids)))

    def add_row(self, out, step, beam, parent):
        logprobs = torch.log_softmax(out.logits[step][beam], dim=-1)
        exact = torch.log_softmax(out.logits[step][beam].double(), dim=-1)
        values, ids = torch.topk(logprobs, TOP + 1)
        self.n_rows_seen += 1
        if self.n_rows_seen >= self.stride and float((values[:-1] - values[1:]).min()) > CLOSE:
            self.n_rows_seen = 0
            scores = out.scores[step][beam][ids[:TOP]]
            forced = self.is_forced(out, step, beam)
            self.lists["option_row"].append(len(self.lists["row_parent"]))
            self.lists["option_id"].append(ids[:TOP].tolist())
            self.lists["option_logprob"].append(values[:TOP].tolist())
            self.lists["option_rule"].append([
                1 if score == -torch.inf else 2 if forced else 0 for score in scores])
        self.lists["row_parent"].append(parent)
        self.lists["row_entropy"].append(float(-(exact.exp() * exact).sum()))

    def add_steps(self, out, steps, config, n_prefix):
        """Returns sequence -> index of its node in the case."""
        nodes, n_nodes = {}, 0
        final = [sequence for sequence, _ in steps[-1]["finished"]]
        running, former = [([], 0.0)], {(): NO_PARENT}
        for at, step in enumerate(steps):
            check_apart(step["all"], "sums")
            check_apart([score for _, score in step["finished"]], "scores")
            held = [(i, sequence) for i, (sequence, total) in enumerate(running)
                    if total > NOT_IN_QUESTION]
            if not held:
                break
            # In doubt is what would go on; behind a prefix that ends nothing does.
            if step["doubt"] < CLOSE and step["running"] and step["running"][0][1] > NOT_IN_QUESTION:
                raise TooClose("early stopping")
            for beam, sequence in held:
                self.add_row(out, at, beam, former[tuple(sequence)])
            places = {}
            for i, (sequence, total) in enumerate(zip(step["sequences"], step["sums"])):
                if total < NOT_IN_QUESTION:
                    continue
                sequence, beam = tuple(sequence), step["beams"][i]
                flags = 0
                ran_on = [s for s, t in step["running"]
                          if tuple(s) == sequence and t > NOT_IN_QUESTION]
                if ran_on:
                    flags |= RUNS_ON
                if step["ends"][i]:
                    flags |= ENDS | (CUT if sequence[-1] != config.eos_token_id else 0)
                    flags |= FINISHED if list(sequence) in [s for s, _ in step["finished"]] else 0
                    padded = [s[:len(sequence)] for s in final
                              if set(s[len(sequence):]) <= {config.pad_token_id,
                                                            config.eos_token_id}]
                    flags |= STAYS if flags & FINISHED and list(sequence) in padded else 0
                if at >= n_prefix and self.is_forced(out, at, beam):
                    flags |= FORCED
                    self.lists["forced_logprob"].append(float(torch.log_softmax(
                        out.logits[at][beam], dim=-1)[sequence[-1]]))
                places[sequence] = len(places)
                nodes[sequence] = n_nodes
                n_nodes += 1
                self.lists["node_id"].append(sequence[-1])
                self.lists["node_parent"].append(former[sequence[:-1]])
                self.lists["node_sum"].append(total)
                self.lists["node_flags"].append(flags)
            self.firsts["step_node"].append(len(self.lists["node_id"]))
            self.firsts["step_row"].append(len(self.lists["row_parent"]))
            running, former = step["running"], places
        self.firsts["case_step"].append(len(self.firsts["step_node"]) - 1)
        return nodes

    def add_prefix(self, model, source, config, prefix):
        if prefix:
            forced = torch.tensor([[config.decoder_start_token_id] + prefix[:-1]])
            with torch.no_grad():
                logits = model(input_ids=source, decoder_input_ids=forced).logits[0]
            logprobs = torch.log_softmax(logits, dim=-1)
            self.lists["prefix_logprob"] += [
                float(logprobs[i, token]) for i, token in enumerate(prefix)]
        self.firsts["case_prefix"].append(len(self.lists["prefix"]))
        self.firsts["case_forbidden"].append(len(self.lists["forbidden"]))

    def add_results(self, out, steps, config, nodes):
        sequences = []
        for h, sequence in enumerate(out.sequences.tolist()):
            sequence = sequence[1:]
            while sequence and sequence[-1] == config.pad_token_id:
                sequence.pop()
            # A <pad> of id 0 is no number to generate's beams: these go on with </s>.
            if config.eos_token_id in sequence:
                sequence = sequence[:sequence.index(config.eos_token_id) + 1]
            score = (steps[-1]["finished"][0][1] if config.num_beams == 1
                     else float(out.sequences_scores[h]))
            if score < -1e4:  # a copy of the start, ended by the prefix
                continue
            self.lists["result_node"].append(nodes[tuple(sequence)])
            self.lists["result_score"].append(score)
            sequences.append(sequence)
        self.firsts["case_result"].append(len(self.lists["result_node"]))
        return sequences

    def save(self, path):
        kinds = {"length_penalty": np.float32, "node_sum": np.float32, "row_entropy": np.float32,
                 "option_logprob": np.float32, "result_score": np.float32,
                 "prefix_logprob": np.float32, "forced_logprob": np.float32,
                 "node_id": np.uint16, "option_id": np.uint16, "node_parent": np.uint8,
                 "node_flags": np.uint8, "row_parent": np.uint8, "option_rule": np.uint8}
        assert all(i < 65536 for i in self.lists["node_id"])
        tensors = {name: np.array(values, dtype=kinds.get(name, np.int32))
                   for name, values in (self.lists | self.firsts).items()}
        save_file(tensors, path)
        print(path.name, len(self.lists["cases"]), "cases of", len(self.sentences), "sentences,",
              len(tensors["node_id"]), "nodes,", len(tensors["row_parent"]), "rows,",
              len(tensors["option_row"]), "with options;", self.n_close, "left out as too close;",
              path.stat().st_size, "bytes")


# What sentence after sentence is searched with.
TURNS = [
    dict(num_beams=1),
    dict(num_beams=4, num_return_sequences=4, length_penalty=0.6),
    dict(num_beams=4, early_stopping=True, num_return_sequences=2),
    dict(num_beams=1, max_length=7),
    dict(num_beams=4, length_penalty=2.0, early_stopping="never", max_length=24),
    dict(num_beams=12, num_return_sequences=12, max_length=9),
    dict(num_beams=2, length_penalty=0.0, early_stopping="never", num_return_sequences=2),
    dict(num_beams=1, length_penalty=0.6),
    dict(num_beams=4, length_penalty=0.0, num_return_sequences=3, max_length=9),
    dict(num_beams=12, length_penalty=0.6, early_stopping=True, num_return_sequences=5,
         max_length=8),
    dict(num_beams=2, early_stopping=True, length_penalty=2.0, max_length=16),
    dict(num_beams=12, length_penalty=0.0, early_stopping="never", max_length=7),
]


def constrained(run, plain, turn):
    """One search with constraints, made from what a plain one found: plain [results][tokens]."""
    best, other = plain[0], plain[-1]
    half = (len(other) + 1) // 2
    kind = turn % 8
    if kind == 0:  # another hypothesis, to its middle
        run(prefix=other[:half], num_beams=4, num_return_sequences=3)
    elif kind == 1:  # </s> ends it
        run(prefix=best, num_beams=4)
    elif kind == 2 and len(best) > 3:  # anywhere
        run(forbidden=[(-1, best[1:2]), (-1, best[2:3])], num_beams=4, num_return_sequences=2)
    elif kind == 3:  # tokens that are not likely there: those of the translation, in reverse
        run(prefix=best[-2:0:-1][:3], num_beams=1)
    elif kind == 4 and len(best) > 3:  # pairs and threes
        run(forbidden=[(-1, best[0:2]), (-1, best[1:4])], num_beams=4, early_stopping="never")
    elif kind == 5 and len(best) > 3:  # at one step only
        run(forbidden=[(0, best[0:1]), (2, best[2:3]), (1, other[1:3])], num_beams=4,
            num_return_sequences=2)
    elif kind == 6 and len(other) > 3 and other[:2] != other[1:3]:  # both
        run(prefix=other[:2], forbidden=[(2, other[2:3]), (-1, other[1:3])], num_beams=12,
            max_length=10)
    elif kind == 7:
        run(prefix=best[:1], num_beams=2, length_penalty=0.0, max_length=len(best) + 1)


def bundled():
    model = MarianMTModel.from_pretrained(checkpoints.BUNDLED, dtype=torch.float32).eval()
    tokenizer = MarianTokenizer.from_pretrained(checkpoints.BUNDLED)
    generation = GenerationConfig.from_pretrained(checkpoints.BUNDLED)
    steps = Steps(option_stride=31)
    for number, text in enumerate(SENTENCES.read_text(encoding="utf-8").splitlines()):
        def run(**asked):
            return steps.run(model, tokenizer, generation, number, text, **asked)

        found = run(**TURNS[number % len(TURNS)])
        if found and number % 3 == 1:
            constrained(run, found, number // 3)
    steps.save(checkpoints.DATA / "steps-en-de.safetensors")


def tiny(name):
    model = checkpoints.build(name)
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints.save(name, pathlib.Path(scratch))
        tokenizer = MarianTokenizer.from_pretrained(scratch)
        generation = GenerationConfig.from_pretrained(scratch)
    steps = Steps(option_stride=23)
    for number, text in enumerate(TINY):
        language = ("zho_Hant", "deu", None)[number] if name == "multi-target" else None

        def run(**asked):
            asked["max_length"] = min(asked.get("max_length", 8), 8)
            return steps.run(model, tokenizer, generation, number, text, language, **asked)

        for turn in TURNS[number::3]:
            found = run(**turn)
        found = run(num_beams=4, num_return_sequences=4)
        for turn in range(8):
            if found and turn % 3 != number:
                # A prefix leaves room for more.
                constrained(run, [sequence[:6] for sequence in found], turn)
    steps.save(checkpoints.DATA / f"steps-{name}.safetensors")


def family(name):
    """Of another family. Where a language is forced, what a prefix begins with is not generate's to
    say, so that there is none there."""
    model = families.build(name)
    steps = Steps(option_stride=23)
    for number, text in enumerate(TINY):
        ids, settings, index = families.ask(model, name, text, families.target_language(name, number))

        def run(**asked):
            if asked.get("prefix") and index >= 0:
                return None
            asked["max_length"] = min(asked.get("max_length", 8), 8)
            return steps.search(model, model.generation_config, number, ids, index, settings, **asked)

        for turn in TURNS[number::3]:
            run(**turn)
        found = run(num_beams=4, num_return_sequences=4)
        for turn in range(8):
            if found and turn % 3 != number:
                constrained(run, [sequence[:6] for sequence in found], turn)
    steps.save(checkpoints.DATA / f"steps-{name}.safetensors")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one checkpoint name, en-de or families")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    for name in checkpoints.SHAPES:
        if not name.startswith("post-norm-relu-") and only in (None, name):
            tiny(name)
    for name in WHOLE:
        if only in (None, name, "families"):
            family(name)
    if only in (None, "en-de"):
        bundled()
