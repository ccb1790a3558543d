# SPDX-License-Identifier: GPL-3.0-or-later
"""Use a program from outside, as a person or a screen reader does.

What is on the screen is found and read through the accessibility bus (AT-SPI); mouse and keys are
real X events (xdotool); pictures are taken of the X screen (import) and of the clipboard (xclip).
Nothing here knows the program's inside. Debian: python3-gi gir1.2-atspi-2.0 at-spi2-core xdotool
xclip imagemagick.

Facts about GTK 4.8 that shaped this file: an AT-SPI extent leaves out the shadow border of a client-decorated
window; a question about a window that is being destroyed can end the program (so only X is asked whether one
has gone, and nothing is searched beyond one window); widgets never get the state SHOWING, so what has no
extent counts as not shown; a button's click action is animated, so real clicks are used; get_text needs the
character count instead of -1; a label's name follows its text, so labels are kept as objects. There is no
window manager: the driver gives the keys to each window that opens, and back when it closes.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback

from gi.repository import GLib

import accessible


PATIENCE = 90.0  # seconds until something counts as not coming; long, since others may use the machine


def wait_for(condition, what, timeout=PATIENCE, every=0.02):
    """Poll until condition() is truthy and return it; a vanished widget counts as not yet. What takes long to
    ask is asked less often, since the program has to answer besides doing what is waited for.

    what: for the message; may be a function, called when the time is up."""
    end = time.monotonic() + timeout
    while True:
        asked = time.monotonic()
        try:
            value = condition()
        except (GLib.Error, AttributeError):  # the tree changes under our feet
            value = None
        if value:
            return value
        now = time.monotonic()
        if now > end:
            text = what() if callable(what) else what
            raise AssertionError(f"timed out after {timeout:g} s waiting for {text}")
        time.sleep(max(every, 2 * (now - asked)))


def xdotool(*arguments):
    command = ["xdotool", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def comes(condition, timeout):
    """Whether condition() becomes truthy in so many seconds."""
    try:
        return wait_for(condition, "", timeout)
    except AssertionError:
        return None


def find_windows(*arguments):
    """The X windows that `xdotool search` finds. It stops in the middle when a window goes that it is just looking
    at, and is asked again then: no windows is an answer, too."""
    command = ["xdotool", "search", *map(str, arguments)]
    for _ in range(100):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if "X Error" not in done.stderr:
            return done.stdout.split()
    raise AssertionError(f"{command}: {done.stderr}")


def geometry_of(window):
    """Its X, Y, WIDTH and HEIGHT; nothing of a window that has just gone, as tooltips do."""
    done = subprocess.run(["xdotool", "getwindowgeometry", "--shell", window], capture_output=True, text=True, check=False)
    return dict(line.split("=") for line in done.stdout.split())


class Picture:
    """The screen as it is now: 8-bit RGB."""

    def __init__(self):
        command = ["import", "-window", "root", "-depth", "8", "ppm:-"]
        ppm = subprocess.run(command, capture_output=True, check=True).stdout
        magic, size, deepest, self.pixels = ppm.split(b"\n", 3)
        assert magic == b"P6" and deepest == b"255", ppm[:40]
        self.width, self.height = map(int, size.split())

    def crop(self, x, y, width, height):
        """The bytes of a rectangle: equal if and only if it looks the same."""
        starts = (3 * (row * self.width + x) for row in range(y, y + height))
        return b"".join(self.pixels[start : start + 3 * width] for start in starts)


class Program:
    """A running program with a main window of the given title."""

    def __init__(self, argv, app_name, title, env=None):
        # Neither reads the settings of who runs the tests nor changes them.
        environment = dict(os.environ, GSETTINGS_BACKEND="memory") | (env or {})
        environment.pop("GTK_A11Y", None)  # the real accessibility bus, not the in-process one
        self.title = title
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen(argv, env=environment, stderr=self.log)
        self.root = wait_for(lambda: self._find_application(app_name), f"{app_name} on the bus")
        self.x_windows = []  # those that were given the keys, the last one at the end
        self.frame = self.toplevel(title)

    def _find_application(self, name):
        if self.process.poll() is not None:
            raise AssertionError(f"the program ended with {self.process.returncode}:\n{self.errors()}")
        found = (app for app in accessible.applications() if app.get_process_id() == self.process.pid)
        return next((app for app in found if app.get_name() == name), None)

    def errors(self):
        """All that it has written to standard error, but for warnings of GTK about itself: 4.8
        paints a widget of its own in the frame before that gets its size, 4.24 is not sure of the times of a
        frame (window-test.c leaves both out, too), and 4.8 miscounts who is pressed where a press
        comes just as a popover goes (so do other programs); under Wayland it says what sway does not offer."""
        self.log.seek(0)
        of_gtk = (r"Trying to snapshot Gtk|Broken accounting of active state|gdk_frame_timings_|"
                  r"gtk_svg_advance: time went|Compositor doesn't support moving popups")
        return re.sub(rf"\n?\(.*\): G[td]k-WARNING \*\*: .*(?:{of_gtk}).*\n", "", self.log.read())

    # -- windows -------------------------------------------------------------------------------

    def _x_windows(self, title):
        """The ids of its visible X windows of that title, which may have a file's name before it."""
        return find_windows("--all", "--onlyvisible", "--pid", self.process.pid,
                            "--name", f"^(.* – )?{re.escape(title)}$")

    def toplevel(self, title):
        """The accessible of the window or dialog of that title, which is open or about to be."""
        wait_for(lambda: self._x_windows(title), f"a window titled {title!r}")
        self._give_keys(lambda: self._x_windows(title)[-1:])

        def find():
            return next((c for c in self.root.children() if f" – {c.get_name()}".endswith(f" – {title}")), None)

        return wait_for(find, f"{title!r} on the bus")

    def wait_for_closed(self, title, timeout=PATIENCE):
        """Until the window of that title has gone; the keys are those of the one that was open before it."""
        wait_for(lambda: not self._x_windows(title), f"the window {title!r} to close", timeout)

        def last():
            shown = find_windows("--all", "--onlyvisible", "--pid", self.process.pid)
            return [window for window in self.x_windows if window in shown][-1:]

        self._give_keys(last)

    def is_open(self, title):
        return bool(self._x_windows(title))

    def _give_keys(self, find):
        """What a window manager does when a window opens, and for the one below when it closes: newer GTK
        says of nothing in a window that has no keys that it is focused. X takes them away again when the window that
        had them goes a moment later, and refuses them to one that is not there yet: it is asked until it has them.
        find: a list of the one window that is meant, which may have gone the next time."""

        def has_keys():
            for window in find():
                for command in (["windowfocus", window], ["getwindowfocus", "-f"]):
                    done = subprocess.run(["xdotool", *command], capture_output=True, text=True, check=False)
                if done.stdout.strip() == window:
                    return window
            return None

        wait_for(has_keys, "a window that takes the keys")
        time.sleep(0.05)
        window = wait_for(has_keys, "a window that keeps the keys")
        self.x_windows = [other for other in self.x_windows if other != window] + [window]

    # -- finding and reading -------------------------------------------------------------------

    def walk(self, node=None):
        """A node (the main window) and all below it."""
        return (node or self.frame).walk()

    def find(self, role=None, name=None, root=None, showing=True):
        """First node of that role whose accessible name is, or satisfies, name."""
        for node in self.walk(root):
            if node.get_role_name() == "filler" if role is None else self.role_of(node) != role:
                continue  # a filler only holds others
            label = self.name_of(node)
            if name is not None and not (name(label) if callable(name) else label == name):
                continue
            if showing and not self.is_showing(node):
                continue
            return node
        return None

    def get(self, role=None, name=None, root=None, timeout=PATIENCE):
        return wait_for(lambda: self.find(role, name, root), f"{role} {name!r}", timeout)

    @staticmethod
    def name_of(node):
        """Its name; GTK 4.18 leaves that of an entry of a menu to the label that it points at."""
        name = node.get_name() or ""
        if not name and node.get_role_name().endswith("menu item"):
            for label in node.labels():
                name = label.get_name() or Program.text_of(label)
        return name

    @staticmethod
    def role_of(node):
        """Its role as GTK 4.8 calls it: newer releases tell toggle buttons from buttons."""
        role = node.get_role_name()
        return "push button" if role in ("button", "toggle button") else role

    @staticmethod
    def box(node):
        return node.get_extents()

    def is_showing(self, node):
        try:
            box = self.box(node)
        except GLib.Error:  # has no place on the screen
            return False
        return box.width > 0 and box.height > 0 and self.has_state(node, "VISIBLE")

    @staticmethod
    def has_state(node, state):
        return node.has_state(state)

    @staticmethod
    def text_of(node):
        return node.get_text()

    # -- acting --------------------------------------------------------------------------------

    def position(self, node, fx=0.5, fy=0.5):
        """Pixel of the screen at a fraction of a node's extent."""
        top = node
        while (above := top.get_parent()) != self.root:
            top = above
        # A tooltip has the program's name, too.
        geometry = max(map(geometry_of, self._x_windows(top.get_name())),
                       key=lambda found: int(found.get("WIDTH", 0)))
        frame, box = self.box(top), self.box(node)
        # GTK 4.8 counts from inside the shadow's border, and the frame without it; GTK 4.18 says of the
        # frame where the border begins, and moves everything by as much.
        border = (int(geometry["WIDTH"]) - frame.width) // 2
        return (
            int(int(geometry["X"]) + border - 2 * frame.x + box.x + fx * box.width),
            int(int(geometry["Y"]) + border - 2 * frame.y + box.y + fy * box.height),
        )

    @staticmethod
    def move_pointer(x, y):
        xdotool("mousemove", x, y)  # not --sync: that waits for ever if it is there already

    def point(self, node, fx=0.5, fy=0.5, until=None):
        """When it stands still: what was shown or hidden just now may move it. until: how that shows, the value of
        which is returned; a picture that is replaced under the pointer hears of no motion, and is pointed at anew."""

        def is_pointed_at():
            self._wait_for_rest(node)
            self.move_pointer(*self.position(node, fx, fy))
            value = comes(until, timeout=3) if until else True
            if not value:
                self.park_pointer()
            return value

        return wait_for(is_pointed_at, lambda: f"another description than {node.get_description()!r}")

    def _wait_for_rest(self, node):
        """Until its extent has stayed the same for five looks: on a busy machine a frame is late."""
        seen = []

        def rests():
            box = self.box(node)
            seen.append((box.x, box.y, box.width, box.height))
            return len(seen) >= 5 and len(set(seen[-5:])) == 1

        wait_for(rests, f"{self.name_of(node)!r} to stand still", every=0.03)

    @staticmethod
    def press(button=1):
        """A click where the pointer is."""
        xdotool("click", button)

    @staticmethod
    def hold_button(button=1):
        xdotool("mousedown", button)

    @staticmethod
    def release_button(button=1):
        xdotool("mouseup", button)

    @staticmethod
    def hold(key):
        xdotool("keydown", key)

    @staticmethod
    def release(key):
        xdotool("keyup", key)

    def click(self, node, fx=0.5, fy=0.5, until=None):
        """until: what shows that the click came where it was meant; where that does not come about, the thing
        moved under the pointer at the last moment, and is clicked once more. For what a second click does not undo."""
        self.point(node, fx, fy)
        self.press()
        if until and not comes(until, timeout=10):
            self.point(node, fx, fy)
            self.press()
            wait_for(until, f"what a click on {self.name_of(node)!r} brings about")

    def click_into(self, node):
        """An entry, which has the keyboard then."""
        self.click(node, until=lambda: self.has_state(node, "FOCUSED"))

    def choose(self, combo, item):
        """Choose from a drop-down list. The list is a window of its own, whose place the bus does
        not tell, so keys do it. A pointer over it would move its focus."""
        closed = self._items(combo)  # a row of a list shows its choice as a list of one
        self.click(self.find("push button", root=combo) or combo)
        wait_for(
            lambda: len(self._items(combo)) > len(closed) + 1, f"the list of {combo.get_name()!r}"
        )
        listed = [self._label(node) for node in self._items(combo) if node not in closed]
        self.park_pointer()
        self.key("Home", *["Down"] * listed.index(item), "Return")
        wait_for(
            lambda: len(self._items(combo)) == len(closed) and self.find("label", item, combo),
            f"{item!r} in {combo.get_name()!r}",
        )

    def _items(self, combo):
        """What its list offers, and what a list of one shows for the choice."""
        return [n for n in self.walk(combo) if n.get_role_name() == "list item" and self.is_showing(n)]

    def _label(self, node):
        return self.text_of(self.find("label", root=node))

    def park_pointer(self):
        """Into a corner where nothing reacts, yet inside the window, which keeps the keys."""
        self.move_pointer(3, 3)

    @staticmethod
    def key(*keys):
        # By its place: where newer keymaps have F10 with Alt and Control as well, xdotool presses Alt.
        places = {f"F{n}": str(66 + n) for n in range(1, 11)} | {"F11": "95", "F12": "96"}
        xdotool("key", "--delay", "20", *("+".join(places.get(k, k) for k in key.split("+")) for key in keys))

    @staticmethod
    def type(text, delay=15, borrowed=350):
        """With key presses, delay milliseconds apart. xdotool lends a spare key to a character that the keyboard lacks, and
        takes it back so many milliseconds later: the program must have read it by then."""
        for character, run in itertools.groupby(text, key=lambda c: None if c.isascii() else c):
            xdotool("type", "--delay", delay if character is None else borrowed, "".join(run))

    @staticmethod
    def paste_text(text):
        """Puts text on the clipboard, as another program's copy would."""
        subprocess.run(
            ["xclip", "-selection", "clipboard", "-i"],
            input=text,
            encoding="utf-8",
            stdout=subprocess.DEVNULL,  # xclip stays behind to serve it
            stderr=subprocess.DEVNULL,
            check=True,
        )

    # -- pictures and the clipboard --------------------------------------------------------------

    @staticmethod
    def screenshot(path):
        subprocess.run(["import", "-window", "root", path], check=True)

    @staticmethod
    def clipboard(target):
        """The clipboard's content of a type as another program gets it; b"" if it has none."""
        command = ["timeout", "5", "xclip", "-selection", "clipboard", "-t", target, "-o"]
        return subprocess.run(command, capture_output=True, check=False).stdout

    # -- the end -------------------------------------------------------------------------------

    def wait_for_end(self, timeout=PATIENCE):
        """Its exit status; killed and None if it does not end."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.wait_for_end()


def run_tap(tests, program=None):
    """Run test functions in order, print TAP, return the exit status. A failed one leaves a
    picture of the screen, failed-NAME.png, in the working directory."""
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.removeprefix("test_")
        started = time.monotonic()
        try:
            test(program) if program else test()
            print(f"ok {number} {name}", flush=True)
            print(f"# {time.monotonic() - started:.2f} s", flush=True)
        except Exception:
            failed += 1
            (program or Program).screenshot(f"failed-{name}.png")
            print(f"not ok {number} {name}")
            print("# " + traceback.format_exc().strip().replace("\n", "\n# "), flush=True)
            # meson shows only what is written here.
            print(f"{name}: {traceback.format_exc()}", file=sys.stderr, flush=True)
        if program and number < len(tests) and program.process.poll() is not None:
            print(f"Bail out! the program ended with {program.process.returncode}", flush=True)
            return 1
    return 1 if failed else 0
