#!/bin/bash
# check-scripts.sh: shell scripts pass shellcheck, Python scripts compile, all can be started.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

mapfile -t shell < <({
  our_files '*.sh'
  grep -lE '^#!/bin/(ba)?sh' tools/* .ci/* 2>/dev/null
} | sort -u)
if tool "shell scripts pass shellcheck" shellcheck; then
  for script in "${shell[@]}"; do
    complaints=$(shellcheck -x -P SCRIPTDIR -s bash "$script" 2>&1)
    verdict "shellcheck $script" $? "$complaints"
  done
fi

mapfile -t python < <(our_files '*.py')
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
for script in "${python[@]}"; do
  complaints=$(/usr/bin/python3 -c \
    'import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], doraise=True)' \
    "$script" "$scratch/out.pyc" 2>&1)
  verdict "python compiles $script" $? "$complaints"
done
none "what people start can be started" \
  "$(for f in tools/run tools/test tools/bench tools/pictures tools/soak tools/fuzz tools/distro tools/cross tools/compare-builds tools/translations .ci/run; do [ -x "$f" ] || echo "$f"; done)"
finish
