#!/bin/bash
# make.sh STEP CORPORA [WORK]: the bundled model from its texts, each step by one command.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# STEP, in this order:
#   texts      sentences of our own, words of a dictionary, sentences beside each other
#   tokenizer  24,000 pieces for both languages, from everyday text
#   base       prepare and train English to German; goes on where it was
#   backward   prepare and train German to English, to translate back with; likewise
#   back       German that nobody has translated, with the English of the backward model
#   more       prepare the text of base and that of back, to train on with
#
# CORPORA is the folder of the texts, WORK (everyday-run) gets all that is made. REGARD_TRAIN and
# REGARD_CLI name the programs, if they are not in build/app. `texts` wants what dictionary.py asks
# for. What a step has made it does not make again; remove it to have it anew.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
train=${REGARD_TRAIN:-$here/../../../build/app/regard-train}
cli=${REGARD_CLI:-$here/../../../build/app/regard-cli}
step=${1:-} from=${2:-} work=${3:-everyday-run}

# Of mono-de: Tatoeba and Common Voice, which are everyday sentences.
everyday_german=118539
# Bytes of the longest sentence that is translated back: more is not everyday.
longest=120

fail() {
  echo "make.sh: $*" >&2
  exit 1
}

prepare() { # CONFIGURATION FOLDER
  [ -d "$work/$2" ] ||
    "$train" prepare --config "$1" --corpora "$work/corpora" --tokenizer "$work/tokenizer" --output "$work/$2"
}

fit() { # FOLDER RUN
  exec "$train" fit --config "$here/fit.json" --data "$work/$1" --output "$work/$2" --resume
}

# The configuration with both languages exchanged.
turned() {
  sed -e 's/"languages": \["en", "de"\]/"languages": ["de", "en"]/' \
    -e 's/"file": \("[^"]*"\)/"file": \1, "columns": [2, 1]/' \
    -e 's/"source": \("[^"]*"\), "target": \("[^"]*"\)/"source": \2, "target": \1/' \
    "$here/prepare.json"
}

[ -x "$train" ] || fail "$train is missing; tools/run builds it, REGARD_TRAIN names another"
[ -d "$from/en-de" ] || fail "expected STEP and a folder of corpora, found '$step' and '$from'"
mkdir -p "$work/corpora/made"
for folder in en-de en-de-2 mono test; do
  ln -sfn "$(readlink -f "$from/$folder")" "$work/corpora/$folder"
done
made=$work/corpora/made

case $step in
texts)
  cp "$here/../own-pairs.tsv" "$made/own-pairs.tsv"
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
base)
  prepare "$here/prepare.json" base
  fit base run
  ;;
backward)
  turned >"$work/backward.json"
  prepare "$work/backward.json" backward
  fit backward run-backward
  ;;
back)
  [ -x "$cli" ] || fail "$cli is missing; tools/run builds it, REGARD_CLI names another"
  xz -dc "$from/mono/mono-de.txt.xz" |
    LC_ALL=C awk -v n=$everyday_german -v longest=$longest 'NR <= n && length <= longest' >"$work/german.txt"
  "$cli" translate --model "$work/run-backward/model" --beam 1 "$work/german.txt" >"$work/english.txt"
  paste "$work/english.txt" "$work/german.txt" >"$made/back-translated.tsv"
  ;;
more)
  awk -v row='  {"name": "back-translated", "file": "made/back-translated.tsv", "weight": 3, "segmentations": 2, "licence": "CC BY 2.0 FR, CC0", "note": "German of Tatoeba and Common Voice, translated to English by a model: make.sh back"},' \
    '{print} /"sources": \[/ {print row}' "$here/prepare.json" >"$work/more.json"
  prepare "$work/more.json" more
  ;;
*) fail "expected texts, tokenizer, base, backward, back or more, found '$step'" ;;
esac
