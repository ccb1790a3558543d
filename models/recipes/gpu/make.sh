#!/bin/bash
# make.sh STEP CORPORA [WORK]: the bundled model on a graphics card, each step by one command.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# STEP, in this order:
#   texts      sentences of our own and words of a dictionary
#   start      the model before, by everyday/make.sh, from the history of this repository
#   prepare    all texts as numbers, and in one file with those that nobody has translated
#   back       train German to English, and translate German with it: a minute and a half, and half a one
#   model      train English to German in two parts, with its own translations in the second: nine minutes
#
# CORPORA is the folder of the texts, WORK (gpu-run) gets all that is made. Up to `prepare` no graphics
# card is wanted; WORK/data.npz and WORK/start are all that `back` and `model` read. REGARD_TRAIN names the
# program, if it is not build/app/regard-train, and PYTHON the interpreter that has the packages of
# marian_torch.py and pack.py. The lengths are seconds, as the bundled model was made; what a card does in
# a second decides how many steps they are. `texts` wants what dictionary.py asks for, `start` a clone with
# its history. What a step has made it does not make again; remove it to have it anew. A new model then
# wants tools/means, tools/corpus and `regard-cli trust --calibrate`.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
train=${REGARD_TRAIN:-$here/../../../build/app/regard-train}
python=${PYTHON:-python3}
step=${1:-} from=${2:-} work=${3:-gpu-run}

# The last commit with the model before, and that model's weights.
before=d0e3b63a
before_sha256=ef54c01768ce1a5f05e867d7849ba25679c4ab921caa68ce67d4932579514e5e

fail() {
  echo "make.sh: $*" >&2
  exit 1
}

link_corpora() {
  [ -d "$from/en-de" ] || fail "expected a folder of corpora, found '$from'"
  mkdir -p "$work/corpora/made"
  for folder in en-de en-de-2 mono test; do
    ln -sfn "$(readlink -f "$from/$folder")" "$work/corpora/$folder"
  done
}

made=$work/corpora/made tests=$here/../../../tests/data

case $step in
texts)
  link_corpora
  xz -dc "$here/../own-pairs.tsv.xz" >"$made/own-pairs.tsv"
  for test in "$tests"/reading-*.en.txt; do
    "$here/../near-copies.py" "$test" "$made/own-pairs.tsv" >"$work/near-copies.tsv" ||
      fail "$made/own-pairs.tsv has sentences of $test, or nearly: see $work/near-copies.tsv"
  done
  cp "$tests/first-forty.en.txt" "$made/first-forty.en.txt"
  "$here/../dictionary.py" "$from" >"$made/dictionary-words.tsv"
  ;;
start)
  mkdir -p "$work"
  git -C "$here/../../.." archive "$before:models/en-de" --prefix start/ | tar -x -C "$work"
  echo "$before_sha256  $work/start/model.safetensors" | sha256sum --quiet --check
  ;;
prepare)
  link_corpora
  [ -x "$train" ] || fail "$train is missing; tools/run builds it, REGARD_TRAIN names another"
  [ -d "$work/prepared" ] ||
    "$train" prepare --config "$here/prepare.json" --corpora "$work/corpora" --tokenizer "$work/start" \
      --output "$work/prepared"
  "$python" "$here/pack.py" "$work/prepared" "$work/corpora" "$work/data.npz"
  ;;
back) "$python" "$here/run.py" back "$work/data.npz" "$work/start" "$work/back.npz" 95 ;;
model)
  "$python" "$here/run.py" model "$work/data.npz" "$work/start" "$work/back.npz" 220 285 "$work/model"
  (cd "$work/start" && cp -- config.json generation_config.json tokenizer_config.json vocab.json ./*.spm ../model/)
  ;;
*) fail "expected texts, start, prepare, back or model, found '$step'" ;;
esac
