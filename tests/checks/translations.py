#!/usr/bin/env python3
"""translations.py REGARD-CLI: all that people read can be translated, and what is translated says the same.

SPDX-License-Identifier: GPL-3.0-or-later

It speaks TAP. With --write in the place of REGARD-CLI it writes the rows of po/POTFILES.in, and unmarked.txt: sources
with the number of their sentences that are not marked for gettext. A number there may only become smaller, and has to
when sentences are marked.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lib"))

import catalogue
import templates

UNMARKED = ROOT / "tests/checks/unmarked.txt"
# How many messages of a hundred are translated at least. These numbers may only rise, to 100 for Chinese and to 98
# for German and French; a language that is not named here may have as few as it likes.
LEAST = {
    "po": {"de": 98, "fr": 98, "zh_CN": 100},
    "po/texts": {"de": 98, "fr": 98, "zh_CN": 100},
}
DOMAINS = {"po": "regard", "po/texts": "regard-texts"}

# ---- Sources -----------------------------------------------------------------------------------

MARKS = {"_", "N_", "C_", "NC_", "ngettext", "g_dngettext", "g_dpgettext2"}
# What only programmers read.
INTERNAL = re.compile(r"g_(?:assert|warning|critical|error$|debug|message|log|return|test)|_?[Ss]tatic_assert|"
                      r"G_STATIC_ASSERT|g_param_spec")
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|[A-Za-z_]\w*|\s+|.""", re.DOTALL)
# Two words with a blank between, and perhaps a number or a name.
SENTENCE = re.compile(r"""[A-Za-z]{2,}[^A-Za-z"]{0,3} (?:[^A-Za-z]{0,6} )?[^A-Za-z ]?[a-z]{2,}""")
MARKED_UI = re.compile(r"<(?:property|attribute|item)(?: [^>]*)?>")
TEXT_UI = re.compile(r'<(?:property|attribute) name="(?:label|title|subtitle|text|tooltip-text|description|heading|'
                     r'placeholder-text)">[^<]*[A-Za-z]{2}')


def is_sentence(text):
    return SENTENCE.search(re.sub(catalogue.FORMAT, "%", text.replace("\\n", " ")))


def strings(text):
    """Every string of a source, its parts put together, with the calls that it is an argument of."""
    calls, last, run = [], "", None
    for token in TOKEN.findall(re.sub(r"^#\s*include.*$", "", text, flags=re.MULTILINE)) + [""]:
        if token.isspace() or token.startswith(("/*", "//", "\\")):
            continue
        if token.startswith('"'):
            run = (run or "") + token[1:-1]
            continue
        if run is not None and re.match(r"PRI|G_\w*FORMAT", token):
            continue
        if run is not None:
            yield run, calls
            run = None
        if token == "(":
            calls.append(last)
        elif token == ")" and calls:
            calls.pop()
        last = token


def sources():
    """C of window and pictures: commands speak English only, and so does the engine."""
    return [path for part in ("ui", "app") for path in sorted((ROOT / part).rglob("*.[ch]"))
            if not path.is_relative_to(ROOT / "app/cli") and not path.is_relative_to(ROOT / "app/train")]


def name_of(path):
    return str(path.relative_to(ROOT))


def count_unmarked():
    return {name_of(path): n for path in sources()
            if (n := sum(1 for text, calls in strings(path.read_text(encoding="utf-8"))
                         if is_sentence(text) and not any(call in MARKS or INTERNAL.match(call) for call in calls)))}


def write_unmarked(counts):
    head = f"# {sum(counts.values())} sentences that are not marked for gettext (translations.py --write).\n"
    rows = "".join(f"{n} {name}\n" for name, n in counts.items())
    UNMARKED.write_text(head + rows, encoding="utf-8")


