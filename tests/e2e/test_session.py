#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A session in the window, from outside: type, watch the heads, point, pin, keys, other pictures.

    test_session.py BUILD/app/regard            (TAP; needs a display and a session bus)

What the window says about a cell is compared with what the command line computes.
"""

import re
import sys

import regard
from driver import Picture, run_tap, wait_for
from regard import Window, spoken, test_quits_in_silence, thumbnails_now

FIRST = "The animal crossed a wide street."
SECOND = "Our green house has five windows."  # every piece is another one


def test_starts_with_a_sentence(window):
    """The argument stands in the text, is translated, and every head of the model is there."""
    window.wait_for_source(FIRST)
    translation = window.wait_for_translation()
    assert window.run_cli("translate", "--beam", 4, "/dev/null") == ""
    said = window.attend(FIRST, "cross", 4, 1)["meta"]["translation"]
    assert translation == said, (translation, said)
    window.thumbnails = window.find_thumbnails()
    places = {(k, l, h) for k in regard.KINDS.values() for l in range(1, 7) for h in range(1, 9)}
    assert set(window.thumbnails) == places, set(window.thumbnails) ^ places


def test_first_keys_are_another_text(window):
    """They take the place of the argument, as they do where they come while the window starts; Undo brings it back."""
    translation = window.translation()
    window.type("Rain")
    window.wait_for_source("Rain")
    window.wait_for_translation(not_=translation)
    window.key("ctrl+z")
    window.wait_for_source(FIRST)
    window.wait_for_translation(translation)


def test_typing_translates_and_moves_every_head(window):
    before, old = thumbnails_now(window.thumbnails), window.translation()
    picture = window.heatmap.get_description()
    window.replace_text(SECOND)
    said = window.attend(SECOND, "cross", 4, 1)
    window.wait_for_translation(said["meta"]["translation"])
    assert window.translation() != old

    def unchanged():
        now = thumbnails_now(window.thumbnails)
        return [place for place in now if now[place] == before[place]]

    wait_for(lambda: not unchanged(), lambda: f"all heads; these did not change: {unchanged()}")
    rows, columns = len(said["rows"]), len(said["columns"])
    assert window.heatmap.get_description() == f"{rows} rows, {columns} columns" != picture
    window.wait_for_status(rf"{columns} pieces · sentence 1 of 1")
    window.wait_for_status(r"log p −\d+\.\d · \d+ ms · .+")


def test_hover_says_what_the_command_line_computes(window):
    """The real pointer over every cell of a diagonal and of one row."""
    matrix = window.attend(SECOND, *window.place())
    row_names = [spoken(label["text"]) for label in matrix["rows"]]
    column_names = [spoken(label["text"]) for label in matrix["columns"]]
    assert len(set(row_names)) == len(row_names) and len(set(column_names)) == len(column_names)
    ys, xs = window.find_cells()
    assert (len(ys), len(xs)) == (len(row_names), len(column_names)), (ys, xs)
    cells = {(i * len(ys) // len(xs), i) for i in range(len(xs))}
    cells |= {(2, i) for i in range(len(xs))}
    for row, column in sorted(cells):
        window.move_pointer(xs[column], ys[row])
        cell = window.wait_for_cell(row_names[row], column_names[column])
        values = matrix["values"][row]
        weight = values[column]
        assert cell["weight"] == f"{weight:.{2 if weight >= 0.1 else 3}f}", (cell, weight)
        assert int(cell["rank"] or 1) == 1 + sum(v > weight for v in values), cell
        assert int(cell["n"]) == len(values)
    window.park_pointer()
    window.cells = (ys, xs, row_names, column_names)


def test_pointing_lights_the_words(window):
    """The pieces under the texts say which of them the cell stands for, and the other way round."""
    ys, xs, row_names, column_names = window.cells
    pieces = window.get("image", "Pieces of the source")
    window.move_pointer(xs[1], ys[2])
    wait_for(
        lambda: pieces.get_description().startswith(f"▁{column_names[1]} · 2 of"),
        lambda: f"the lit piece {column_names[1]!r}; it says {pieces.get_description()!r}",
    )
    x, y = window.position(pieces, 0, 0.5)
    window.move_pointer(x + 20, y)  # the first chip
    wait_for(
        lambda: window.heatmap.get_description() == f"column {column_names[0]}",
        lambda: f"column {column_names[0]!r}; it says {window.heatmap.get_description()!r}",
    )
    window.park_pointer()


def test_click_pins_and_escape_lets_go(window):
    ys, xs, row_names, column_names = window.cells
    whole = f"{len(ys)} rows, {len(xs)} columns"
    window.move_pointer(xs[3], ys[1])
    window.wait_for_cell(row_names[1], column_names[3])
    window.press()
    window.park_pointer()  # what is pinned stays when the pointer has gone
    window.wait_for_cell(row_names[1], column_names[3])
    window.get("label", f"▁{row_names[1]} → ▁{column_names[3]}")
    window.key("Escape")
    wait_for(
        lambda: window.heatmap.get_description() == whole,
        lambda: f"{whole!r}; it says {window.heatmap.get_description()!r}",
    )


def test_arrow_keys_move_the_cell(window):
    ys, xs, row_names, column_names = window.cells
    window.move_pointer(xs[2], ys[2])
    window.wait_for_cell(row_names[2], column_names[2])
    window.press()
    window.park_pointer()
    window.key("Right")
    window.wait_for_cell(row_names[2], column_names[3])
    window.key("Down", "Down", "Left")
    window.wait_for_cell(row_names[4], column_names[2])
    window.key("Up")
    window.wait_for_cell(row_names[3], column_names[2])
    window.key("Escape")


def test_keys_choose_kind_layer_and_head(window):
    """With the focus in the picture, where the test before left it."""
    kind, layer, head = window.place()
    window.key("Page_Down")
    window.wait_for_place(kind, layer + 1, head)
    window.key("bracketright", "bracketright")
    window.wait_for_place(kind, layer + 1, head + 2)
    window.key("Page_Up", "bracketleft")
    window.wait_for_place(kind, layer, head + 1)
    for key, other in (("1", "encoder"), ("3", "decoder"), ("2", "cross")):
        window.key(key)
        window.wait_for_place(other, layer, head + 1)
    window.wait_for_source(SECOND)


def test_the_same_keys_type_in_the_text(window):
    place = window.place()
    window.key("ctrl+l", "ctrl+End")
    window.type("123[]")
    window.wait_for_source(SECOND + "123[]")
    window.key("BackSpace", "BackSpace", "BackSpace", "BackSpace", "BackSpace")
    window.wait_for_source(SECOND)
    assert window.place() == place


def test_tab_reaches_every_pane(window):
    """From the text through pieces, heads, picture and controls, and round to the text again."""
    window.key("ctrl+l")
    seen = []
    stops = [n for n in window.walk(window.frame) if window.has_state(n, "FOCUSABLE")]

    def focused():
        return next((n for n in stops if window.has_state(n, "FOCUSED")), None)

    for _ in range(40):
        before = wait_for(focused, "a focus")
        window.key("Tab")
        after = wait_for(
            lambda: focused() if focused() is not before else None,
            lambda: f"Tab to lead on from {before.get_role_name()} {before.get_name()!r}",
        )
        seen.append(f"{after.get_role_name()} {after.get_name()}")
        if seen[-1] == "text Source":
            break
    names = " | ".join(seen)
    for wanted in ("Pieces of the source", "Translation", "Pieces of the translation", "Heads"):
        assert wanted in names, f"{wanted} not reached: {names}"
    assert re.search(r"image (Cross|Encoder|Decoder)", names), names
    assert seen[-1] == "text Source", f"Tab did not come round: {names}"


def test_click_on_a_thumbnail_shows_that_head(window):
    for place in (("encoder", 3, 6), ("decoder", 6, 2), ("cross", 5, 8)):
        window.move_pointer(*window.thumbnails[place])
        window.press()
        window.wait_for_place(*place)
        window.wait_for_status(f"layer {place[1]} · head {place[2]}")
    window.park_pointer()


def test_words_instead_of_pieces(window):
    """Through the control under the picture: fewer rows than pieces, and it says so."""
    text = "The archaeologist spoke about paleoethnobotany."
    window.replace_text(text)
    matrix = window.attend(text, "cross", 4, 1)
    window.wait_for_translation(matrix["meta"]["translation"])
    pieces = f"{len(matrix['rows'])} rows, {len(matrix['columns'])} columns"
    says = window.heatmap.get_description
    wait_for(lambda: says() == pieces, lambda: f"{pieces!r}; it says {says()!r}")
    choice = window.get("combo box", lambda name: name.startswith("Pieces"))
    window.choose(choice, "Words")
    wait_for(lambda: says() != pieces, "a merged matrix")
    rows, columns = map(int, re.findall(r"\d+", says()))
    # The full stop is a word of its own, and so is </s>.
    assert columns == len(text.split()) + 2, says()
    assert rows < len(matrix["rows"])
    window.get("label", lambda name: "merged" in name)
    window.choose(choice, "Pieces")
    wait_for(lambda: says() == pieces, lambda: f"{pieces!r}; it says {says()!r}")


def test_another_scale_and_colours(window):
    """The picture changes, and the colour bar names the scale."""

    def pixels():
        (x, y), box = window.position(window.heatmap, 0, 0), window.box(window.heatmap)
        return Picture().crop(x, y, box.width, box.height)

    before = pixels()
    window.choose(window.get("combo box", "Scale"), "Colours: faintest ones visible")
    window.get("image", lambda name: name.startswith("Colours") and "logarithmic" in name)
    wait_for(lambda: pixels() != before, "another scale")
    before = pixels()
    window.choose(window.get("combo box", "Colours"), "Magma")
    wait_for(lambda: pixels() != before, "other colours")


def test_inside_view(window):
    """Keys alone: the page says what each number is, and steps."""
    window.key("alt+2")
    picture = window.get("image", lambda name: name.startswith("Where the numbers"))
    wait_for(lambda: "query" in picture.get_description(), "a head and its query")
    window.get("label", "step 1 of 8")
    window.click(window.get("push button", lambda name: name.startswith("Step back")))
    window.get("label", "step 8 of 8")
    window.point(picture, 0.3, 0.3, until=lambda: re.search(r"-?\d|−\d", picture.get_description()))
    window.park_pointer()


def test_layers_view(window):
    window.key("alt+3")
    picture = window.get("image", lambda name: name.startswith("What each layer"))
    shown = window.get("combo box", lambda name: name.startswith("What is shown"))
    wait_for(lambda: "sub-layer adds" in picture.get_description(), "what each layer adds")
    window.choose(shown, "Logit Lens")
    wait_for(lambda: "Layers, logit lens" in picture.get_description(), "the lens")
    window.point(picture, 0.5, 0.2, until=lambda: "would say" in picture.get_description())
    window.park_pointer()
    window.choose(shown, "Norm")
    wait_for(lambda: "norm of the stream" in picture.get_description(), "norms")


def test_positions_view(window):
    window.key("alt+5")
    window.click(window.get("push button", "Table"), until=lambda: window.find("spin button", "positions"))
    table = window.get("image", lambda name: name.startswith("Position"))
    assert re.match(r"\d+ rows, 64 columns", table.get_description()), table.get_description()
    wait_for(lambda: window.box(table).height > 200, "the table to have room")
    said = re.compile(r"position (.+), dimension (.+), (-?[\d.]+)")
    value = window.point(table, 0.6, 0.5, until=lambda: said.fullmatch(table.get_description()))
    assert abs(float(value[3])) <= 1
    window.park_pointer()
    for button, name in (("Similarity", "imilarity"), ("Shift", "Shift")):
        window.click(window.get("push button", button),
                     until=lambda name=name: window.find("image", lambda label: name in label))
    window.click(window.get("push button", "Waves"), until=lambda: window.find("image", lambda name: "wave" in name))
    window.key("alt+1")
    wait_for(lambda: window.box(window.heatmap).height > 200, "the attention view")


def test_copies_a_picture(window):
    """Ctrl+C on the picture: another program gets a PNG."""
    window.paste_text("before")
    window.click(window.heatmap, 0.02, 0.02)
    window.key("ctrl+c")

    def png():
        data = window.clipboard("image/png")
        return data if data.startswith(b"\x89PNG\r\n\x1a\n") else None

    png = wait_for(png, "a picture on the clipboard")
    assert b"IEND" in png[-12:]
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert width > 500 and height > 300, (width, height)


TESTS = [
    test_starts_with_a_sentence,
    test_first_keys_are_another_text,
    test_typing_translates_and_moves_every_head,
    test_hover_says_what_the_command_line_computes,
    test_pointing_lights_the_words,
    test_click_pins_and_escape_lets_go,
    test_arrow_keys_move_the_cell,
    test_keys_choose_kind_layer_and_head,
    test_the_same_keys_type_in_the_text,
    test_tab_reaches_every_pane,
    test_click_on_a_thumbnail_shows_that_head,
    test_words_instead_of_pieces,
    test_another_scale_and_colours,
    test_inside_view,
    test_layers_view,
    test_positions_view,
    test_copies_a_picture,
    test_quits_in_silence,
]

if __name__ == "__main__":
    sys.exit(run_tap(TESTS, Window(regard.binary_from(sys.argv), FIRST)))
