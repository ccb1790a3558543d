#!/bin/bash
# make.sh [DIR]: make the frozen model of the tests again, in some two minutes.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# DIR, by default frozen-run, gets the prepared text, the training, and DIR/en-de: the folder that
# lies beside this file. On a machine with the same instructions and libraries the bytes are the
# same (diff -r DIR/en-de tests/data/frozen/en-de). REGARD_TRAIN names the program, if it is not
# build/app/regard-train.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
train=${REGARD_TRAIN:-$here/../../../build/app/regard-train}
dir=${1:-frozen-run}

[ -x "$train" ] || {
  echo "make.sh: $train is missing; tools/run builds it, REGARD_TRAIN names another" >&2
  exit 1
}
mkdir -p "$dir"
# Its own pieces: those of the bundled model when it was frozen.
"$train" prepare --config "$here/prepare.json" --corpora "$here" --tokenizer "$here/en-de" \
  --output "$dir/prepared" --replace
"$train" fit --config "$here/fit.json" --data "$dir/prepared" --output "$dir/run" --resume
rm -rf "$dir/en-de"
cp -r "$dir/run/model" "$dir/en-de"
sed -i 's/^tags:$/license: gpl-3.0-or-later\n&/' "$dir/en-de/README.md"
