#!/usr/bin/env python3
"""keys.py: the keys of the window, from assets/keys.tsv into the three places that list them.

SPDX-License-Identifier: GPL-3.0-or-later

Without arguments it says what differs, and which keys of the program the table lacks, as test results
(TAP); with --write it puts the table into docs/keys.md, assets/regard.1 and app/window/help-overlay.ui, and into
the manual pages of other languages, with the words that the window has for them.
"""

import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lib"))

import catalogue
TABLE = ROOT / "assets/keys.tsv"
MOST = 40  # characters of what a key does

# Names on keys, and what GDK calls them.
GDK = {
    "Ctrl": "<Control>", "Shift": "<Shift>", "Alt": "<Alt>",
    "Page Up": "Page_Up", "Page Down": "Page_Down", "Enter": "Return", "Backspace": "BackSpace",
    "Space": "space", "[": "bracketleft", "]": "bracketright", "/": "slash",
    "question mark": "question", "period": "period",
}
# Keys that need no line: what every program does with them, the number pad, a capital letter, a plus
# that is typed without Shift, and what ends the display of a file by typing again.
UNSAID = {"Tab", "ISO_Left_Tab", "Insert", "equal", "v", "C", "M", "X", "L"}


def read_table():
    groups = {}
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 3 or not all(columns):
            sys.exit(f"{TABLE.name}:{number}: expected group, keys and text with tabs between")
        if len(columns[2]) > MOST:
            sys.exit(f"{TABLE.name}:{number}: '{columns[2]}' is longer than {MOST} characters")
        groups.setdefault(columns[0], []).append((columns[1], columns[2]))
    return groups


def gdk_key(key):
    """Ctrl+Shift+Page Up -> <Control><Shift>Page_Up"""
    *modifiers, name = [key] if len(key) == 1 else key.split("+")
    name = GDK.get(name, name.lower() if len(name) == 1 else name)
    return "".join(GDK[m] for m in modifiers) + name


def gdk_keys(keys):
    if " … " in keys:
        first, last = keys.split(" … ")
        return gdk_key(first) + "..." + last.split("+")[-1]
    return " ".join(gdk_key(key) for key in keys.split(", "))


def all_keys(groups):
    """What GDK calls each, single ones for a range."""
    found = set()
    for rows in groups.values():
        for keys, _ in rows:
            for key in gdk_keys(keys).split(" "):
                between = re.fullmatch(r"(.*)(\d)\.\.\.(\d)", key)
                if between:
                    first, last = int(between[2]), int(between[3])
                    found |= {between[1] + str(n) for n in range(first, last + 1)}
                else:
                    found.add(key)
    return found


# ---- The three places ----------------------------------------------------------------------------


def for_handbook(groups):
    out = ["| key | |", "|---|---|"]
    for group, rows in groups.items():
        out.append(f"| **{group}** | |")
        out += [f"| {keys} | {text} |" for keys, text in rows]
    return "\n".join(out) + "\n"


def for_manual(groups, words=str, to=" to ", behind=(
        "Letters, digits and signs act where a picture has the keyboard; in a text they are typed.",
        "Alt+1 to Alt+7, F5 and a session put the keyboard into the picture.",
        "What a letter has changed is said for three seconds, with a way back.")):
    out = []
    for group, rows in groups.items():
        out += [f".Ss {words(group)}", '.Bl -tag -width "Page Up, Page Down" -compact']
        for keys, text in rows:
            keys = re.sub(r"([][])", r"\\&\1", keys.replace(" … ", to))
            out += [f".It {keys}", words(text)]
        out.append(".El")
    return "\n".join([*out, ".Pp", *behind]) + "\n"


def for_chinese_manual(groups):
    known = {m.id: m.strings[0] for m in catalogue.read(ROOT / "po/zh_CN.po") if m.is_translated and not m.context}
    return for_manual(groups, lambda text: known.get(text, text), " 至 ", (
        "键盘焦点在图上时，字母、数字和符号键才起作用；在文本中则是输入文字。Alt+1 至 Alt+7、F5 和打开会话会把键盘焦点移到图上。"
        "按字母键所作的改动会提示三秒，并可撤消。",))


def for_window(groups):
    out = []
    for group, rows in groups.items():
        out += ["        <child>", '          <object class="GtkShortcutsGroup">',
                f'            <property name="title" translatable="yes">{escape(group)}</property>']
        for keys, text in rows:
            out.append('            <child><object class="GtkShortcutsShortcut">'
                       f'<property name="title" translatable="yes">{escape(text)}</property>'
                       f'<property name="accelerator">{escape(gdk_keys(keys))}</property>'
                       "</object></child>")
        out += ["          </object>", "        </child>"]
    return "\n".join(out) + "\n"


# File, what stands before and behind, what stands between.
PLACES = [
    ("docs/keys.md", r"<!-- assets/keys\.tsv: -->\n", r"<!-- :assets/keys\.tsv -->\n", for_handbook),
    ("assets/regard.1", r"\.Sh KEYS\n", r"\.Sh PRECISION\n", for_manual),
    ("assets/regard.zh_CN.1", r"\.Sh 按键\n", r"\.Sh 精度\n", for_chinese_manual),
    ("app/window/help-overlay.ui", r"(?=        <child>\n          <object class=\"GtkShortcutsGroup)",
     r"(?<=          </object>\n        </child>\n)(?!        <child>)", for_window),
]


def put(text, place, groups):
    name, before, behind, make = place
    found = re.fullmatch(f"(.*?{before})(.*)({behind}.*)", text, re.DOTALL)
    if not found:
        sys.exit(f"{name}: expected {before!r} and {behind!r} around the keys")
    return found[1] + make(groups) + found[3]


# ---- What the program has ------------------------------------------------------------------------


def missing_keys(groups):
    known = all_keys(groups)
    bare = {re.sub(r"<\w+>", "", key) for key in known}
    application = (ROOT / "app/window/regard-application.c").read_text(encoding="utf-8")
    table = re.search(r"\} accels\[\] = \{(.*?)\n\};", application, re.DOTALL)[1]
    accels = set()
    for row in re.findall(r'\{"[^"]*", \{([^}]*)\}\}', table):
        accels |= set(re.findall(r'"([^"]+)"', row))
    missing = {accel for accel in accels if accel not in known}
    for folder in ("ui", "app"):
        for path in sorted((ROOT / folder).rglob("*.c")):
            for key in re.findall(r"\bGDK_KEY_(\w+)", path.read_text(encoding="utf-8")):
                if key not in UNSAID and not key.startswith("KP_") and key not in bare:
                    missing.add(f"{key} of {path.relative_to(ROOT)}")
    return sorted(missing), len(accels)


def main():
    groups = read_table()
    n = 0

    def verdict(is_good, name):
        nonlocal n
        n += 1
        print(f"{'ok' if is_good else 'not ok'} {n} - {name}")

    for place in PLACES:
        path = ROOT / place[0]
        text = path.read_text(encoding="utf-8")
        wanted = put(text, place, groups)
        if sys.argv[1:] == ["--write"]:
            path.write_text(wanted, encoding="utf-8")
        else:
            verdict(text == wanted, f"{place[0]} has the keys of assets/keys.tsv "
                                    "(else: tests/checks/keys.py --write)")
    if sys.argv[1:] == ["--write"]:
        return
    missing, n_accels = missing_keys(groups)
    verdict(n_accels > 20, "the program has keys for its actions")
    verdict(not missing, "assets/keys.tsv has every key of the program")
    for key in missing:
        print(f"# {key}")
    print(f"1..{n}")


main()
