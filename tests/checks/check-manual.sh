#!/bin/bash
# check-manual.sh: the manual pages are well formed and tell of every command and option.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
cli=${REGARD_CLI:?the program}

for page in assets/regard-cli.1 assets/regard.1; do
  if tool "mandoc $page" mandoc; then
    complaints=$(mandoc -T lint -W warning "$page" 2>&1)
    verdict "mandoc $page" $? "$complaints"
  fi
done

# A command line that the page does not tell of, or a page that tells of another program.
page=$(sed 's/\\-/-/g' assets/regard-cli.1)
mapfile -t commands < <("$cli" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
verdict "--help lists commands" "$([ "${#commands[@]}" -ge 6 ]; echo $?)" "${commands[*]}"
for command in "${commands[@]}"; do
  verdict "the page has a section on $command" \
    "$(grep -qE "^\.Ss $command\$" <<<"$page"; echo $?)"
  section=$(awk -v start=".Ss $command" '$0 == start {on=1; next} /^\.S[sh]/ {on=0} on' <<<"$page")
  shared=$(awk '$0 == ".Ss Options of several commands" {on=1; next} /^\.S[sh]/ {on=0} on' \
    <<<"$page")
  none "the page tells of every option of $command" \
    "$("$cli" "$command" --help | grep -oE -- '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' |
      while read -r option; do
        grep -qE "^\.It Fl .*-${option#--}( |\$)" <<<"$section"$'\n'"$shared" || echo "$option"
      done)"
done
finish
