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
  "$(status [ $((${#engine[@]} > 5 && ${#ui[@]} > 5 && ${#app[@]} > 5 && ${#cli[@]} > 2)) = 1 ])"
none "the engine includes no GLib, GTK, cairo or Pango" \
  "$(includes '(glib|gio|gtk|gdk|adwaita|cairo|pango|gobject|regard-)' "${engine[@]}")"
none "the engine does not print, exit or read the environment" \
  "$(grep -nE '\b(printf|fprintf|puts|fputs|perror|exit|_exit|abort|getenv|secure_getenv)[[:space:]]*\(' \
    "${engine[@]}" | grep -vE ':[[:space:]]*(\*|//|/\*)' | grep -v '^engine/include/mt.h:')"
none "ui includes nothing of app" \
  "$(includes '(base|document|export|measure|models|parts|window|cli|train)/' "${ui[@]}" |
    grep -v '^ui/[^:]*:[0-9]*:#include "base/mt-')"

# The window runs analyses, through the one runner. What makes a model compute is found in the headers:
# whatever takes hooks, a session or a model to be opened, reports progress or asks whether to stop. The
# window calls it in tasks only, which are in these files; pictures compute where a task makes them, and
# what does so is found in their headers likewise.
tasks='ui/runner/regard-(runner|analysis-[a-z]+)\.c|app/document/regard-(translator|comparison|batch)\.c'
tasks+='|app/export/regard-export-job\.c|app/models/regard-model-loader\.c|app/measure/[^/]*\.c'
takes='const mt_hooks \*|mt_session \*|mt_load_options \*|\(\*should_stop\)|\(\*on_progress\)'
computing() # HEADER...: names of functions
{
  cat "$@" | tr '\n' ' ' | sed -E 's|/\*([^*]\|\*+[^*/])*\*+/||g' | tr ';{}' '\n' |
    grep -E "$takes" | grep -oE '\b(mt|regard)_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u |
    grep -vE '^mt_session_(free|model)$'
}
mapfile -t computing < <(computing engine/include/mt.h engine/include/mt/*.h ui/figures/*.h)
calls=$(IFS='|' && echo "${computing[*]}")
mapfile -t window < <(printf '%s\n' "${ui[@]}" "${app[@]}" |
  grep -vE '^(app/(cli|train)|ui/figures)/|\.h$')
verdict "what makes a model compute is found in the headers" \
  "$(status [ "$(printf '%s\n' "${computing[@]}" |
    grep -cxE 'mt_(model_open|session_translate|session_capture|trace_new|order_translate)|regard_layers_new')" = 6 ])"
none "the window computes in tasks of the runner only" \
  "$(grep -nE "\b($calls) *\(" "${window[@]}" | grep -vE "^($tasks):")"
none "the window makes no thread but those of the runner" \
  "$(grep -nE '\b(g_task_(new|run)|g_thread_(new|try_new|pool_new)|pthread_create|thrd_create)[a-z_]* *\(' \
    "${window[@]}" ui/figures/*.c | grep -v '^ui/runner/regard-runner\.c:')"

# The rooms of each part, and which rooms a room may include; itself always. Headers are named with
# their room everywhere, so that an arrow stands in the line that makes it.
rooms() # PART, then lines of ROOM ROOM-IT-MAY-INCLUDE...
{
  local part=$1 room allowed wrong='' listed=''
  while read -r room allowed; do
    [ -n "$room" ] || continue
    listed+=" $room"
    wrong+=${wrong:+$'\n'}$(grep -rnE '^[[:space:]]*#[[:space:]]*include "[^"]*"' "$part/$room" |
      grep -vE "include \"((${room}${allowed:+|${allowed// /|}})/[^\"]*|mt(-train)?\.h|mt/(train/)?[^/\"]*|regard-config\.h)\"")
  done
  none "the rooms of $part include only what is below them" "$wrong"
  none "every room of $part has its row" \
    "$(for d in "$part"/*/; do
      d=${d%/}
      [[ " $listed include " == *" ${d##*/} "* ]] || echo "$d"
    done)"
}
rooms engine <<'ROOMS'
base
files base
checkpoint base files
text base files
kernels base
model base files checkpoint text kernels
capture base files text
paper base kernels model
search base files kernels
explain base kernels model
session base text kernels model capture paper search
corpus base files
attribution base files text kernels model paper explain session
alignment base files text model explain session
train base files checkpoint text model
ROOMS
rooms ui <<'ROOMS'
pch
figures
colormaps figures
formats figures
runner figures
widgets figures runner
views figures runner widgets
ROOMS
rooms app <<'ROOMS'
base
models base runner
document base models widgets runner figures
measure base figures
parts base models document widgets figures
export base models document parts views widgets runner formats figures
window base models document measure parts export views widgets runner formats figures
cli base models document measure export formats figures
train base models cli figures
ROOMS
none "the command lines include no GTK" "$(includes '(gtk|gdk/|adwaita)' "${cli[@]}")"

