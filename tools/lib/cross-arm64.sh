#!/bin/bash
# cross-arm64.sh [TEST...]: what tools/cross does in the bare system that tools/distro makes.
# SPDX-License-Identifier: GPL-3.0-or-later

set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
build=$ROOT/build-arm64

say "installing the compiler, the emulator and the libraries"
export DEBIAN_FRONTEND=noninteractive
dpkg --add-architecture arm64
apt-get -qq update
mapfile -t wanted < <(packages cross && packages arm64 | sed 's/$/:arm64/')
apt-get -qq install -y --no-install-recommends "${wanted[@]}" >/dev/null

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Some tests become somebody else for a moment.
chmod 711 "$scratch"
mkdir -m 1777 "$scratch/tmp"
export TMPDIR=$scratch/tmp
private_environment "$scratch"

say "compiling for $(sed -n "s/^cpu = '\(.*\)'$/\1/p" "$ROOT/tools/lib/arm64.ini")"
configure "$build" --cross-file "$ROOT/tools/lib/arm64.ini" -Dgui=false -Dwerror=true
mapfile -t programs < <(ninja -C "$build" -t targets all |
  sed -nE 's,^(app/regard-cli|tests/cli/test-cli|tests/engine/(example|test-engine[a-z0-9-]*)): .*,\1,p')
build "$build" "${programs[@]}"
say "$(qemu-aarch64-static --version | head -1)"

status=0

# run_tests WHAT [VARIABLE=VALUE...] -- ARGUMENT...: a line that says how many passed, behind what did not.
run_tests()
{
  local what=$1 settings=()
  shift
  while [ "$1" != -- ]; do
    settings+=("$1")
    shift
  done
  shift
  rm -f "$build"/meson-logs/testlog*
  env "${settings[@]}" MALLOC_PERTURB_=0 meson test -C "$build" --no-rebuild --print-errorlogs \
    --timeout-multiplier 20 "$@" >"$scratch/log" 2>&1 </dev/null || {
    cat "$scratch/log"
    status=1
  }
  printf '%s: %s\n' "$what" "$(/usr/bin/python3 "$ROOT/tools/lib/test-summary.py" "$build" | tail -1)"
}

# Where SDOT is missing other kernels are chosen; where pages are larger, memory and files are mapped by them.
older=QEMU_CPU=cortex-a53
if [ $# != 0 ]; then
  run_tests "newest processor" -- "$@"
  run_tests "Cortex-A53" "$older" -- "$@"
  run_tests "pages of 16 kB" QEMU_PAGESIZE=16384 -- "$@"
  run_tests "pages of 64 kB" QEMU_PAGESIZE=65536 -- "$@"
else
  run_tests "newest processor, engine" -- --suite engine
  run_tests "newest processor, cli" -- --suite cli
  run_tests "Cortex-A53" "$older" -- attention int8 kernels-bf16 ops precision golden cli-precision
  for size in 16 64; do
    run_tests "pages of $size kB" QEMU_PAGESIZE=$((size * 1024)) -- \
      archive base cache fault files load marian npz pool recording torch zip cli-model cli-precision
  done
fi

# The emulator maps files from where a processor with larger pages would not: places are looked at by themselves.
for _ in "makes a cache" "opens it"; do
  echo "I have two dogs." | QEMU_STRACE=1 QEMU_PAGESIZE=65536 qemu-aarch64-static "$build/app/regard-cli" translate \
    --model "$ROOT/models/en-de" --precision int8 --cache 2>>"$scratch/calls" >>"$scratch/answers"
done
mapfile -t places < <(grep -aohE 'mmap\([^()]*,[0-9]+,(0x[0-9a-f]+|[0-9]+)\)' "$scratch/calls" |
  sed 's/.*,\(.*\))/\1/')
[ ${#places[@]} -gt 50 ] || die "the emulator does not say what is mapped"
for place in "${places[@]}"; do
  [ $((place % 65536)) = 0 ] || die "a file is mapped from $place, in the middle of a page of 64 kB"
done
say "${#places[@]} places in files begin pages of 64 kB; the sentence becomes: $(tail -1 "$scratch/answers")"
exit $status
