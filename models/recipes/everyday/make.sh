#!/bin/bash
# make.sh STEP CORPORA [WORK]: the bundled model from its texts, each step by one command.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# STEP, in this order:
#   texts      sentences of our own, words of a dictionary, sentences beside each other
#   tokenizer  24,000 pieces for both languages, from everyday text
#   start      the model before, from the history of this repository, given those pieces
#   self       English that nobody has translated, with the German of the model before
#   first      prepare and train English to German, a little: the new pieces find their places
#   backward   train German to English from there, to translate back with; goes on where it was
#   back       German that nobody has translated, with the English of the backward model
#   model      prepare the text of all these and train on: the bundled model; goes on where it was
#
# CORPORA is the folder of the texts, WORK (everyday-run) gets all that is made. REGARD_TRAIN and
# REGARD_CLI name the programs, if they are not in build/app; PYTHON the interpreter that has the
# packages of transplant.py. `texts` wants what dictionary.py asks for. What a step has made it does
# not make again; remove it to have it anew.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
train=${REGARD_TRAIN:-$here/../../../build/app/regard-train}
cli=${REGARD_CLI:-$here/../../../build/app/regard-cli}
step=${1:-} from=${2:-} work=${3:-everyday-run}

# The last commit with the model before, and that model's weights.
before=d244259
before_sha256=ead55409100a131185ba86ec8159228ab8bc20afb92aa043d1c45563afbca91e
# Of mono-en and of mono-de: Tatoeba and Common Voice, which are everyday sentences.
everyday_english=377567 everyday_german=118539
# English sentences that are translated by the model before.
self_translated=60000

fail() {
  echo "make.sh: $*" >&2
  exit 1
}

prepare() { # CONFIGURATION FOLDER
  [ -d "$work/$2" ] ||
    "$train" prepare --config "$1" --corpora "$work/corpora" --tokenizer "$work/tokenizer" --output "$work/$2"
}

fit() { # FOLDER RUN START OPTION...
  local data=$1 run=$2 start=$3
  shift 3
  exec "$train" fit --config "$here/fit.json" --start-from "$start" --data "$work/$data" --output "$work/$run" \
    --resume "$@"
}

# The texts of prepare.json and those that were made by a model, a row each.
with_made() { # ROW...
  awk -v rows="$(printf '%s\n' "$@")" '{print} /"sources": \[/ {print rows}' "$here/prepare.json"
}

# The configuration on standard input with both languages exchanged.
turned() {
  sed -e 's/"languages": \["en", "de"\]/"languages": ["de", "en"]/' \
    -e 's/"file": \("[^"]*"\)/"file": \1, "columns": [2, 1]/' \
    -e 's/"source": \("[^"]*"\), "target": \("[^"]*"\)/"source": \2, "target": \1/'
}

self_row='  {"name": "self-translated", "file": "made/self-translated.tsv", "weight": 2, "segmentations": 2, "licence": "CC BY 2.0 FR, CC0", "note": "English of Tatoeba and Common Voice, translated by the model before: make.sh self"},'
back_row='  {"name": "back-translated", "file": "made/back-translated.tsv", "weight": 3, "segmentations": 2, "licence": "CC BY 2.0 FR, CC0", "note": "German of Tatoeba and Common Voice, translated to English by a model: make.sh back"},'

[ -x "$train" ] || fail "$train is missing; tools/run builds it, REGARD_TRAIN names another"
[ -x "$cli" ] || fail "$cli is missing; tools/run builds it, REGARD_CLI names another"
[ -d "$from/en-de" ] || fail "expected STEP and a folder of corpora, found '$step' and '$from'"
mkdir -p "$work/corpora/made"
for folder in en-de en-de-2 mono test; do
  ln -sfn "$(readlink -f "$from/$folder")" "$work/corpora/$folder"
done
made=$work/corpora/made

case $step in
texts)
  xz -dc "$here/../own-pairs.tsv.xz" >"$made/own-pairs.tsv"
  for test in "$here"/../../../tests/data/reading-*.en.txt; do
    "$here/../near-copies.py" "$test" "$made/own-pairs.tsv" >"$work/near-copies.tsv" ||
      fail "$made/own-pairs.tsv has sentences of $test, or nearly: see $work/near-copies.tsv"
  done
  "$here/../dictionary.py" "$from" >"$made/dictionary-words.tsv"
  "$here/beside.py" "$from" >"$made/beside.tsv"
  ;;
tokenizer)
  [ -d "$work/tokenizer" ] ||
    "$train" prepare --config "$here/tokenizer.json" --corpora "$work/corpora" --output "$work/tokenizer"
  ;;
start)
  [ -d "$work/before" ] || {
    git -C "$here" archive "$before:models/en-de" --prefix before/ | tar -x -C "$work"
    echo "$before_sha256  $work/before/model.safetensors" | sha256sum --quiet --check
  }
  [ -d "$work/start" ] ||
    "${PYTHON:-python3}" "$here/transplant.py" "$work/before" "$work/tokenizer" "$work/start"
  ;;
self)
  xz -dc "$from/mono/mono-en.txt.xz" | head -n $everyday_english |
    LC_ALL=C awk 'length >= 25 && length <= 110 && !/[^ -~]/' |
    shuf -n $self_translated --random-source=<(yes 21) >"$work/self.en"
  "$cli" translate --model "$work/before" --precision int8 --beam 1 "$work/self.en" >"$work/self.de"
  paste "$work/self.en" "$work/self.de" >"$made/self-translated.tsv"
  ;;
first)
  with_made "$self_row" >"$work/first.json"
  prepare "$work/first.json" first
  fit first run-first "$work/start" --warmup 600 --steps 344 --cooldown 0
  ;;
backward)
  with_made "$self_row" | turned >"$work/backward.json"
  prepare "$work/backward.json" backward
  fit backward run-backward "$work/run-first/model" --rate 0.0007 --warmup 250 --steps 720 --cooldown 0.4
  ;;
back)
  xz -dc "$from/mono/mono-de.txt.xz" | head -n $everyday_german |
    LC_ALL=C awk 'length >= 20 && length <= 120' >"$work/back.de"
  "$cli" translate --model "$work/run-backward/model" --precision int8 --beam 1 "$work/back.de" >"$work/back.en"
  paste "$work/back.en" "$work/back.de" | "$here/plausible.py" "$from/mono/mono-en.txt.xz" >"$made/back-translated.tsv"
  ;;
model)
  with_made "$self_row" "$back_row" >"$work/model.json"
  prepare "$work/model.json" model
  fit model run "$work/run-first/model"
  ;;
*) fail "expected texts, tokenizer, start, self, first, backward, back or model, found '$step'" ;;
esac
