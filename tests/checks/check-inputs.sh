#!/bin/bash
# check-inputs.sh: the archives of fuzz inputs are as tools/fuzz packs them, one for each target.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
pack=tools/lib/fuzz-inputs.py
mapfile -t targets < <(sed -n "s/^  '\([a-z-]*\)': {.*/\1/p" tests/fuzz/meson.build)

verdict "there are targets" "$(status [ "${#targets[@]}" -gt 20 ])"
verdict "SECURITY.md counts the targets" \
  "$(grep -qF "* ${#targets[@]} libFuzzer targets in" SECURITY.md; echo $?)"
none "every target has a corpus, and nothing else has" \
  "$(diff <(printf 'tests/fuzz/corpus/%s.zip\n' "${targets[@]}" | sort) \
    <(find tests/fuzz/corpus -mindepth 1 | sort))"
none "regressions are those of targets" \
  "$(comm -13 <(printf 'tests/fuzz/regressions/%s.zip\n' "${targets[@]}" | sort) \
    <(find tests/fuzz/regressions -mindepth 1 | sort))"
none "every archive is what packing its inputs gives" \
  "$(/usr/bin/python3 "$pack" check tests/fuzz/corpus/*.zip tests/fuzz/regressions/*.zip 2>&1)"

# There and back, through files that were touched and lie in another order.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 "$pack" unpack tests/fuzz/corpus/cli.zip "$scratch/cli"
touch -d 2001-01-01 "$scratch"/cli/*
verdict "unpacked inputs pack to the same bytes" \
  "$(/usr/bin/python3 "$pack" pack "$scratch/cli" "$scratch/cli.zip" >/dev/null &&
    cmp -s tests/fuzz/corpus/cli.zip "$scratch/cli.zip"; echo $?)"
printf x >"$scratch/cli/da39a3ee5e6b4b0d3255bfef95601890afd80709"
/usr/bin/python3 "$pack" pack "$scratch/cli" "$scratch/cli.zip" >/dev/null
rm -r "$scratch/cli"
/usr/bin/python3 "$pack" unpack "$scratch/cli.zip" "$scratch/cli"
verdict "a new input is there, by twelve digits of its name" \
  "$(status [ "$(cat "$scratch/cli/da39a3ee5e6b")" = x ])" "$(ls "$scratch/cli")"
(cd "$scratch/cli" && /usr/bin/python3 -m zipfile -c ../other.zip ./*)
verdict "an archive that was packed otherwise is named" \
  "$(status [ "$(/usr/bin/python3 "$pack" check "$scratch"/*.zip)" = "$scratch/other.zip" ])"
finish
