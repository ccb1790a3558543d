"""The languages of families whose folders may not name them: engine/text/mt-language-codes.h.

Constants of transformers, in the order of their ids. Made with transformers 5.24.0.

    make_language_codes.py

SPDX-License-Identifier: GPL-3.0-or-later
"""

import pathlib
import textwrap

from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as M2M
from transformers.models.mbart.tokenization_mbart import FAIRSEQ_LANGUAGE_CODES as MBART
from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES as MBART_50
from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as NLLB

OUT = pathlib.Path(__file__).resolve().parents[2] / "engine" / "text" / "mt-language-codes.h"
LISTS = [("nllb", "NLLB", NLLB), ("mbart_50", "mBART-50", MBART_50), ("mbart", "mBART", MBART),
         ("m2m_100", "M2M-100", M2M["m2m100"]), ("wmt21", "the models of WMT 21", M2M["wmt21"])]

if __name__ == "__main__":
    text = """/* mt-language-codes.h — languages of families whose folders may not name them, in the order of
 * their ids. Private to the engine's text.
 *
 * Made by tests/reference/make_language_codes.py; not to be edited.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_LANGUAGE_CODES_H
#define MT_LANGUAGE_CODES_H
"""
    for name, title, codes in LISTS:
        assert all(c.isascii() and " " not in c for c in codes)
        lines = textwrap.wrap(" ".join(codes), 90)
        text += f"\n/* {title}: {len(codes)} */\n#define MT_N_CODES_{name.upper()} {len(codes)}\n"
        rows = "\n".join(f'    "{line}{" " if i + 1 < len(lines) else ""}"' for i, line in enumerate(lines))
        text += f"static const char mt_codes_{name}[] =" + ("\n" + rows if len(lines) > 1 else " " + rows.strip()) + ";\n"
    OUT.write_text(text + "\n#endif\n")
