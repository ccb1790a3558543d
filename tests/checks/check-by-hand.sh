#!/bin/bash
# check-by-hand.sh: models/by-hand is what its make.py writes, byte for byte.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

said=$(/usr/bin/python3 models/by-hand/make.py "$scratch" 2>&1)
verdict "make.py writes the model" $? "$said"
mapfile -t files < <(ls "$scratch")
verdict "it is seven files" "$([ "${#files[@]}" = 7 ]; echo $?)" "${files[*]}"
for file in "${files[@]}"; do
  verdict "$file is as it is written" "$(cmp -s "$scratch/$file" "models/by-hand/$file"; echo $?)"
done
none "nothing else lies there but the card" \
  "$(find models/by-hand -mindepth 1 ! -name README.md ! -name make.py -printf '%f\n' | sort |
    comm -13 <(printf '%s\n' "${files[@]}" | sort) -)"
finish
