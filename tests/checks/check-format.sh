#!/bin/bash
# check-format.sh: the C sources look as .clang-format says.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

if tool "sources are formatted" clang-format; then
  mapfile -t code < <(our_files '*.c' '*.h')
  bad=$(clang-format --dry-run --Werror "${code[@]}" 2>&1 | sed -n 's/:[0-9]*:[0-9]*: error:.*//p' |
    sort | uniq -c)
  none "sources are formatted (clang-format -i mends them)" "$bad"
fi
finish
