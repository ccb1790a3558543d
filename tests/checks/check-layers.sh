#!/bin/bash
# check-layers.sh: dependencies point one way: app → ui → engine, and the engine stands alone.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

mapfile -t engine < <(find engine -name '*.[ch]' -o -name '*.cc' | sort)
mapfile -t ui < <(find ui -name '*.[ch]' | sort)
mapfile -t app < <(find app -name '*.[ch]' | sort)
mapfile -t cli < <(find app/cli app/train -name '*.[ch]' | sort)

includes() # PATTERN FILE...
{
  local pattern=$1
  shift
  grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" "$@"
}

verdict "all four parts have sources" \
  "$([ ${#engine[@]} -gt 5 ] && [ ${#ui[@]} -gt 5 ] && [ ${#app[@]} -gt 5 ] &&
    [ ${#cli[@]} -gt 2 ]; echo $?)"
none "the engine includes no GLib, GTK, cairo or Pango" \
  "$(includes '(glib|gio|gtk|gdk|adwaita|cairo|pango|gobject|regard-)' "${engine[@]}")"
none "the engine does not print, exit or read the environment" \
  "$(grep -nE '\b(printf|fprintf|puts|fputs|perror|exit|_exit|abort|getenv|secure_getenv)[[:space:]]*\(' \
    "${engine[@]}" | grep -vE ':[[:space:]]*(\*|//|/\*)' | grep -v '^engine/include/mt.h:')"
none "ui includes nothing of app" \
  "$(for f in app/*.h; do includes "${f##*/}\"" "${ui[@]}"; done)"
none "ui loads no model and translates nothing" \
  "$(grep -nE '\bmt_(model_open|session_(new|translate|score|capture))[[:space:]]*\(' "${ui[@]}")"
none "the engine includes nothing of training" \
  "$(for f in engine/train/*.h; do includes "${f##*/}\"" engine/*.[ch]; done)"
none "the command lines include no GTK" "$(includes '(gtk|gdk/|adwaita)' "${cli[@]}")"

# Each foreign library behind one file, so that replacing it touches one file.
only() # NAME PATTERN ALLOWED-FILE
{
  none "$1 is included by $3 only" "$(includes "$2" "${engine[@]}" | grep -v "^$3:")"
}
# One file of the engine, one of the trainer, which needs products that the engine does not.
only cblas 'cblas\.h' 'engine/\(mt-ops\|train/mt-product\).c'
only Jansson 'jansson' engine/mt-json.c
only libyaml 'yaml\.h' engine/mt-yaml.c
# One file reads its models, the other trains them.
only SentencePiece 'sentencepiece_' 'engine/\(train/mt-sentencepiece-train\|mt-sentencepiece\).cc'
only zlib 'zlib\.h' engine/train/mt-zlib.c
only liblzma 'lzma\.h' engine/train/mt-xz.c
# One file writes archives, the other reads them.
only libzip 'zip\.h' 'engine/mt-\(npz\|zip\).c'
none "ICU is included by app/regard-language.c only" \
  "$(includes 'unicode/' "${engine[@]}" "${ui[@]}" "${app[@]}" "${cli[@]}" |
    grep -v '^app/regard-language.c:')"
finish
