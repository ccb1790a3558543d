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

# Else a figure that is in English says some of it in the language of the window.
mapfile -t spoken < <(printf '%s\n' "${ui[@]}" | grep -vE '^ui/(figures/regard-language\.[ch]|pch/window\.h)$')
none "the words of ui go by its language scopes" \
  "$(grep -nE 'glib/gi18n\.h|libintl\.h|\b(g_d?p?gettext2?|g_dn?gettext|d?c?gettext|(use|set)locale) *\(' "${spoken[@]}")"

# The window runs analyses, through the one runner. What makes a model compute is found in the headers:
# whatever takes hooks, a session or a model to be opened, reports progress or asks whether to stop. The
# window calls it in tasks only, which are in these files; pictures compute where a task makes them, and
# what does so is found in their headers likewise.
tasks='ui/runner/regard-(runner|analysis)\.c|app/document/regard-(translator|comparer|batch)\.c'
tasks+='|app/export/regard-(animation-job|export-job|sheet-again)\.c|app/talk/regard-talk-ahead\.c|app/models/regard-model-loader\.c'
tasks+='|app/measure/[^/]*\.c|app/learn/regard-(measures|lesson-task)\.c'
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
    grep -cxE 'mt_(model_open|session_translate|session_capture|trace_new|permutation_translate)|regard_layers_new')" = 6 ])"
