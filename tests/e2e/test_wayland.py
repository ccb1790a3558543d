#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A session in the window on a Wayland desktop of twice as many pixels, from outside: begin to type before the window is
there, point, drag, copy and paste, drop a file, export, fill the screen.

    test_wayland.py BUILD/app/regard            (TAP; needs a session bus)

All sessions beside this one are on X. Skipped where sway is not installed.
"""

import os
import string
import subprocess
import sys
import tempfile
import threading
import time

import driver
import regard
import wayland
from driver import run_tap, wait_for
from regard import spoken, test_quits_in_silence

FIRST = "The animal crossed a wide street."
SECOND = "Our green house has five windows."
THIRD = "I have two dogs."
CAPTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "foreign-encoder.npz")
FOLDER = tempfile.mkdtemp(prefix="regard-wayland-")
# A window that offers a file to who drags it.
FILE = f"""
import gi, sys
gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, Gtk
def show(application):
    uri = Gio.File.new_for_path(sys.argv[1]).get_uri() + "\\r\\n"
    content = Gdk.ContentProvider.new_for_bytes("text/uri-list", GLib.Bytes.new(uri.encode()))
    source = Gtk.DragSource(content=content, actions=Gdk.DragAction.COPY)
    label = Gtk.Label(label=sys.argv[1])
    label.add_controller(source)
    Gtk.ApplicationWindow(application=application, title="{wayland.SMALL}", child=label).present()
