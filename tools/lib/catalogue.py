"""catalogue.py: reading the files of gettext, and what of a text a translation has to keep.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
from dataclasses import dataclass, field

LINE = re.compile(r'^(msgctxt|msgid_plural|msgid|msgstr)(?:\[\d+\])? "(.*)"$')
ESCAPES = {"n": "\n", "t": "\t"}

# A conversion of printf (with or without a place), a name in braces, a tag, an entity.
FORMAT = r"%(?:\d+\$)?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|q|<PRI[a-z]\d+>)?[a-zA-Z%]|%<PRI[a-z]\d+>"
NAME = r"\{[a-z_][a-z0-9_-]*\}"
TAG = r"</?[a-z]+(?: [^<>]*)?>"
ENTITY = r"&[a-z]+;|&#\d+;"
CODE = r"`[^`]*`"
TARGET = r"(?<=\])\(regard:[^)]*\)"


@dataclass
class Message:
    """One entry. Without a translation all strings are empty."""

    context: str = ""
    id: str = ""
    plural: str = ""
    strings: list = field(default_factory=list)
    flags: set = field(default_factory=set)

    @property
    def is_translated(self):
        return all(self.strings) and "fuzzy" not in self.flags


def unquote(text):
    return re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[1]), text)


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


def read(path):
    """All messages of a file but its head and what is no longer there."""
    messages = []
    message = None
    for line in path.read_text(encoding="utf-8").splitlines() + [""]:
        found = LINE.match(line)
        if not line or line.startswith("#~"):
            message = None
        elif line.startswith("#") or found:
            if message is None:
                message = Message()
                messages.append(message)
            if line.startswith("#,"):
                message.flags |= set(line[2:].replace(" ", "").split(","))
            elif found:
                where = {"msgctxt": "context", "msgid": "id", "msgid_plural": "plural"}.get(found[1])
                text = unquote(found[2])
                if where:
                    setattr(message, where, text)
                else:
                    message.strings.append(text)
        elif message and line.startswith('"'):
            text = unquote(line[1:-1])
            if message.strings:
                message.strings[-1] += text
            else:
                setattr(message, where, getattr(message, where) + text)
    return [message for message in messages if message.id]