def read_unmarked():
    rows = (line.split() for line in UNMARKED.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {name: int(n) for n, name in rows}


# What equations call something, with an underscore that is no key's.
SYMBOL = re.compile(r"\b(?:d_(?:k|v|model|ff)|[Wb]_[A-Z]+|[qkv]_\w)\b")

# ---- TAP ---------------------------------------------------------------------------------------

n_cases = 0


def none(what, wrong):
    """Passes if nothing is wrong."""
    global n_cases
    n_cases += 1
    print(f"{'not ok' if wrong else 'ok'} {n_cases} - {what}")
    for line in wrong:
        print(f"# {line}")


# ---- Checks ------------------------------------------------------------------------------------

def marked_files():
    """What there has to be in po/POTFILES.in."""
    marked = [name_of(path) for path in sources()
              if any(MARKS & set(calls) for _, calls in strings(path.read_text(encoding="utf-8")))]
    marked += [name_of(path) for path in (ROOT / "app").rglob("*.ui")
               if 'translatable="yes"' in path.read_text(encoding="utf-8")]
    return sorted(marked + [f"assets/io.github.regard.Regard.{ending}"
                            for ending in ("desktop", "gschema.xml", "metainfo.xml", "xml")])


def write_listed():
    path = ROOT / "po/POTFILES.in"
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    path.write_text("\n".join(head + marked_files()) + "\n", encoding="utf-8")


def check_sources():
    listed, marked = templates.sources(), marked_files()
    ui = sorted((ROOT / "app").rglob("*.ui"))
    none("there are sources with text", [] if len(marked) > 100 else [len(marked)])
    none("every source with text for people is in po/POTFILES.in (translations.py --write)", sorted(set(marked) - set(listed)))
    none("every row of po/POTFILES.in is a file with text for people", sorted(set(listed) - set(marked)))
    none("po/POTFILES.in is in order", [] if listed == sorted(listed) else ["sort it"])
    none("every text of a file .ui can be translated",
         [f"{name_of(path)}: {found}" for path in ui for found in TEXT_UI.findall(path.read_text(encoding="utf-8"))])
    now, before = count_unmarked(), read_unmarked()
    none("no sentence is added that is not marked",
         [f"{name}: {n}, there were {before.get(name, 0)}" for name, n in now.items() if n > before.get(name, 0)])
    none("tests/checks/unmarked.txt is of today (translations.py --write)",
         [f"{name}: {now.get(name, 0)} of {n}" for name, n in before.items() if now.get(name, 0) < n])


def kept(text, is_prose):
    """What of a text stands in every translation of it."""
    found = Counter(re.findall("|".join((catalogue.NAME, catalogue.TAG, catalogue.TARGET)), text))
    if is_prose:
        found += Counter(re.findall(catalogue.CODE, text))
    else:
        found["_"] = SYMBOL.sub("", text).count("_")  # the letter of a key
    return found


def check_language(folder, name, template):
    path = ROOT / folder / f"{name}.po"
    said = subprocess.run(["msgfmt", "--check", "--output-file=/dev/null", str(path)], capture_output=True, check=False,
                          encoding="utf-8")
    none(f"{folder}/{name}.po: msgfmt --check", said.stderr.splitlines() if said.returncode else [])
    translated = {(message.context, message.id): message for message in catalogue.read(path) if message.is_translated}
    wrong = []
    for message in translated.values():
        if message.context == "code of this language":  # zh_CN has no key
            continue
        originals = [kept(text, folder != "po") for text in (message.id, message.plural) if text]
        wrong += [f"“{message.id}” is “{text}”" for text in message.strings
                  if kept(text, folder != "po") not in originals]
    none(f"{folder}/{name}.po: keys, names in braces, markup and code are kept", wrong)
    share = 100 * sum((message.context, message.id) in translated for message in template) / len(template)
    least = LEAST[folder].get(name, 0)
    none(f"{folder}/{name}.po: at least {least} of 100 are translated", [] if share >= least else [f"{share:.1f}"])


def check_catalogues(cli):
    with tempfile.TemporaryDirectory() as scratch:
        said = subprocess.run([sys.executable, str(ROOT / "tools/lib/templates.py"), scratch, cli], capture_output=True,
                              check=True, encoding="utf-8")
        # Of "%" G_GSIZE_FORMAT it takes the beginning for the whole.
        none("xgettext takes every message whole (%zu and PRId64, no other macro)", said.stderr.splitlines())
        languages = [line for line in (ROOT / "po/LINGUAS").read_text(encoding="utf-8").splitlines()
                     if not line.startswith("#")]
        for folder, domain in DOMAINS.items():
            none(f"{folder}: every language of LINGUAS, and no other",
                 sorted(set(languages) ^ {path.stem for path in (ROOT / folder).glob("*.po")}))
            template = catalogue.read(Path(scratch) / f"{domain}.pot")
            none(f"{domain} has a template", [] if len(template) > 500 else [len(template)])
            none(f"{domain}: a percentage is no format (xgettext:no-c-format)",
                 [message.id for message in template if "c-format" in message.flags
                  and re.search("% [a-zA-Z]", message.id.replace("%%", ""))])
            for name in languages:
                check_language(folder, name, template)


if sys.argv[1:] == ["--write"]:
    write_unmarked(count_unmarked())
    write_listed()
else:
    check_sources()
    check_catalogues(sys.argv[1])
    print(f"1..{n_cases}")