application = Gtk.Application(application_id="io.github.regard.File")
application.connect("activate", show)
application.run()
"""


class EarlyTyping:
    """Keys, one after the other, from before the window is there until some of them have arrived."""

    def __init__(self, hands):
        self._hands, self._is_over, self.typed = hands, threading.Event(), ""
        self._thread = threading.Thread(target=self._type)
        self._thread.start()

    def _type(self):
        words = (f"{a}{b}{c} " for a in string.ascii_lowercase for b in string.ascii_lowercase for c in string.ascii_lowercase)
        for character in "".join(words):
            if self._is_over.is_set():
                return
            self._hands.press_key(character)
            self.typed += character
            time.sleep(0.03)

    def end(self):
        self._is_over.set()
        self._thread.join()


def begin(binary):
    """The window on a desktop of its own, while somebody types already."""
    desktop = wayland.Desktop(scale=2)
    early = EarlyTyping(desktop.hands)
    try:
        window = wayland.WaylandWindow(desktop, binary, FIRST)
        wait_for(lambda: window.source_text() not in ("", FIRST), "something that was typed")
    finally:
        early.end()
    window.early = early.typed
    return window


def drag(window, begin, end, steps=10):
    """With the button held down; begin, end: points of the screen."""
    window.move_pointer(*begin)
    window.hold_button()
    for step in range(1, steps + 1):
        time.sleep(0.02)
        window.move_pointer(*(a + (b - a) * step / steps for a, b in zip(begin, end)))
    window.release_button()


def test_keys_before_the_window_are_one_text(window):
    """What was typed from the moment on at which the window has the keyboard stands there, all of it and alone: the
    text of the command line is not in front of it, and no key is missing in between."""

    def arrived():
        text = window.source_text()
        return len(text) > 3 and window.early.endswith(text)

    wait_for(arrived, lambda: f"the end of {window.early!r}; it is {window.source_text()!r}")


def test_typing_translates(window):
    window.replace_text(SECOND)
    said = window.attend(SECOND, "cross", 4, 1)
    window.wait_for_translation(said["meta"]["translation"])


def test_pointing_says_what_the_command_line_computes(window):
    """Pixels of the window and of the screen differ by the scale: the pointer is where it seems to be."""
    matrix = window.attend(SECOND, *window.place())
    rows, columns = ([spoken(label["text"]) for label in matrix[side]] for side in ("rows", "columns"))
    seen = []
    for fraction in (0.5, 0.6):
        window.point(window.heatmap, fraction, fraction, until=lambda: window.cell() and window.cell() not in seen)
        seen.append(cell := window.cell())
        weight = matrix["values"][rows.index(cell["row"])][columns.index(cell["column"])]
        assert cell["weight"] == f"{weight:.{2 if weight >= 0.1 else 3}f}", (cell, weight)
    first, second = ((rows.index(cell["row"]), columns.index(cell["column"])) for cell in seen)
    assert first[0] < second[0] and first[1] < second[1], seen
    window.press()
    window.park_pointer()
    window.wait_for_cell(cell["row"], cell["column"])  # which a click keeps


def test_divider_is_dragged(window):
    box = window.box(window.source)
    edge = box.x + box.width + 1, box.y + box.height // 2
    drag(window, edge, (edge[0] - 120, edge[1]))
    wait_for(lambda: 60 < box.width - window.box(window.source).width < 180,
             lambda: f"a narrower source than {box.width}; it is {window.box(window.source).width}")


def test_clipboard_both_ways(window):
    window.key("ctrl+l", "ctrl+a", "ctrl+c")
    wait_for(lambda: window.clipboard("text/plain;charset=utf-8").decode() == SECOND, "the copied text")
    window.paste(THIRD)
    said = window.attend(THIRD, "cross", 4, 1)
    window.wait_for_translation(said["meta"]["translation"])
    window.key("ctrl+shift+c")
    wait_for(lambda: window.clipboard("image/png").startswith(b"\x89PNG"), "a copied picture")


def test_file_is_dropped(window):
    """From the window of another program, as from a file manager."""
    with subprocess.Popen([sys.executable, "-c", FILE, CAPTURE],
                          env=dict(os.environ) | window.desktop.environment) as other:
        try:
            wait_for(lambda: wayland.SMALL in window.desktop.windows(), "the window of a file")
            picture = window.position(window.heatmap)

            def is_opened():
                drag(window, (140, 80), picture)
                return driver.comes(lambda: window.status(".*foreign-encoder.npz.*"), timeout=3)

            wait_for(is_opened, "the capture that was dropped")
        finally:
            other.terminate()
    wait_for(lambda: wayland.SMALL not in window.desktop.windows(), "the window of the file to close")
    window.key("ctrl+l", "space")  # who types leaves the file
    window.wait_for_source(f"{THIRD} ")
    window.replace_text(SECOND)


def test_export_writes_a_file(window):
    window.wait_for_translation(window.attend(SECOND, "cross", 4, 1)["meta"]["translation"])
    path = os.path.join(FOLDER, "picture.png")
    window.key("ctrl+e")
    window.toplevel("Export")
    window.key("Return")  # Save… is the default
    window.answer_file_chooser("Save As", path, "Saved picture.png")
    window.wait_for_closed("Export")
    with open(path, "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def test_function_keys_with_another_key(window):
    """Which GTK 4.8 takes for the function key alone: all heads would go, and the help would come. What is told apart
    is the details, and the list of keys."""

    def shows(name):
        return window.find(name=name) is not None

    before = shows("Numbers")
    for is_shown in (not before, before):
        window.key("shift+F9")
        wait_for(lambda is_shown=is_shown: shows("Numbers") == is_shown, f"details {is_shown}")
        assert shows("Heads")
    window.key("ctrl+F9")  # does nothing
    window.key("ctrl+F1")
    window.toplevel("Keyboard Shortcuts")
    window.key("Escape")
    window.wait_for_closed("Keyboard Shortcuts")
    assert shows("Heads")


def test_full_screen_and_back(window):
    """The key turns round what the window has heard of last: where that is late, it is pressed once more."""

    def is_full():
        (node,) = window.desktop.windows().values()
        return node["fullscreen_mode"] > 0

    for wanted in (True, False):

        def is_there(wanted=wanted):
            window.key("F11")
            return driver.comes(lambda: is_full() == wanted, timeout=2)

        wait_for(is_there, f"full screen {wanted}")


TESTS = [
    test_keys_before_the_window_are_one_text,
    test_typing_translates,
    test_pointing_says_what_the_command_line_computes,
    test_divider_is_dragged,
    test_clipboard_both_ways,
    test_file_is_dropped,
    test_export_writes_a_file,
    test_function_keys_with_another_key,
    test_full_screen_and_back,
    test_quits_in_silence,
]

if __name__ == "__main__":
    if missing := wayland.missing():
        print(f"1..0 # SKIP {', '.join(missing)} not installed")
        sys.exit(0)
    regard_window = begin(regard.binary_from(sys.argv))
    status = run_tap(TESTS, regard_window)
    regard_window.desktop.close()
    sys.exit(status)
