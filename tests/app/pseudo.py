#!/usr/bin/env python3
"""pseudo.py STAMP DEPFILE REGARD-CLI: catalogues of languages that nobody speaks, to test with.

SPDX-License-Identifier: GPL-3.0-or-later

Beside STAMP it makes a folder "locale" as REGARD_LOCALE_DIR has it. In `en@pseudo` every text is in brackets, longer
by two fifths and accented, so that what is not translated, what has no room and what is put together from pieces are
seen at a glance: ⟦Öné héädöö⟧. `he@pseudo` says the same in Hebrew letters, for a window that is read from right to
left. Conversions, names in braces, markup, code and the letters of keys stay as they are.

Locales for both lie there too (LOCPATH), since gettext translates nothing in the locale C: they are C.UTF-8 by
another name.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lib"))

import catalogue
import templates

KEPT = re.compile("|".join(
    (catalogue.FORMAT, catalogue.NAME, catalogue.TAG, catalogue.ENTITY, catalogue.CODE, catalogue.TARGET, r"_\w|\s")))
LETTERS = {
    "en@pseudo": str.maketrans("AEIOUYaeiouycnsz", "ÄÉÎÖÛÝäéîöûýçñšž"),
    "he@pseudo": str.maketrans("abcdefghijklmnopqrstuvwxyz" "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                               "אבגדהופצחיכלמנעפקרסתטשזחיצ" * 2),
}
LOCALES = {"en@pseudo": "en_XX.UTF-8", "he@pseudo": "he_XX.UTF-8"}
WORDS = "one two three four five six seven eight nine ten eleven twelve"
SYSTEM_LOCALES = ["/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"]


def say(text, language):
    """Longer by two fifths, the brackets among them."""
    letters = LETTERS[language]
    begin = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    if begin >= end:
        return text
    body, said, at = text[begin:end], "", 0
    for kept in KEPT.finditer(body):
        said += body[at:kept.start()].translate(letters) + kept[0]
        at = kept.end()
    said += body[at:].translate(letters)
    n_more = max(0, (2 * len(body) + 4) // 5 - 2)
    # A word becomes a longer word, a sentence has more words.
    more = (" " + (WORDS + " ") * (n_more // len(WORDS) + 1))[:n_more].rstrip() if n_more > 4 else "o" * n_more
    return f"{text[:begin]}⟦{said}{more.translate(letters)}⟧{text[end:]}"


def write(template, language, path):
    """The catalogue of a template; singular and plural as English has them."""
    head = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"
    out = ['msgid ""', f"msgstr {catalogue.quote(head)}", ""]
    for message in catalogue.read(template):
        if message.context:
            out.append(f"msgctxt {catalogue.quote(message.context)}")
        out.append(f"msgid {catalogue.quote(message.id)}")
        if message.plural:
            out.append(f"msgid_plural {catalogue.quote(message.plural)}")
            out.append(f"msgstr[0] {catalogue.quote(say(message.id, language))}")
            out.append(f"msgstr[1] {catalogue.quote(say(message.plural, language))}")
        else:
            out.append(f"msgstr {catalogue.quote(say(message.id, language))}")
        out.append("")
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["msgfmt", "--check-format", f"--output-file={path}", "-"], input="\n".join(out), encoding="utf-8",
                   check=True)


def main(stamp, depfile, cli):
    folder = stamp.parent / "locale"
    templates.main(folder, cli)
    system = next((place for place in SYSTEM_LOCALES if Path(place).is_dir()), None)
    for language in LETTERS:
        for domain in ("regard", "regard-texts"):
            write(folder / f"{domain}.pot", language, folder / language / "LC_MESSAGES" / f"{domain}.mo")
        place = folder / LOCALES[language]
        if system and not place.is_symlink():
            place.symlink_to(system)
    depfile.write_text(f"{stamp.name}: " + " ".join(
        str(path).replace(" ", "\\ ")
        for path in [ROOT / name for name in [*templates.sources(), "po/POTFILES.in", "tools/lib/templates.py",
                                              "tools/lib/catalogue.py", *(f"assets/{name}" for name in templates.KEYS)]]
        + sorted((ROOT / "assets/lessons").glob("*.lesson.md"))) + "\n", encoding="utf-8")
    stamp.write_text("", encoding="utf-8")


main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), str(Path(sys.argv[3]).resolve()))
