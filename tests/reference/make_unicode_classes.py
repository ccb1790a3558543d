"""Letters, and numbers, of Unicode as ranges: engine/text/mt-unicode-classes.h.

As the pattern of byte-level BPE in tokenizers 0.23.3 has them, which is of Unicode 16: what makes one word with "a", or
with "1". White space is in engine/base/mt-utf8.c.

    make_unicode_classes.py

SPDX-License-Identifier: GPL-3.0-or-later
"""

import pathlib
import sys
import textwrap

from tokenizers import pre_tokenizers

OUT = pathlib.Path(__file__).resolve().parents[2] / "engine" / "text" / "mt-unicode-classes.h"


def ranges(before):
    found = []
    words = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for c in range(1, sys.maxunicode + 1):
        if 0xD800 <= c <= 0xDFFF or len(words.pre_tokenize_str(before + chr(c))) > 1:
            continue
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


if __name__ == "__main__":
    text = f"""/* mt-unicode-classes.h — letters, and numbers, of Unicode 16: first and last of each
 * range, in order. Private to the engine's text.
 *
 * Made by tests/reference/make_unicode_classes.py; not to be edited.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_UNICODE_CLASSES_H
#define MT_UNICODE_CLASSES_H

#include <stdint.h>

/* clang-format off */
"""
    for name, before in (("letters", "a"), ("numbers", "1")):
        rows = ", ".join(f"{{0x{a:x},0x{b:x}}}" for a, b in ranges(before))
        text += f"\nstatic const uint32_t mt_unicode_{name}[][2] = {{\n"
        text += "\n".join("    " + line for line in textwrap.wrap(rows, 92)) + "\n};\n"
    OUT.write_text(text + "\n/* clang-format on */\n\n#endif\n")
