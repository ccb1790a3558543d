# SPDX-License-Identifier: GPL-3.0-or-later
"""Orca, the screen reader, in the session of a test: what it says, sentence by sentence.

It speaks to no synthesiser: what would be spoken is written to a file, one JSON string a line. It does not read keys
aloud, and has no braille. Debian: orca.
"""

import fnmatch
import json
import os
import shutil
import subprocess
import tempfile

from driver import wait_for

CUSTOMIZATIONS = """
import json, orca.settings, orca.speech
orca.settings.speechFactoryModules = []
orca.settings.speechServerFactory = None
orca.settings.enableKeyEcho = False
def heard(text, *rest):
    with open({path!r}, "a") as file:
        file.write(json.dumps(text) + "\\n")
orca.speech._speak = heard
orca.speech.speakCharacter = heard
orca.speech.speakKeyEvent = lambda *rest: None
"""


def is_installed():
    return shutil.which("orca") is not None


class Orca:
    """A running one; the program to be read is started after it."""

    def __init__(self):
        self._folder = tempfile.mkdtemp(prefix="regard-orca-")
        self._path = os.path.join(self._folder, "spoken")
        with open(os.path.join(self._folder, "orca-customizations.py"), "w", encoding="utf-8") as file:
            file.write(CUSTOMIZATIONS.format(path=self._path))
        environment = dict(os.environ)
        environment.pop("GTK_A11Y", None)
        self._process = subprocess.Popen(["orca", "--replace", "-u", self._folder, "-d", "braille"], env=environment,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._at = 0
        self.wait_for("Screen reader on.")

    def _all(self):
        if not os.path.exists(self._path):
            return []
        with open(self._path, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().splitlines()]

    def wait_for(self, *sentences):
        """Until it has said all of these, in this order and with others between; all that was said since the last
        time. A * stands for anything, such as a number of the model."""

        def are_said():
            left = iter(self._all()[self._at :])
            return all(any(fnmatch.fnmatchcase(said, sentence) for said in left) for sentence in sentences)

        wait_for(are_said, lambda: f"{sentences}; it said {self._all()[self._at :]}", every=0.1)
        said = self._all()[self._at :]
        self._at += len(said)
        return said

    def close(self):
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self._folder)
