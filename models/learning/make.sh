#!/bin/bash
# make.sh [DIR [no-warmup|no-smoothing]]: make the teaching model, from its sentences to 16 checkpoints, in some 20
# seconds; or the one of that name, which is trained with one setting changed.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# DIR, by default learning-run, gets the prepared text in DIR/prepared and the training in DIR/run:
# its folders step-… are models, from the first random numbers to the last step. REGARD_TRAIN names
# the program, if it is not build/app/regard-train. Called again it goes on where it was.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
train=${REGARD_TRAIN:-$here/../../build/app/regard-train}
dir=${1:-learning-run}
which=${2:-fit}

[ -x "$train" ] || {
  echo "make.sh: $train is missing; tools/run builds it, REGARD_TRAIN names another" >&2
  exit 1
}
mkdir -p "$dir"
if [ ! -d "$dir/prepared" ]; then
  LC_ALL=C awk -v n=20000 -f "$here/sentences.awk" >"$dir/sentences.tsv"
  "$train" prepare --config "$here/prepare.json" --corpora "$dir" --output "$dir/prepared"
fi
[ "$which" = fit ] && run=run || run=$which
"$train" fit --config "$here/$which.json" --data "$dir/prepared" --output "$dir/$run" --resume
case $which in
  no-warmup) name="English → German, without warm-up" ;;
  no-smoothing) name="English → German, without smoothing" ;;
  *) exit ;;
esac
for card in "$dir/$run"/step-*/README.md; do # each of the three is called otherwise in the list of models
  grep -q '^pretty_name:' "$card" || sed -i "1a pretty_name: $name" "$card"
done
