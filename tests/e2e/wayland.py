# SPDX-License-Identifier: GPL-3.0-or-later
"""A Wayland desktop without a screen, and the same hands as driver.py has: keys, pointer, clipboard, pictures.

sway runs without a display (its headless backend) and without a graphics card. The keyboard and the pointer are
there before any window is, as on every desk: they are made by the two protocols that sway offers for that, spoken here
byte by byte, since no library of Debian's speaks them for Python. sway refuses to be root, so that it is nobody where the
tests are; who is root reaches its socket all the same. Debian: sway grim wl-clipboard.
"""

import itertools
import json
import os
import pwd
import shutil
import socket
import struct
import subprocess
import tempfile
import time

from driver import PATIENCE, wait_for
from regard import Window

SIZE = (1024, 700)  # of the screen, in the pixels that windows count
SMALL = "A file"  # the title of the one window that does not share the screen with the others, at its left top
NEEDED = ("sway", "grim", "wl-copy", "wl-paste")

KEYMAP = b"""xkb_keymap {
  xkb_keycodes { include "evdev+aliases(qwerty)" };
  xkb_types { include "complete" };
  xkb_compat { include "complete" };
  xkb_symbols { include "pc+us+inet(evdev)" };
};\0"""
# Codes of evdev, and which characters an American keyboard has on them without and with Shift.
ROWS = ((2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"),
        (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'), (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"))
NAMES = {"Escape": 1, "BackSpace": 14, "Tab": 15, "Return": 28, "space": 57, " ": 57, "\n": 28, "F11": 87, "F12": 88,
         "Home": 102, "Up": 103, "Page_Up": 104, "Left": 105, "Right": 106, "End": 107, "Down": 108,
         "Page_Down": 109, "Delete": 111} | {f"F{n}": 58 + n for n in range(1, 11)}
MODIFIERS = {"shift": (42, 1), "ctrl": (29, 4), "alt": (56, 8)}  # code, and bit of the state
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}


def missing():
    """What of it is not installed."""
    return [program for program in NEEDED if not shutil.which(program)]


def _text(string):
    """A string as Wayland writes it."""
    data = string.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + bytes(-len(data) % 4)


class Hands:
    """A keyboard and a pointer on a Wayland display."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._begin = time.monotonic()
        self._ids = itertools.count(2)
        names = self._globals()
        seat = self._bind(names, "wl_seat")
        keyboards = self._bind(names, "zwp_virtual_keyboard_manager_v1")
        pointers = self._bind(names, "zwlr_virtual_pointer_manager_v1")
        self._keyboard, self._pointer = next(self._ids), next(self._ids)
        self._send(keyboards, 0, struct.pack("=II", seat, self._keyboard))
        self._send(pointers, 0, struct.pack("=II", seat, self._pointer))
        with tempfile.TemporaryFile() as file:
            file.write(KEYMAP)
            file.flush()
            self._send(self._keyboard, 0, struct.pack("=II", 1, len(KEYMAP)), file.fileno())
        self._held = 0  # modifiers

    def _send(self, thing, opcode, arguments, *descriptors):
        message = struct.pack("=II", thing, (8 + len(arguments)) << 16 | opcode) + arguments
        if descriptors:
            socket.send_fds(self._socket, [message], descriptors)
        else:
            self._socket.sendall(message)

    def _read(self, n):
        data = b""
        while len(data) < n:
            data += self._socket.recv(n - len(data)) or self._fail()
        return data

    @staticmethod
    def _fail():
        raise AssertionError("sway has hung up")

    def _globals(self):
        """{interface: name} of what the display offers, until it has answered that it has said all."""
        registry, done = next(self._ids), next(self._ids)
        self._send(1, 1, struct.pack("=I", registry))
        self._send(1, 0, struct.pack("=I", done))
        self._registry, names = registry, {}
        while True:
            thing, size = struct.unpack("=II", self._read(8))
            body = self._read((size >> 16) - 8)
            if thing == registry:
                name, length = struct.unpack_from("=II", body)
                names[body[8 : 8 + length - 1].decode()] = name
            elif thing == done:
                return names

    def _bind(self, names, interface):
        new = next(self._ids)
        arguments = struct.pack("=I", names[interface]) + _text(interface) + struct.pack("=II", 1, new)
        self._send(self._registry, 0, arguments)
        return new

    def _now(self):
        return int(1000 * (time.monotonic() - self._begin)) & 0xFFFFFFFF

    # -- the keyboard --------------------------------------------------------------------------------

    def _hold(self, code, bit, is_held):
        self._held = self._held | bit if is_held else self._held & ~bit
        self._send(self._keyboard, 1, struct.pack("=III", self._now(), code, is_held))
        self._send(self._keyboard, 2, struct.pack("=IIII", self._held, 0, 0, 0))

    def press_key(self, name, modifiers=()):
        """Down and up again; modifiers: of MODIFIERS."""
        code = NAMES.get(name)
        for first, plain, shifted in ROWS:
            if len(name) == 1 and name in plain:
                code = first + plain.index(name)
            elif len(name) == 1 and name in shifted:
                code, modifiers = first + shifted.index(name), (*modifiers, "shift")
        for modifier in modifiers:
            self._hold(*MODIFIERS[modifier], True)
        for is_held in (True, False):
            self._send(self._keyboard, 1, struct.pack("=III", self._now(), code, is_held))
        for modifier in modifiers:
            self._hold(*MODIFIERS[modifier], False)

    # -- the pointer -----------------------------------------------------------------------------------

    def _frame(self):
        self._send(self._pointer, 4, b"")

    def move(self, x, y):
        self._send(self._pointer, 1, struct.pack("=IIIII", self._now(), round(x), round(y), *SIZE))
        self._frame()

    def button(self, button, is_held):
        self._send(self._pointer, 2, struct.pack("=III", self._now(), BUTTONS[button], is_held))
        self._frame()


class Desktop:
    """A running sway of one screen, with a keyboard and a pointer; programs find it by `environment`."""

    def __init__(self, scale=1):
        self._folder = tempfile.mkdtemp()
        config = os.path.join(self._folder, "config")
        with open(config, "w", encoding="utf-8") as file:
            width, height = (round(scale * pixels) for pixels in SIZE)
            file.write(f"output HEADLESS-1 resolution {width}x{height} scale {scale}\n"
                       "default_border none\nxwayland disable\nfocus_follows_mouse no\n"
                       f'for_window [title="{SMALL}"] floating enable, resize set 200 80, move position 40 20\n')
        command = ["sway", "-c", config]
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self._folder, nobody.pw_uid, nobody.pw_gid)
            command = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", *command]
        os.chmod(config, 0o644)
        own = {"PATH": os.environ["PATH"], "HOME": self._folder, "XDG_RUNTIME_DIR": self._folder,
               "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._process = subprocess.Popen(command, env=own, stdout=self._log, stderr=self._log)
        self.environment = {"WAYLAND_DISPLAY": self._find("wayland-"), "GDK_BACKEND": "wayland", "DISPLAY": ""}
        self._ipc = self._find("sway-ipc")
        self.hands = Hands(self.environment["WAYLAND_DISPLAY"])

    def _find(self, prefix):
        """The path of a socket that it makes when it is ready."""

        def find():
            if self._process.poll() is not None:
                self._log.seek(0)
                raise AssertionError(f"sway ended with {self._process.returncode}:\n{self._log.read()}")
            return next((entry.path for entry in os.scandir(self._folder)
                         if entry.name.startswith(prefix) and not entry.name.endswith(".lock")), None)

        return wait_for(find, f"sway to make {prefix}")

    def windows(self):
        """{title: what sway knows of it} of all windows that are shown."""
        done = subprocess.run(["swaymsg", "-s", self._ipc, "-r", "-t", "get_tree"], capture_output=True, text=True,
                              check=True)
        left, windows = [json.loads(done.stdout)], {}
        while left:
            node = left.pop()
            left += node["nodes"] + node["floating_nodes"]
            if node.get("pid"):
                windows[node["name"]] = node
        return windows

    def close(self):
        self._process.terminate()
        self._process.wait()
        self._log.close()
        shutil.rmtree(self._folder)


class WaylandWindow(Window):
    """Regard's window on a Desktop, whose only one it is but for its dialogs."""

    def __init__(self, desktop, binary, *arguments, env=None):
        self.desktop = desktop
        super().__init__(binary, *arguments, env=(env or {}) | desktop.environment)

    # -- windows ---------------------------------------------------------------------------------------

    def is_open(self, title):
        return any(f" – {name}".endswith(f" – {title}") for name in self.desktop.windows())

    def toplevel(self, title):
        wait_for(lambda: any(node["focused"] and f" – {name}".endswith(f" – {title}")
                             for name, node in self.desktop.windows().items()), f"a window titled {title!r} with the keys")
        return wait_for(lambda: next((c for c in self.root.children()
                                      if f" – {c.get_name()}".endswith(f" – {title}")), None), f"{title!r} on the bus")

    def wait_for_closed(self, title, timeout=PATIENCE):
        """Until the window of that title has gone, and another one has the keys."""
        wait_for(lambda: not self.is_open(title) and any(node["focused"] for node in self.desktop.windows().values()),
                 f"the window {title!r} to close", timeout)

    # -- acting ----------------------------------------------------------------------------------------

    def position(self, node, fx=0.5, fy=0.5):
        """The main window fills the screen, and has no shadow then."""
        box = self.box(node)
        return int(box.x + fx * box.width), int(box.y + fy * box.height)

    def move_pointer(self, x, y):
        self.desktop.hands.move(x, y)

    def press(self, button=1):
        self.hold_button(button)
        self.release_button(button)

    def hold_button(self, button=1):
        self.desktop.hands.button(button, True)

    def release_button(self, button=1):
        self.desktop.hands.button(button, False)

    def key(self, *keys):
        for key in keys:
            *modifiers, name = key.split("+")
            self.desktop.hands.press_key(name, modifiers)
            time.sleep(0.02)

    def type(self, text, delay=15, borrowed=350):
        for character in text:
            self.desktop.hands.press_key(character)
            time.sleep(delay / 1000)

    # -- pictures and the clipboard --------------------------------------------------------------------

    def _run(self, *command, **options):
        """With the display of the desktop. The tools find it by its whole path."""
        return subprocess.run(command, env=dict(os.environ) | self.desktop.environment, check=False, **options)

    def screenshot(self, path):
        self._run("grim", path)

    def paste_text(self, text):
        self._run("wl-copy", input=text, encoding="utf-8", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def clipboard(self, target):
        return self._run("timeout", "5", "wl-paste", "--no-newline", "--type", target, capture_output=True).stdout