none "the window computes in tasks of the runner only" \
  "$(grep -nE "\b($calls) *\(" "${window[@]}" | grep -vE "^($tasks):")"

# A folder may lie on another machine, and one goes on typing: the window reads in tasks, which are in
# these files. What a person names on the command line or in a file chooser is looked at where it is
# named, and so is the folder of the training that is installed with the program.
reading='app/(base|learn|measure|models)/[^:]*|app/document/regard-(opened-file|folder-tasks|session|file-kinds)\.c'
reading+='|ui/(runner/regard-analysis|formats/[^:]*|views/measure/regard-pane-alignment)\.c'
reading+='|app/export/regard-(capture-meta|animation-job)\.c|app/manual\.c'
named='app/window/regard-(application|window-session)\.c|app/export/regard-export-job\.c|app/document/regard-training\.c'
reads='g_file_test|g_dir_open|g_file_(query|load|read|get_contents)[a-z_]*|fopen|f?stat|mt_means_find|mt_corpus_open'
reads+='|mt_capture_read_npz|mt_file_read_whole|mt_gold_read|regard_capture_file_recognises|regard_corpus_(open|find_beside)'
reads+='|regard_session_(read|write)|regard_model_(path|hash|info_new|list_scan|list_resolve|identity_[a-z]+)|regard_training_steps'
none "the window reads files in tasks only" \
  "$(grep -nE "\b($reads) *\(" "${window[@]}" | grep -vE "^($reading|$named):")"
none "the window makes no thread but those of the runner" \
  "$(grep -nE '\b(g_task_(new|run)|g_thread_(new|try_new|pool_new)|pthread_create|thrd_create)[a-z_]* *\(' \
    "${window[@]}" ui/figures/*.c | grep -v '^ui/runner/regard-runner\.c:')"

# The folders of each part, and which folders a folder may include; itself always. Headers are named with
# their folder everywhere, so that an arrow stands in the line that makes it.
folders() # PART, then lines of FOLDER FOLDER-IT-MAY-INCLUDE...
{
  local part=$1 folder allowed wrong='' listed=''
  while read -r folder allowed; do
    [ -n "$folder" ] || continue
    listed+=" $folder"
    wrong+=${wrong:+$'\n'}$(grep -rnE '^[[:space:]]*#[[:space:]]*include "[^"]*"' "$part/$folder" |
      grep -vE "include \"((${folder}${allowed:+|${allowed// /|}})/[^\"]*|mt(-train)?\.h|mt/(train/)?[^/\"]*|regard-config\.h|regard-page-resources\.h)\"")
  done
  none "the folders of $part include only what is below them" "$wrong"
  none "every folder of $part has its row" \
    "$(for d in "$part"/*/; do
      d=${d%/}
      [[ " $listed include " == *" ${d##*/} "* ]] || echo "$d"
    done)"
}
folders engine <<'FOLDERS'
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
FOLDERS
folders ui <<'FOLDERS'
pch
figures
colormaps figures
formats figures
runner figures
widgets figures runner
views figures runner widgets
FOLDERS
folders app <<'FOLDERS'
base runner
models base runner figures
document base models widgets runner figures
measure base figures
learn base models document widgets runner formats figures
talk base document learn widgets runner formats figures
parts base models document widgets figures
export base models document parts views widgets runner formats figures
window base models document measure learn talk parts export views widgets runner formats figures
cli base models document measure learn talk export formats figures
train base models cli figures
FOLDERS

# The document composes its parts, and nothing else does: a part knows neither the document nor, but
# for what its row names, another part.
parts() # lines of PART PART-IT-MAY-INCLUDE...
{
  local part allowed wrong='' listed=' document '
  while read -r part allowed; do
    listed+="$part "
    wrong+=${wrong:+$'\n'}$(grep -nE '^[[:space:]]*#[[:space:]]*include "document/' app/document/regard-"$part".[ch] |
      grep -vE "\"document/regard-($part${allowed:+|${allowed// /|}})\.h\"")
  done
  none "parts of the document know neither it nor each other" "$wrong"
  none "every file of the document has its row" \
    "$(for f in app/document/*.c; do
      f=${f##*/regard-}
      [[ $listed == *" ${f%.c} "* ]] || echo "$f"
    done)"
}
parts <<'PARTS'
batch
file-kinds
folder-tasks file-kinds
sentences
result sentences
snapshot result
session snapshot
history
overrides
training
translator result sentences
model-slot translator
comparer snapshot result sentences translator
opened-file session snapshot file-kinds
PARTS
none "no two classes of app, and none of the engine, include each other" \
  "$(/usr/bin/python3 tests/checks/circles.py app; /usr/bin/python3 tests/checks/circles.py engine)"

none "the command lines include no GTK" "$(includes '(gtk|gdk/|adwaita)' "${cli[@]}")"

verdict "docs/folders.svg is the picture of these rows (tools/lib/draw-folders.py draws it)" \
  "$(/usr/bin/python3 tools/lib/draw-folders.py --check; echo $?)"

# Each foreign library behind one file, so that replacing it touches one file.
only() # NAME PATTERN ALLOWED-FILE
{
  none "$1 is included by $3 only" "$(includes "$2" "${engine[@]}" | grep -v "^$3:")"
}
# One file of the engine, one of the trainer, which needs products that the engine does not.
only cblas 'cblas\.h' 'engine/\(base/mt-pool\|kernels/mt-ops\|train/mt-product\).c'
only Jansson 'jansson' engine/files/mt-json.c
only libyaml 'yaml\.h' engine/files/mt-yaml.c
# One file reads its models, the other trains them.
only SentencePiece 'sentencepiece_' 'engine/\(train/mt-sentencepiece-train\|text/mt-sentencepiece\).cc'
only SQLite 'sqlite3\.h' engine/corpus/mt-db.c
# One file adds up, the other inflates.
only zlib 'zlib\.h' 'engine/\(files/mt-sums\|train/mt-zlib\).c'
only liblzma 'lzma\.h' engine/train/mt-xz.c
only libzip 'zip\.h' engine/files/mt-zip.c
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
none "libpng is included by ui/formats/regard-export-pictures.c only" \
  "$(includes 'png\.h' "${engine[@]}" "${ui[@]}" "${app[@]}" "${cli[@]}" |
    grep -v '^ui/formats/regard-export-pictures.c:')"
none "ICU is included by app/models/regard-language.c only" \
  "$(includes 'unicode/' "${engine[@]}" "${ui[@]}" "${app[@]}" "${cli[@]}" |
    grep -v '^app/models/regard-language.c:')"
finish
