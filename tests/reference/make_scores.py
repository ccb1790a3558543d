"""tests/data/scores.json: small sets of translations and what sacreBLEU says of them.

    make_scores.py

Every set is there for something that tokenisation, smoothing or counting can get wrong. Besides the
sets written here, some are made at random from pieces that are hard to tell apart.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import random

from sacrebleu.metrics import BLEU, CHRF

GERMAN = [
    ("Ich habe zwei Hunde.", "Ich habe zwei Hunde."),
    ("Der Junge ist in den Garten gelaufen und hat die Tür geschlossen.",
     "Der Junge lief in den Garten und schloss die Tür."),
    ("Das Übermaß an Straßen stört die Anwohner sehr.",
     "Die Anwohner stört das Übermaß an Straßen."),
    ("Sie sagte: „Komm, wir gehen nach Hause!“", "„Komm, lass uns nach Hause gehen“, sagte sie."),
    ("Können Sie mir sagen, wie spät es ist?", "Könnten Sie mir bitte sagen, wie spät es ist?"),
    ("Tom will nicht, dass Maria das weiß.", "Tom möchte nicht, dass Maria davon weiß."),
    ("Die Donaudampfschifffahrtsgesellschaft stellt neue Kapitäne ein.",
     "Die Donaudampfschiffahrtsgesellschaft sucht neue Kapitäne."),
    ("Es regnet seit drei Tagen, und der Fluss steigt.",
     "Seit drei Tagen regnet es und der Fluss steigt."),
]
PUNCTUATION = [
    ("Really?! \"Yes\"... (no) [maybe] {so}", "Really ?! \"Yes\" ... (no) [maybe] {so} !"),
    ("e-mail, well-known: C++/C# & co.; 100% @home", "e-mail; well-known: C++ / C# and co., 100 % @home"),
    ("It's John's -- isn't it? 'quoted' `code`", "It's Johns - is n't it? 'quoted' `code`"),
    ("a,b.c,.d ..e ,,f. .", "a, b.c ,. d .. e ,, f . ."),
    ("x*y=z^2 <b>bold</b> $5 ~7 | 8 \\ 9", "x * y = z^2 <b> bold </b> $ 5 ~7|8 \\9"),
]
NUMBERS = [
    ("1,234.56 and 3.14159, or 2.", "1,234.56 and 3.1416, or 2 ."),
    ("On 2014-07-05 at 10:30-11:45, pp. 5-7.", "On 2014 - 07-05 at 10:30 - 11:45, pp. 5 -7."),
    (".5 5. ,5 5, 1.000.000,00 -3 3- 3-a a-3", "0.5 5 . ,5 5, 1.000.000,00 - 3 3 - 3 - a a-3"),
    ("Version 2.6.0 costs 9.99,- euros.", "Version 2.6.0 costs 9,99 euros."),
]
CHINESE = [
    ("我有两只狗。", "我有两条狗。"),
    ("他说：“今天天气很好，我们去公园吧！”", "他说：“今天天气不错，咱们去公园吧。”"),
    ("2014年7月5日，他在北京买了3.5公斤苹果。", "2014年7月5日他在北京买了3.5公斤的苹果。"),
    ("これは日本語の文です。", "これは日本語の文章です。"),
]
EMOJI = [
    ("Great 👍🏽 work 😀😀!", "Great 👍 work 😀!"),
    ("👨‍👩‍👧 family 🇩🇪🇬🇧", "👨‍👩‍👧‍👦 family 🇬🇧🇩🇪"),
    ("naïve cafe\u0301 – café", "naïve café – cafe\u0301"),
]
EMPTY = [
    ("", "This one was not translated."),
    ("There is no reference for this.", ""),
    ("", ""),
    ("   ", "\u00a0"),
    ("A sentence that is there.", "A sentence that is here."),
]
SPACES = [
    ("  two  spaces\tand a tab ", "two spaces and a tab"),
    ("no\u00a0break\u202fspaces\u3000here", "no break spaces here"),
    ("unit\u001fseparator next\u0085line line\u2028separator", "unit separator next line line separator"),
    ("zero\u200bwidth soft\u00adhyphen \ufeffmark", "zerowidth softhyphen mark"),
]
ENTITIES = [
    ("&quot;A&quot; &amp; B &lt;c&gt; &amp;lt; &amp;quot; &apos;", "\"A\" & B <c> < \" '"),
    ("a <skipped> b &am<skipped>p; c", "a b & c"),
]
SHORT = [("Hello.", "Hello!"), ("Yes", "Yes"), ("Oh no", "Oh yes")]  # no match of order 3 and 4
NOTHING = [("completely different words here now", "nothing alike is to be found in that")]
LONGER = [(h + " und noch viel mehr davon", r) for h, r in GERMAN]
SHORTER = [(h.split(" ", 2)[-1], r) for h, r in GERMAN]


def at_random(seed, pieces, n):
    draw = random.Random(seed)
    pairs = []
    for _ in range(n):
        reference = [draw.choice(pieces) for _ in range(draw.randint(0, 30))]
        hypothesis = [draw.choice(pieces) if draw.random() < 0.25 else p for p in reference]
        if draw.random() < 0.3:
            draw.shuffle(hypothesis)
        pairs.append(("".join(hypothesis), "".join(reference)))
    return pairs


SIGNS = list("aB1 .,-'!?&/%()[]{}<>~^\"") + [" ", " ", "..", "12", "ä", "—", "の", "😀", "&lt;", "\u00a0"]
WORDS = ["der ", "die ", "das ", "Haus", "haus ", "geht ", "nicht", ", ", ". ", "1.5 ", "und ", "Ä", "ß "]

SETS = {
    "german": GERMAN,
    "punctuation": PUNCTUATION,
    "numbers": NUMBERS,
    "chinese": CHINESE,
    "emoji": EMOJI,
    "empty": EMPTY,
    "spaces": SPACES,
    "entities": ENTITIES,
    "short": SHORT,
    "nothing": NOTHING,
    "longer": LONGER,
    "shorter": SHORTER,
    "random-signs": at_random(1, SIGNS, 40),
    "random-words": at_random(2, WORDS, 40),
    "all": GERMAN + PUNCTUATION + NUMBERS + CHINESE + EMOJI + EMPTY + SPACES + ENTITIES + SHORT,
}

if __name__ == "__main__":
    out = []
    for name, pairs in SETS.items():
        found, reference = [h for h, _ in pairs], [r for _, r in pairs]
        bleu, chrf = BLEU(), CHRF()
        score = bleu.corpus_score(found, [reference])
        out.append({
            "name": name,
            "bleu": score.score,
            "precisions": score.precisions,
            "brevity": score.bp,
            "chrf": chrf.corpus_score(found, [reference]).score,
            "hypotheses": found,
            "references": reference,
        })
    signatures = [str(m.get_signature()).rsplit("|", 1)[0] for m in (bleu, chrf)]
    path = pathlib.Path(__file__).parent.parent / "data" / "scores.json"
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in out)
    path.write_text(f'{{"bleu_signature": "{signatures[0]}",\n"chrf_signature": "{signatures[1]}",\n'
                    f'"sets": [\n{rows}\n]}}\n', encoding="utf-8")
