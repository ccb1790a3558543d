# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program tells a screen reader, asked over the accessibility bus (AT-SPI).

The bus is asked without libatspi, which only knows the names of roles and states here: that asks for the number
of children, for each of them, and for its role whenever it is met, three questions a widget that cost the
program as much as drawing does. Here one asks for all children, and roles are kept.

A question about what has gone raises GLib.Error, but has_state and walk pass over it.
"""

import collections
import functools

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

# Nothing below these has a meaning of its own: a tab's name says what its label does.
LEAVES = {"label", "scroll bar", "page tab", "separator"}
ROOT = "/org/a11y/atspi/accessible/root"
Extents = collections.namedtuple("Extents", "x y width height")
PATIENCE = 30_000  # milliseconds until a program counts as not answering


@functools.cache
def bus():
    """The accessibility bus of this session."""
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    reply = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None,
                              GLib.VariantType("(s)"), Gio.DBusCallFlags.NONE, PATIENCE)
    flags = Gio.DBusConnectionFlags
    return Gio.DBusConnection.new_for_address_sync(
        reply.unpack()[0], flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION)


def applications():
    """The root of each program on the bus."""
    return Accessible("org.a11y.atspi.Registry", ROOT).children()


class Accessible:
    """One widget, or a program. Two are equal if they stand for the same."""

    __slots__ = ("owner", "path")
    _roles = {}  # a widget keeps its role, and no other ever gets its path

    def __init__(self, owner, path):
        self.owner, self.path = owner, path

    def __eq__(self, other):
        return isinstance(other, Accessible) and (self.owner, self.path) == (other.owner, other.path)

    def __hash__(self):
        return hash((self.owner, self.path))

    def ask(self, interface, method, arguments=None):
        reply = bus().call_sync(self.owner, self.path, f"org.a11y.atspi.{interface}", method, arguments, None,
                                Gio.DBusCallFlags.NONE, PATIENCE)
        return reply.unpack()

    def read(self, interface, name):
        arguments = GLib.Variant("(ss)", (f"org.a11y.atspi.{interface}", name))
        return bus().call_sync(self.owner, self.path, "org.freedesktop.DBus.Properties", "Get", arguments, None,
                               Gio.DBusCallFlags.NONE, PATIENCE).unpack()[0]

    def children(self):
        return [Accessible(*child) for child in self.ask("Accessible", "GetChildren")[0]]

    def walk(self):
        """It and all below it that means something by itself. Of a table the rows count, and not their cells, which
        may be four in five widgets of the window; the row above the table has its columns' buttons."""
        left = [(self, None)]
        while left:
            node, above = left.pop()
            try:
                role = node.get_role_name()
                is_leaf = role in LEAVES or (role == "table row" and above == "list")
                below = [] if is_leaf else node.children()
            except GLib.Error:  # has gone since its parent was asked
                continue
            yield node
            left += ((child, role) for child in reversed(below))

    def get_parent(self):
        return Accessible(*self.read("Accessible", "Parent"))

    def get_name(self):
        return self.read("Accessible", "Name")

    def get_description(self):
        return self.read("Accessible", "Description")

    def get_role_name(self):
        role = self._roles.get(self)
        if role is None:
            role = Atspi.role_get_name(Atspi.Role(self.ask("Accessible", "GetRole")[0]))
            self._roles[self] = role
        return role

    def has_state(self, name):
        try:
            low, high = self.ask("Accessible", "GetState")[0]
        except GLib.Error:  # what has gone is in no state
            return False
        return bool((high << 32 | low) >> int(getattr(Atspi.StateType, name)) & 1)

    def labels(self):
        """Those that its name is left to."""
        relations = self.ask("Accessible", "GetRelationSet")[0]
        return [Accessible(*target) for kind, targets in relations
                if kind == int(Atspi.RelationType.LABELLED_BY) for target in targets]

    def get_extents(self):
        """In its window; raises for what has no place on the screen."""
        window = GLib.Variant("(u)", (int(Atspi.CoordType.WINDOW),))
        return Extents(*self.ask("Component", "GetExtents", window)[0])

    def get_text(self):
        # GTK 4.8 needs the character count instead of -1.
        whole = GLib.Variant("(ii)", (0, self.read("Text", "CharacterCount")))
        return self.ask("Text", "GetText", whole)[0]

    def act(self):
        """What a screen reader has it do first: a button is pressed."""
        return self.ask("Action", "DoAction", GLib.Variant("(i)", (0,)))[0]

    def set_text(self, text):
        return self.ask("EditableText", "SetTextContents", GLib.Variant("(s)", (text,)))[0]

    def get_current_value(self):
        return self.read("Value", "CurrentValue")

    def get_process_id(self):
        reply = bus().call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                "GetConnectionUnixProcessID", GLib.Variant("(s)", (self.owner,)), None,
                                Gio.DBusCallFlags.NONE, PATIENCE)
        return reply.unpack()[0]