verdict "docs/rooms.svg is the picture of these rows (tools/lib/draw-rooms.py draws it)" \
  "$(/usr/bin/python3 tools/lib/draw-rooms.py --check; echo $?)"

# Each foreign library behind one file, so that replacing it touches one file.
only() # NAME PATTERN ALLOWED-FILE
{
  none "$1 is included by $3 only" "$(includes "$2" "${engine[@]}" | grep -v "^$3:")"
}
# One file of the engine, one of the trainer, which needs products that the engine does not.
only cblas 'cblas\.h' 'engine/\(kernels/mt-ops\|train/mt-product\).c'
# One file reads with it, the other writes.
only Jansson 'jansson' 'engine/files/mt-json\(-write\)\?.c'
only libyaml 'yaml\.h' engine/files/mt-yaml.c
# One file reads its models, the other trains them.
only SentencePiece 'sentencepiece_' 'engine/\(train/mt-sentencepiece-train\|text/mt-sentencepiece\).cc'
only SQLite 'sqlite3\.h' engine/corpus/mt-db.c
# One file adds up, the other inflates.
only zlib 'zlib\.h' 'engine/\(files/mt-sums\|train/mt-zlib\).c'
only liblzma 'lzma\.h' engine/train/mt-xz.c
# One file writes archives, the other reads them.
only libzip 'zip\.h' 'engine/files/mt-zip\(-write\)\?.c'
# Jansson and json-c each have these two, and one program links both. The engine sees to it that it
# gets its own (mt-json.c); who calls them elsewhere gets those of the library that is linked first.
none "json-c's json_object_get and json_object_iter_next are not called" \
  "$(grep -nE '\bjson_object_(get|iter_next)[[:space:]]*\(' "${ui[@]}" "${app[@]}" "${cli[@]}")"
none "json-c is for ui and app only" "$(includes '(json-c/|json\.h)' "${engine[@]}")"
# A help text of regard-train shows a configuration.
none "nobody writes JSON by hand" \
  "$(grep -nE '\\"[a-z_%]+\\" ?:' "${engine[@]}" "${ui[@]}" "${app[@]}" |
    grep -v '^app/train/train-fit.c:')"
none "archives are read by the engine only" "$(includes 'zip\.h' "${ui[@]}" "${app[@]}" "${cli[@]}")"
none "libpng is included by ui/formats/regard-png.c only" \
  "$(includes 'png\.h' "${engine[@]}" "${ui[@]}" "${app[@]}" "${cli[@]}" |
    grep -v '^ui/formats/regard-png.c:')"
none "ICU is included by app/models/regard-language.c only" \
  "$(includes 'unicode/' "${engine[@]}" "${ui[@]}" "${app[@]}" "${cli[@]}" |
    grep -v '^app/models/regard-language.c:')"
finish
