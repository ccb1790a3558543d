#!/bin/bash
# check-sources.sh: habits that every file keeps: size, licence, head comment, no machine's paths.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

mapfile -t code < <(our_files '*.c' '*.h' '*.cc')
mapfile -t scripts < <(our_files '*.sh' '*.py' && find tools .ci -maxdepth 1 -type f | sort)
mapfile -t texts < <(our_files '*.c' '*.h' '*.cc' '*.sh' '*.py' '*.md' '*.build' '*.ui' '*.xml' \
  '*.css' '*.1' '*.txt' '*.supp' '*.desktop' && find tools .ci -maxdepth 1 -type f)

verdict "there are sources to check" "$(status [ "${#code[@]}" -gt 20 ])"
none "no source above 1500 lines, but for one that begins by saying why it is long" \
  "$(wc -l "${code[@]}" "${scripts[@]}" | awk '$2 != "total" && $1 > 1500 {print $2, $1}' |
    while read -r file lines; do
      head -40 "$file" | grep -q 'This file is long because' || echo "$file: $lines"
    done)"
none "every source names its licence in its first 40 lines" \
  "$(awk 'FNR <= 40 && /SPDX-License-Identifier: GPL-3.0-or-later/ {named[FILENAME] = 1}
    FNR > 40 {nextfile}
    END {for (i = 1; i < ARGC; i++) if (!(ARGV[i] in named)) print ARGV[i]}' \
    "${code[@]}" "${scripts[@]}")"
none "every C file starts by saying what it is" \
  "$(awk 'FNR == 1 {
      name = FILENAME
      sub(/.*\//, "", name)
      if (index($0, "/* " name " ") != 1) print FILENAME ": " $0
      nextfile
    }' "${code[@]}")"
# Written so that this file does not match itself.
none "nothing is left to be done" \
  "$(grep -nE '\b(TO''DO|FIX''ME|XX''X)\b' "${code[@]}")"
none "no path of one machine" \
  "$(grep -nE '(^|[^A-Za-z0-9_.])/(wo''rk|ro''ot|ho''me)/[A-Za-z]' "${texts[@]}")"
none "text ends with a newline" \
  "$(tail -q -c1 "${texts[@]}" | LC_ALL=C tr -d '\n' | head -c 1 | grep -q . &&
    for f in "${texts[@]}"; do [ ! -s "$f" ] || [ -z "$(tail -c1 "$f")" ] || echo "$f"; done)"
none "no trailing white space, no tabs in C" \
  "$(grep -nE '[[:space:]]$' "${code[@]}" | head; grep -nP '\t' "${code[@]}" | head)"
# What a person reads has no name of the code in it; names of the engine have no other use in a text.
none "no text quotes a function of the engine" \
  "$(printf '%s\n' "${code[@]}" | grep -E '^(engine|ui|app)/' |
    xargs grep -nP '"[^"]*\bmt_[a-z]+_[a-z_]+\b(?!\()[^"]*"' | grep -vE ':[0-9]+:#')"
none "no unsafe string functions" \
  "$(grep -nE '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|alloca)[[:space:]]*\(' "${code[@]}")"
# The normal build runs them whole.
none "tests that sanitisers shorten are in both builds" \
  "$(grep -lE 'suite_(stride|is_watched)\(' tests/*/test-*.c | sed 's,.*/test-\(.*\)\.c,\1,' |
    grep -vxFf <(sed -n "/^twice = /,/^]/s/ *'\([^']*\)',*/\1\n/gp" tests/meson.build | grep .) |
    grep -vx network-gradient)"
finish
