#!/bin/bash
# test-tools.sh: tools/run without a display, tools/bench, and how results are added up.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# test-tools.sh SOURCE-TREE; REGARD_BUILD_DIR names a finished build.

# shellcheck source=../checks/tap.sh
. "$(dirname "$0")/../checks/tap.sh"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/a folder"
unset WAYLAND_DISPLAY

# equal NAME WANTED FOUND
equal()
{
  verdict "$1" "$(status [ "$2" = "$3" ])" "wanted: $2"$'\n'"found: $3"
}

# holds NAME PART TEXT
holds()
{
  verdict "$1" "$(grep -qF -- "$2" <<<"$3"; echo $?)" "'$2' is not in: $3"
}

# ---- tools/run ----

# In a folder with a space in its name, with a display that nobody serves.
run=$(cd "$scratch/a folder" &&
  DISPLAY=:4711 "$ROOT/tools/run" "I have two dogs." 2>"$scratch/err")
equal "run without a display succeeds" 0 $?
equal "run prints the sentence and its translation" \
  $'I have two dogs.\nIch habe zwei Hunde.' "$run"
holds "run says that there is no display" "no display" "$(<"$scratch/err")"
equal "run writes a picture where it was called" "PNG" \
  "$(head -c 4 "$scratch/a folder/regard.png" | tail -c 3)"

run=$(cd "$scratch" && DISPLAY='' "$ROOT/tools/run" --some-option=1 -- "Thank you." 2>/dev/null)
equal "run leaves the window's options alone" "Thank you." "$(head -1 <<<"$run")"
(cd "$scratch" && DISPLAY='' "$ROOT/tools/run" --model "$scratch" >/dev/null 2>"$scratch/err")
equal "run fails with the program" 1 $?
holds "run passes on why" "config.json" "$(<"$scratch/err")"

# try_build ERROR: builds with a compiler that ends with ERROR until warnings are no errors any more.
# shellcheck disable=SC2317,SC2329 # the functions in it are called by what it calls
try_build()
{
  (
    . tools/lib/common.sh
    werror=true
    ninja()
    {
      [ "$werror" = false ] || { printf '%s\n' "$error"; return 1; }
    }
    meson()
    {
      werror=${3#-Dwerror=}
    }
    error=$1
    build_in_spite_of_warnings "$scratch"
  ) 2>&1
}

run=$(try_build 'a.c:1:2: error: x may be used uninitialized [-Werror=maybe-uninitialized]')
equal "a warning of another compiler does not keep anybody from building" 0 $?
holds "run says that it builds again" "building again" "$run"
run=$(try_build 'a.c:1:2: error: expected a semicolon')
equal "an error does" 1 $?
holds "run shows it" "expected a semicolon" "$run"

# ---- tools/bench ----

holds "bench lists what there is" "  engine  " "$(tools/bench)"
tools/bench nothing >/dev/null 2>&1
equal "an unknown benchmark is wrong usage" 2 $?

# ---- packages ----

# One name that no system has: only that one is missing.
cp -r tools "$scratch/tools"
printf 'build no-such-package-of-regard\n' >>"$scratch/tools/packages"
if command -v dpkg-query >/dev/null; then
  equal "what is missing is found" "no-such-package-of-regard" \
    "$(. "$scratch/tools/lib/common.sh" && missing_packages build test)"
fi

# ---- a build that was configured before a package was there ----

# A project of one line, which counts how often it is configured.
printf "project('probe')\nrun_command('sh', '-c', 'echo x >>%s/configured', check: true)\n" \
  "$scratch" >"$scratch/meson.build"
often() # what is installed
{
  (. "$scratch/tools/lib/common.sh"
  eval "installed_packages() { echo '$1'; }"
  configure "$scratch/probe") >"$scratch/configure.log" 2>&1
  wc -l <"$scratch/configured"
}
equal "a build is configured" 1 "$(often gcc)"
equal "… once" 1 "$(often gcc)"
equal "… and anew when another package is there" 2 "$(often 'gcc libopenmpi-dev')"
equal "… once" 2 "$(often 'gcc libopenmpi-dev')"
holds "the tests' packages are among those that are looked at" "xvfb" \
  "$(. tools/lib/common.sh && installed_packages)"

# ---- adding up ----

mkdir -p "$scratch/build/meson-logs"
cat >"$scratch/build/meson-logs/testlog.json" <<'END'
{"name": "good", "stdout": "TAP version 13\n1..3\nok 1 a\nok 2 - b # SKIP no c\n# ok\nnot ok 3 d # TODO later\n", "result": "OK", "returncode": 0}
{"name": "bad", "stdout": "1..2\nok 1 a\nnot ok 2 b\n# Traceback:\n#   line 1\n# AssertionError: no window\n", "result": "FAIL", "returncode": 1}
{"name": "killed", "stdout": "1..5\nok 1 a\n", "result": "ERROR", "returncode": -11}
{"name": "asserted", "stdout": "1..5\nok 1 a\nBail out! ERROR:x.c:3: no file\n", "result": "ERROR", "returncode": -6}
{"name": "plain", "stdout": "", "result": "OK", "returncode": 0}
{"name": "slow", "stdout": "", "result": "TIMEOUT", "returncode": -15}
{"name": "absent", "stdout": "1..0 # SKIP no display\n", "result": "SKIP", "returncode": 0}
END
summary=$(/usr/bin/python3 tools/lib/test-summary.py "$scratch/build")
equal "failures make the summary fail" 1 $?
equal "cases are added up" "6 passed, 4 failed, 2 skipped" "$(tail -1 <<<"$summary")"
holds "a killed program is named" "killed (ERROR, status -11)" "$summary"
holds "a failed case says why" "bad: b (AssertionError: no window)" "$summary"
holds "so does a program that ends itself" "asserted (ERROR, status -6, ERROR:x.c:3: no file)" "$summary"
: >"$scratch/build/meson-logs/testlog.json"
summary=$(/usr/bin/python3 tools/lib/test-summary.py "$scratch/build")
equal "no test at all is a failure" "1 0 passed, 0 failed, 0 skipped" "$? $summary"
summary=$(/usr/bin/python3 tools/lib/test-summary.py --failure "the build" "$scratch/build")
equal "a failed build is a failure" $'1 failed: the build\n0 passed, 1 failed, 0 skipped' \
  "$? $summary"
finish
