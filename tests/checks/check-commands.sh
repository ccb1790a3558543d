#!/bin/bash
# check-commands.sh: the command lines of README.md and docs/ do what they say, as they are typed.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each indented line that calls regard-cli, regard-train, make.sh, awk or printf is run, in the order of
# its page, in a folder that has the source tree's models/ and build/ and the files that pages speak of.
# After a line that begins with "$ ", indented lines without it are its output. This knows the words of
# the bundled model, which are what the README shows.

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
build=${REGARD_BUILD_DIR:?the build}
scratch=$(mktemp -d) || exit 1
# Not by the processes that are stopped below.
trap '[ "$BASHPID" != "$$" ] || rm -rf "$scratch"' EXIT
export REGARD_MODEL_DIR=$ROOT/models/en-de HOME=$scratch/home XDG_DATA_HOME=$scratch/home/data

# What is not run, and why. The first pattern that fits counts.
skipped()
{
  case $1 in
  tools/* | meson\ * | ninja\ *) echo "installs, builds, opens the window, or takes long" ;;
  regard\ * | build/app/regard\ *) echo "opens a window; sessions in tests/e2e do" ;;
  *opus-mt* | *translate-en_de* | *t5-* | *wget* | *curl* | *OPUS-MT* | *https://*) echo "needs a model that is downloaded" ;;
  *training-options.svg*) echo "makes the teaching model a second time" ;;
  *CORPORA*) echo "needs the corpora of the bundled model" ;;
  *'…'*) echo "stands for many" ;;
  *regard-train\ fit*) echo "trains for hours; test-fit does for seconds" ;;
  *regard-train\ prepare*) echo "needs text for a tokenizer of 8,000 pieces; test-prepare has less" ;;
  mpirun*) echo "needs other machines" ;;
  PYTHON=* | OPENBLAS_*) echo "a measurement" ;;
  *) return 1 ;;
  esac
}

# commands PAGE: a line for each, "COMMAND<tab>OUTPUT"; lines that end in \ are joined, output lines
# have \n between them.
commands()
{
  awk '
    function flush() { if (command != "") print command "\t" output; command = output = ""; shows = 0 }
    joined { sub(/^ +/, ""); line = line " " $0; joined = sub(/\\$/, "", line); if (!joined) command = line; next }
    /^    (\$ )?[^ $|]/ && (/^    \$ / || !shows) {
      flush(); line = substr($0, 5); shows = sub(/^\$ /, "", line)
      joined = sub(/\\$/, "", line); if (!joined) command = line; next
    }
    /^    [^ ]/ && shows { output = output substr($0, 5) "\\n"; next }
    { flush() }
    END { flush() }' "$1" | grep -E '(^|[ /|])(regard-cli|regard-train|make\.sh|regard|awk|printf) |^PATH=|/make\.sh'
}

# is_read_later COMMAND PAGE: whether what it writes is of use to a later command. What is not, and what shows
# nothing, has only to succeed: it is asked of the small model of the tests, and once.
is_read_later()
{
  local file
  case $1 in *--with\ mean*) return 0 ;; esac # the bundled model's own
  file=$(sed -nE 's/.* (-o|>) *([^ ]+).*/\2/p' <<<"$1")
  [ -n "$file" ] && [ "$(commands "$ROOT/$2" | grep -cF -- "$file")" -gt 1 ]
}

# A folder as pages find it.
cd "$scratch" || exit 1
mkdir home
ln -s "$ROOT/assets" "$ROOT/models" "$ROOT/tools" "$ROOT/docs" .
ln -s "$build" build
printf 'I have two dogs.\nThank you.\n' | tee report.txt book.txt text.txt >test.en
printf 'Ich habe zwei Hunde.\nVielen Dank.\n' >test.de
printf 'I have two dogs.\tIch habe zwei Hunde.\n' >pairs.tsv
mkdir tests
ln -s "$ROOT/tests/data" tests/data
cp "$ROOT/tests/data/foreign-encoder.npz" bert.npz
for run in run run-1 run-2 run-3; do
  mkdir $run
  cp -r "$ROOT/tests/data/frozen/en-de" $run/model
done

n_run=0
done=$'\n'
mapfile -t pages < <(cd "$ROOT" && ls README.md docs/*.md models/learning/README.md models/collapsed/README.md models/by-hand/README.md)
for page in "${pages[@]}"; do
  # README.md and docs/start.md say once how programs are called by their names.
  PATH=/usr/bin:/bin
  case $page in docs/start.md) ;; README.md | docs/*) PATH=$build/app:$PATH ;; esac
  rm -rf mean # a page makes it anew
  while IFS=$'\t' read -r command wanted; do
    if why=$(skipped "$command"); then
      printf '# %s: not run (%s): %s\n' "$page" "$why" "$command"
      continue
    fi
    n_run=$((n_run + 1))
    if [[ $command == *make.sh* ]]; then
      # Some 20 seconds; its first checkpoint says that text, tokenizer and network were made.
      rm -rf learning-run
      bash -c "exec ${command%%#*}" >make.log 2>&1 </dev/null &
      for ((i = 0; i < 600; i++)); do
        [ ! -d learning-run/run/step-00000000 ] || break
        sleep 0.1
      done
      kill $! 2>/dev/null
      wait $! 2>/dev/null
      verdict "$page: $command" "$(status [ -d learning-run/run/step-00000000 ])" "$(<make.log)"
      continue
    fi
    if [[ $command == PATH=* ]]; then
      eval "$command"
      verdict "$page: $command" "$(command -v regard-train >/dev/null; echo $?)"
      continue
    fi
    model=$ROOT/models/en-de
    if [ -z "$wanted" ] && ! is_read_later "$command" "$page"; then
      case "$done" in *$'\n'"${command%%  #*}"$'\n'*) continue ;; esac
      done+=${command%%  #*}$'\n'
      model=$ROOT/tests/data/frozen/en-de
    fi
    found=$(REGARD_MODEL_DIR=$model eval "$command" 2>err.log </dev/null)
    verdict "$page: $command" $? "$(<err.log)"
    [ -z "$wanted" ] ||
      verdict "$page: … says what the page says" \
        "$(status [ "$found" = "$(printf '%b' "${wanted%\\n}")" ])" "found: $found"
  done < <(commands "$ROOT/$page")
done
verdict "there are commands to run" "$(status [ "$n_run" -gt 15 ])" "$n_run"

# The sentence that the README begins with, and what it says comes out.
first=$(sed -n 's|^    tools/run "\(.*\)".*|\1|p' "$ROOT/README.md" | head -1)
german=$(regard-cli translate <<<"$first")
verdict "the README says what becomes of \"$first\"" \
  "$([ -n "$first" ] && grep -qF "*$german*" "$ROOT/README.md"; echo $?)" "$german"

# What tools/run translates by itself where there is no display: it keeps its "not".
own=$(sed -n 's|^ *sentence=.*:-\(.*\)}$|\1|p' "$ROOT/tools/run")
german=$(regard-cli translate <<<"$own")
verdict "the sentence of tools/run comes out right: \"$own\"" \
  "$([[ $own == *" not "* && " $german" == *" nicht"[,.\ ]* ]]; echo $?)" "$german"
finish
