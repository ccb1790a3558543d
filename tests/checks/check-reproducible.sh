#!/bin/bash
# check-reproducible.sh: the same input makes the same files, and programs do not know where they were built.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

for program in "$REGARD_CLI" "$REGARD_TRAIN" "$REGARD_BUILD_DIR/app/regard"; do
  [ -x "$program" ] || continue
  none "$(basename "$program") holds no path of its build" \
    "$(grep -oaF -e "$REGARD_BUILD_DIR" -e "$ROOT/" "$program" | sort | uniq -c)"
done

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export SOURCE_DATE_EPOCH=86400
for suffix in pdf npz; do
  for time in first second; do
    # Two time zones stand for two days.
    [ "$time" = first ] && zone=UTC || zone=Pacific/Auckland
    complaints=$(TZ=$zone "$REGARD_CLI" attend -m "$ROOT/tests/data/frozen/en-de" -o "$scratch/$time.$suffix" \
      "I have two dogs." 2>&1)
    verdict "$time .$suffix" $? "$complaints"
  done
  verdict "the same .$suffix twice" "$(status cmp -s "$scratch/first.$suffix" "$scratch/second.$suffix")"
done
if tool "the date of a PDF is that of SOURCE_DATE_EPOCH" pdfinfo; then
  found=$(pdfinfo -rawdates "$scratch/first.pdf" | grep CreationDate)
  verdict "the date of a PDF is that of SOURCE_DATE_EPOCH" \
    "$(status grep -q 19700102000000 <<<"$found")" "$found"
fi
verdict "archives hold no date" \
  "$(status /usr/bin/python3 -c 'import sys, zipfile
sys.exit(any(i.date_time != (1980, 1, 1, 0, 0, 0) for i in zipfile.ZipFile(sys.argv[1]).infolist()))' \
    "$scratch/first.npz")"
finish
