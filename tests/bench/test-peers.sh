#!/bin/bash
# test-peers.sh: the comparison of tools/bench peers runs with tiny models, and both programs do the same work.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# test-peers.sh SOURCE-TREE BUILD-TREE

# shellcheck source=../checks/tap.sh
. "$(dirname "$0")/../checks/tap.sh"
build=$2
serve=$build/tests/bench/bench-serve
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
printf 'the cat sat on the mat .\ntwo dogs eat bread\n' >"$scratch/text"

# The lines of a file are what each of them is alone: fields 2 and 3 are ids of outputs and sources.
answer()
{
  printf 'stored 1 4 %s 6 %s\n' "$1" "$2" | "$serve" tests/data/checkpoints/m2m-tiny en de
}
whole=$(answer 0 "@$scratch/text")
first=$(answer 1 "$(sed -n 1p "$scratch/text")")
second=$(answer 0 "$(sed -n 2p "$scratch/text")")
for field in 2 3; do
  part() { cut -d'|' -f"$field" <<<"$1"; }
  verdict "bench-serve: a file has the ids of its lines, field $field" \
    "$(status [ "$(part "$whole")" = "$(part "$first");$(part "$second")" ])" "$whole"$'\n'"$first"$'\n'"$second"
done
verdict "bench-serve: six tokens are made of each line" "$(status [ "$(cut -d' ' -f2 <<<"$whole")" = 12 ])" "$whole"
verdict "bench-serve: a capture has a size" "$(status [ "$(cut -d'|' -f4 <<<"$first")" -gt 0 ])" "$first"

# tools/bench makes an environment for it; any Python that has the package will do.
python=$build/peers/bin/python
[ -f "$build/peers/.complete" ] || python=${PYTHON:-python3}
for model in "m2m-tiny --from en --to de" t5-gated-tiny; do
  name="peers: ${model%% *}"
  if ! "$python" -c 'import ctranslate2' 2>/dev/null; then
    skip "$name" "ctranslate2 is not installed"
    continue
  fi
  # shellcheck disable=SC2086 # a name and options
  set -- $model
  out=$("$python" tests/bench/peers.py "$serve" "tests/data/checkpoints/$1" "$scratch" "${@:2}" \
    --converted "tests/data/ctranslate2/$1" --no-transformers --precisions float32 --rounds 1 --length 12 \
    --beams 1,5 --texts "$scratch/text" --lines "$scratch/text" 2>"$scratch/err")
  verdict "$name: the script succeeds" $? "$out$(<"$scratch/err")"
  # For each beam: the sentences by two of CTranslate2, and the lines by two.
  verdict "$name: all translations are the same" "$(status [ "$(grep -c '2 of 2' <<<"$out")" = 8 ])" "$out"
  verdict "$name: the faster of two is named" "$(status [ "$(grep -c 'best$' <<<"$out")" = 4 ])" "$out"
  verdict "$name: memory is said" "$(status [ "$(grep -c '^memory .*Regard [1-9]' <<<"$out")" = 2 ])" "$out"
done
finish
