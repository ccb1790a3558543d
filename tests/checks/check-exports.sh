#!/bin/bash
# check-exports.sh: a function that other files can call is called by one: of engine and app, the
# symbols that an object file exports and no other object file, of tests neither, asks for. Such a function
# is static, or is gone.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
build=${REGARD_BUILD_DIR:?the build folder}

# What is not compiled yet would be missed as a caller. Benchmarks are compiled when they are run only, and
# training with doubles, whose sources are those of floats, in the normal build.
mapfile -t all < <(sed -n 's/^ *"output": "\(.*\.o\)",*$/\1/p' "$build/compile_commands.json" |
  grep -v -e '^tests/bench/' -e '-double\.a\.p/')
mapfile -t missing < <(for object in "${all[@]}"; do [ -e "$build/$object" ] || echo "$object"; done)
if ! tool "exported functions have callers" nm; then
  finish
  exit
fi
if [ ${#missing[@]} -gt 0 ]; then
  skip "exported functions have callers" "${#missing[@]} object files are not there"
  finish
  exit
fi
verdict "the object files are found" "$(status [ ${#all[@]} -gt 500 ])" "${#all[@]}"
# Pairs of _ref and _unref are whole, and types are asked for by macros.
none "exported functions of engine and app have callers" \
  "$(cd "$build" && nm -A -P "${all[@]}" 2>/dev/null | awk '
    {sub(/:$/, "", $1)}
    $3 == "T" && $1 ~ /^(engine|app)\// && $2 ~ /^(mt|regard|cli|fit|train)_/ {made[$2] = $1}
    $3 == "U" {asked[$2] = 1}
    END {for (name in made) if (!(name in asked) && name !~ /_(ref|get_type|get_resource)$/) print made[name], name}' |
    sort)"
finish
