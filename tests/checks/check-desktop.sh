#!/bin/bash
# check-desktop.sh: desktop entry, AppStream data, settings schema and Flatpak manifest are what they have to be.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
id=io.github.regard.Regard

# As written, and as installed: in all languages.
built=${REGARD_BUILD_DIR:?the build}/assets
[ -e "$built/$id.desktop" ] || built=assets # a build without the window
for folder in assets "$built"; do
  of=${folder/"$REGARD_BUILD_DIR"*/all languages}
  if tool "desktop entry of $of" desktop-file-validate; then
    complaints=$(desktop-file-validate "$folder/$id.desktop" 2>&1)
    verdict "desktop entry of $of" $? "$complaints"
  fi
  if tool "AppStream metadata of $of" appstreamcli; then
    complaints=$(appstreamcli validate --no-net --explain "$folder/$id.metainfo.xml" 2>&1)
    verdict "AppStream metadata of $of" $? "$complaints"
  fi
done
mapfile -t views < <(sed -n 's/^ *V("[a-z]*", N_("\([A-Za-z ]*\)").*/\1/p' ui/views/regard-view.c)
verdict "there are views" "$(status [ "${#views[@]}" -gt 5 ])" "${views[*]}"
none "the AppStream metadata names every view" \
  "$(for view in "${views[@]}"; do
    grep -qF "<li>$view: " "assets/$id.metainfo.xml" || echo "$view"
  done)"
none "the AppStream metadata has what a catalogue asks for" \
  "$(for wanted in '<url type="homepage">' '<url type="bugtracker">' '<screenshot type="default">' \
    '<developer id='; do
    grep -qF "$wanted" "assets/$id.metainfo.xml" || echo "$wanted"
  done)"
if tool "settings schema" glib-compile-schemas; then
  complaints=$(glib-compile-schemas --strict --dry-run assets 2>&1)
  verdict "settings schema" $? "$complaints"
fi
if tool "kind of a session's file" update-mime-database; then
  mime=$(mktemp -d) || exit 1
  mkdir "$mime/packages"
  cp "$built/$id.xml" "$mime/packages"
  complaints=$(update-mime-database "$mime" 2>&1)
  verdict "kind of a session's file" \
    "$(grep -qF "application/x-regard-session:*.regard" "$mime/globs"; echo $?)" "$complaints"
  rm -rf "$mime"
fi
complaints=$(/usr/bin/python3 - "$id" 2>&1 <<'END'
import json, re, sys

manifest = json.load(open(f"assets/flatpak/{sys.argv[1]}.json", encoding="utf-8"))
assert manifest["id"] == sys.argv[1], "another id"
*libraries, own = manifest["modules"]
assert own["sources"][0]["type"] == "dir", "the last module is not the source tree"
assert len(libraries) > 3, "hardly any library"
for module in libraries:
    for source in module["sources"]:
        assert source["url"].startswith("https://"), f"{module['name']}: {source['url']}"
        assert re.fullmatch("[0-9a-f]{64}", source.get("sha256", "")), f"{module['name']}: no hash"
END
)
verdict "Flatpak manifest: its id, and a hash of every source" $? "$complaints"
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build | head -1)
verdict "one version everywhere ($version)" \
  "$(grep -qF "\"$version\"" engine/include/mt.h &&
    grep -qF "version=\"$version\"" "assets/$id.metainfo.xml" &&
    grep -qF "$version" CHANGELOG.md; echo $?)"
finish
