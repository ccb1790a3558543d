#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lessons by keyboard alone, as a screen reader tells of them: a whole one from a file, and one that is left in the
middle, after which text and changes are back.

    test_lessons.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import os
import sys
import tempfile

import regard
from driver import run_tap, wait_for
from regard import Window, test_quits_in_silence

TEXT = "I have two dogs."
# What it claims holds for any model and sentence: the model of the tests is a small one.
LESSON = """---
regard-lesson: 1
id: tried
title: Tried
text: I love my dog.
---

## Predict

How many words has it?

- [ ] Four {a}
      They are {n}.
- [ ] Nine {b}
      No, not so many.

```regard
page attention
let n = words
ask predict
right a if n = 4
```

## Once more

And are they *fewer* than nine?

- [ ] No {a}
      They are.
- [ ] Yes {b}
      They are {n}.

```regard
ask predict
right b if n < 9
```

## A number

What is half of them and a quarter?

```regard
point source
ask number
answer n / 2 + 0.25 within 0.01
```

## Your own

Type a sentence of six words.

```regard
own
point source
ask find
found if words = 6
```
"""


ROLES = ("push button", "button", "toggle button", "radio button", "check box")


def wait_for_said(window, beginning):
    return wait_for(
        lambda: window.find(name=lambda name: name.startswith(beginning)), f"something like {beginning!r}"
    ).get_name()


def test_whole_lesson(window):
    """From its file to its end: predictions right and wrong, a number with a comma, something to be found."""
    window.wait_for_translation()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tried.lesson.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(LESSON)
        window.key("F4")
        window.tab_to("Open Lesson…")
        window.key("Return")
        window.answer_file_chooser("Open Lesson", path)
        wait_for_said(window, "Step 1 of 4: Predict")
        window.wait_for_source("I love my dog.")
        window.tab_to("Four")
        window.key("Down", "Return")
        said = wait_for_said(window, "You said: ")
        assert said == "You said: Nine\nMeasured: Four", said
        wait_for_said(window, "They are 4.")
        window.key("Return")  # Next has the keyboard
        wait_for_said(window, "Step 2 of 4: Once more")
        window.tab_to("No")
        window.key("Down", "Return")
        said = wait_for_said(window, "You said: ")
        assert said == "You said: Yes\nMeasured: Yes", said
        window.key("alt+Right")
        wait_for_said(window, "Step 3 of 4: A number")
        window.tab_to("Your number")
        window.type("9,5")
        window.key("Return")
        wait_for_said(window, "Too large. Try again.")
        window.key("ctrl+a")
        window.type("2,25")
        window.key("Return")
        wait_for_said(window, "Right: 2.25.")
        window.key("Return")
        wait_for_said(window, "Step 4 of 4: Your own")
        window.wait_for_source(TEXT)
        window.key("ctrl+j")  # to what is pointed at
        window.key("ctrl+a")
        window.type("We have two dogs and cats.")
        wait_for_said(window, "Found: 6 (words of the text).")
        window.key("alt+Right")  # behind the last step is the list
    window.wait_for_source(TEXT)
    wait_for(lambda: window.find("list", "Lessons"), "the list of lessons")


def act(window, name):
    """Presses what has this name as a screen reader does, without a key and without the pointer."""
    node = wait_for(
        lambda: next((n for role in ROLES if (n := window.find(role, name)) and window.has_state(n, "SENSITIVE")), None),
        f"{name!r}, which can be pressed",
    )
    assert node.act(), name


def test_by_accessibility(window):
    """The same lesson by what a screen reader does alone: actions, and text that is set; the file's name is typed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tried.lesson.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(LESSON.replace("id: tried", "id: again"))
        act(window, "Open Lesson…")
        window.answer_file_chooser("Open Lesson", path)
        wait_for_said(window, "Step 1 of 4: Predict")
        window.wait_for_source("I love my dog.")
        act(window, "Four")
        act(window, "Predict")
        said = wait_for_said(window, "You said: ")
        assert said == "You said: Four\nMeasured: Four", said
        act(window, "Next")
        wait_for_said(window, "Step 2 of 4: Once more")
        for name in ("Skip", "I Know This"):
            wait_for(lambda n=name: window.find(None, n), f"{name!r}, which has a name")
        act(window, "Yes")
        act(window, "Predict")
        wait_for_said(window, "You said: Yes")
        act(window, "Next")
        wait_for_said(window, "Step 3 of 4: A number")
        number = wait_for(lambda: window.find(None, "Your number"), "the entry")
        assert number.set_text("2,25")
        act(window, "Check")
        wait_for_said(window, "Right: 2.25.")
        act(window, "Next")
        wait_for_said(window, "Step 4 of 4: Your own")
        window.wait_for_source(TEXT)
        assert window.source.set_text("We have two dogs and cats.")
        wait_for_said(window, "Found: 6 (words of the text).")
        act(window, "Finish")
    window.wait_for_source(TEXT)


def test_left_in_the_middle(window):
    """Text and changes are back, and the picture is the one that was there."""
    window.key("F4")
    window.click(window.heatmap, 0.5, 0.02)
    window.park_pointer()
    window.key("x")
    window.wait_for_n_changes(1)
    place = window.place()
    window.key("F4")
    row = wait_for(lambda: window.find("list item", lambda name: name.startswith("A row")), "a lesson")
    window.tab_to(window.find("list item", lambda name: name.startswith("One minute")).get_name())
    window.key("Down", "Down")
    wait_for(lambda: window.has_state(row, "FOCUSED"), "the second row")
    window.key("Return")
    wait_for_said(window, "Step 1 of 6: One row at a time")
    window.wait_for_source("I love my dog.")
    window.wait_for_n_changes(0)
    window.wait_for_place("encoder", 4, 6)
    window.key("alt+Right")
    wait_for_said(window, "Step 2 of 6: Predict")
    window.key("F4")
    window.wait_for_source(TEXT)
    window.wait_for_n_changes(1)
    window.wait_for_place(*place)


TESTS = [
    test_whole_lesson,
    test_by_accessibility,
    test_left_in_the_middle,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, Window(regard.binary_from(sys.argv), TEXT)))
