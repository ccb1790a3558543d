# shellcheck shell=bash
# tap.sh: a few lines of Test Anything Protocol for the shell scripts in this folder.
# SPDX-License-Identifier: GPL-3.0-or-later

ROOT=${1:?the source tree}
cd "$ROOT" || exit 1
n_cases=0

# verdict NAME STATUS [TEXT]: one case; TEXT explains a failure.
verdict()
{
  n_cases=$((n_cases + 1))
  if [ "$2" = 0 ]; then
    printf 'ok %d - %s\n' "$n_cases" "$1"
  else
    printf 'not ok %d - %s\n' "$n_cases" "$1"
    [ -z "${3:-}" ] || printf '# %s\n' "${3//$'\n'/$'\n# '}"
  fi
}

# status COMMAND...: its exit status as a word, for verdict.
status()
{
  local it=0
  "$@" || it=$?
  printf '%s\n' "$it"
}

# none NAME OUTPUT: passes if OUTPUT, a list of offenders, is empty.
none()
{
  verdict "$1" "$(status [ -z "$2" ])" "$2"
}

# skip NAME REASON: one case that is not tried.
skip()
{
  n_cases=$((n_cases + 1))
  printf 'ok %d - %s # SKIP %s\n' "$n_cases" "$1" "$2"
}

# tool NAME COMMAND: 0 if the command exists; otherwise the case is skipped.
tool()
{
  command -v "$2" >/dev/null && return 0
  skip "$1" "$2 is not installed"
  return 1
}

finish()
{
  printf '1..%d\n' "$n_cases"
}

# our_files PATTERN...: files of the project (not of a build, not of git) whose name matches.
our_files()
{
  local names=() pattern
  for pattern in "$@"; do
    names+=(-o -name "$pattern")
  done
  find . \( -name .git -o -name 'build*' -o -name '_*' -o -name __pycache__ \) -type d -prune \
    -o -type f \( "${names[@]:1}" \) -print | sed 's|^\./||' | LC_ALL=C sort
}
