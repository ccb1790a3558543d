#!/bin/bash
# check-by-hand.sh: models/by-hand and models/collapsed are what their make.py write, byte for byte.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

for model in by-hand collapsed; do
  mkdir "$scratch/$model"
  said=$(/usr/bin/python3 "models/$model/make.py" "$scratch/$model" 2>&1)
  verdict "make.py writes $model" $? "$said"
  mapfile -t files < <(ls "$scratch/$model")
  verdict "$model is seven files" "$(status [ "${#files[@]}" = 7 ])" "${files[*]}"
  for file in "${files[@]}"; do
    verdict "$model/$file is as it is written" \
      "$(cmp -s "$scratch/$model/$file" "models/$model/$file"; echo $?)"
  done
  none "nothing else lies in $model but the card" \
    "$(find "models/$model" -mindepth 1 ! -name README.md ! -name make.py -printf '%f\n' | sort |
      comm -13 <(printf '%s\n' "${files[@]}" | sort) -)"
done
finish
