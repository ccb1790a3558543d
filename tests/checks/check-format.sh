#!/bin/bash
# check-format.sh: the C sources look as .clang-format says.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

# Another version would find other places: this is the one of Debian 12, and the only judge.
judge=14
name="sources are formatted (clang-format -i mends them)"
formatter=$(command -v "clang-format-$judge" || command -v clang-format)
if tool "$name" "${formatter:-clang-format}"; then
  found=$("$formatter" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
  if [ "$found" = "$judge" ]; then
    mapfile -t code < <(our_files '*.c' '*.h')
    bad=$("$formatter" --dry-run --Werror "${code[@]}" 2>&1 | sed -n 's/:[0-9]*:[0-9]*: error:.*//p' |
      sort | uniq -c)
    none "$name" "$bad"
  else
    skip "$name" "clang-format $judge judges, found $found"
  fi
fi
finish
