#!/bin/bash
# check-manual.sh: the manual pages are well formed and tell of every command and option.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
cli=${REGARD_CLI:?the program}
train=${REGARD_TRAIN:?the program}

for page in assets/regard-cli.1 assets/regard-train.1 assets/regard.1; do
  if tool "mandoc $page" mandoc; then
    complaints=$(mandoc -T lint -W warning "$page" 2>&1)
    verdict "mandoc $page" $? "$complaints"
  fi
done

# A command line that the page does not tell of, or a page that tells of another program.
check_program() # PROGRAM PAGE LEAST-NUMBER-OF-COMMANDS
{
  local program=$1 page commands command section shared
  page=$(sed 's/\\-/-/g' "$2")
  mapfile -t commands < <("$program" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
  verdict "$2: --help lists commands" "$(status [ "${#commands[@]}" -ge "$3" ])" "${commands[*]}"
  for command in "${commands[@]}"; do
    verdict "$2: the page has a section on $command" \
      "$(grep -qE "^\.Ss $command\$" <<<"$page"; echo $?)"
    section=$(awk -v start=".Ss $command" '$0 == start {on=1; next} /^\.S[sh]/ {on=0} on' <<<"$page")
    shared=$(awk '$0 == ".Ss Options of several commands" {on=1; next} /^\.S[sh]/ {on=0} on' \
      <<<"$page")
    none "$2: the page tells of every option of $command" \
      "$("$program" "$command" --help | grep -oE -- '^ +(-[a-z], )?--[a-z0-9-]+' |
        grep -oE -- '--[a-z0-9-]+' |
        while read -r option; do
          grep -qE "^\.It Fl .*-${option#--}( |\$)" <<<"$section"$'\n'"$shared" || echo "$option"
        done)"
  done
}
# What there is to choose from stands in tables of ui, from which --help is made: formats, scales,
# colour maps. The page names them all, in the item of the option.
check_choices() # OPTION LEAST-NUMBER
{
  local choices item
  mapfile -t choices < <("$cli" attend --help | sed -n "s/^ .*--$1 .*: \(.*\)\$/\1/p" | tr -d ' ' |
    tr ',' '\n')
  verdict "--help lists the choices of --$1" "$(status [ "${#choices[@]}" -ge "$2" ])" \
    "${choices[*]}"
  item=$(sed 's/\\-/-/g' assets/regard-cli.1 |
    awk -v option="Fl -$1 " '/^\.It/ {on = index($0, option)} on')
  none "the page names every choice of --$1" \
    "$(for choice in "${choices[@]}"; do
      grep -qwF -- "$choice" <<<"$item" || echo "$choice"
    done)"
}
check_choices output 6
check_choices scale 4
check_choices colormap 6
check_program "$cli" assets/regard-cli.1 6
check_program "$train" assets/regard-train.1 4
finish
