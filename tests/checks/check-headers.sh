#!/bin/bash
# check-headers.sh: every public header of the engine stands alone, in C and in C++.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

mapfile -t headers < <(cd engine/include && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort)
verdict "there are headers to compile" "$(status [ "${#headers[@]}" -gt 10 ])"

alone() # LANGUAGE COMPILER STANDARD
{
  local header complaints
  tool "headers in $1" "$2" || return
  complaints=$(for header in "${headers[@]}"; do
    printf '#include <%s>\n' "$header" |
      "$2" "-std=$3" -Wall -Wextra -Werror -fsyntax-only -Iengine/include -x "$1" - 2>&1 |
      sed "s|^|$header: |"
  done)
  none "each compiles alone in $1" "$complaints"
}
alone c gcc c17
alone c++ g++ c++17

# They are what programs include: a header that they forget would never be seen.
all_in() # UMBRELLA FOLDER
{
  none "$1 includes every header of $2/" \
    "$(for header in "engine/include/$2"/*.h; do
      grep -qF "#include <$2/${header##*/}>" "engine/include/$1" || echo "$header"
    done)"
}
all_in mt.h mt
all_in mt-train.h mt/train

# The program at the beginning of mt.h, with the command of engine/README.md.
program=$(mktemp -d) || exit 1
trap 'rm -rf "$program"' EXIT
sed -n '/^ \*     #include <mt.h>/,/^ \*     }$/p' engine/include/mt.h |
  sed 's/^ \*     //; s/^ \*$//' >"$program/program.c"
command=$(sed -n '/^    cc program.c/,/-o program$/p' engine/README.md)
command=${command//program.c/$program/program.c}
command=${command/-o program/-o $program/program}
command=${command//build\/engine/${REGARD_BUILD_DIR:?the build}\/engine}
sanitised=$(grep -q 'fsanitize' "$REGARD_BUILD_DIR/compile_commands.json" && echo ' -fsanitize=address,undefined')
bash -c "${command/cc /cc$sanitised }"
verdict "the program in mt.h is built as engine/README.md says" $?
said=$("$program/program")
verdict "… and translates" $?
none "… with a weight" "$(grep -q '^weight of row 0 on column 0: 0\.' <<<"$said" || echo "$said")"
finish
