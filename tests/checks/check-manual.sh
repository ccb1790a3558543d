#!/bin/bash
# check-manual.sh: the manual pages are well formed. That they tell of every command and option is seen to
# by app/manual.c, which makes the lists from the tables of the programs.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
made=${REGARD_MANUALS:?the folder of the pages that are made}

for page in "$made/regard-cli.1" "$made/regard-train.1" assets/regard.1; do
  if tool "mandoc ${page##*/}" mandoc; then
    complaints=$(mandoc -T lint -W warning "$page" 2>&1)
    verdict "mandoc ${page##*/}" $? "$complaints"
  fi
done

# told_of PAGE: its sections and items, options and variables with their names.
told_of()
{
  sed -nE 's/^(\.(Sh|Ss|Bl|El|It)( (Fl|Ev) [-A-Za-z_]*)?).*/\1/p' "$1"
}

# In another language a page has other words, and warnings are of the names of sections; but what it tells of, in
# what order, is the same.
for page in assets/regard.*.1; do
  if tool "mandoc ${page##*/}" mandoc; then
    complaints=$(mandoc -T lint -W error "$page" 2>&1)
    verdict "mandoc ${page##*/}" $? "$complaints"
  fi
  complaints=$(diff <(told_of assets/regard.1) <(told_of "$page"))
  verdict "${page##*/} tells of what regard.1 does" $? "$complaints"
done

# refused TEMPLATE COMPLAINT: a page that cannot be right is not made.
refused()
{
  local complaint it=0
  complaint=$(printf '%s\n' "$1" | "$made/regard-manual" regard-train /dev/stdin 2>&1 >/dev/null) || it=$?
  verdict "no page is made: $2" "$(status [ "$it:${complaint/*"$2"*/said}" = 1:said ])" "$complaint"
}
refused '.\" OPTIONS score' 'no END'
refused $'.\\" OPTIONS score\n.\\" END' 'no list of the options of prepare'
refused $'.\\" OPTIONS score\n.\\" --jsno\nIt is.\n.\\" END' "'score' has no option --jsno"
refused $'.\\" OPTIONS socre\n.\\" END' "no command 'socre'"
finish
