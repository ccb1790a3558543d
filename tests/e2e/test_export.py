#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures and numbers out of the window, through its dialogs, into files that others can read.

    test_export.py BUILD/app/regard            (TAP; needs a display and a session bus)
"""

import csv
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

import regard
from driver import run_tap
from regard import Window, test_quits_in_silence

TEXT = "Our green house has five windows."
FOLDER = tempfile.mkdtemp(prefix="regard-export-")


def save(window, title, path):
    """Answers the file chooser; until the window says that it has saved."""
    window.answer_file_chooser(title, path, f"Saved {os.path.basename(path)}")
    assert os.path.getsize(path) > 0


def export(window, format_name, file_name, what=None):
    """Ctrl+E, choose, Save…: the path of the file that was written."""
    path = os.path.join(FOLDER, file_name)
    assert not os.path.exists(path)
    window.key("ctrl+e")
    dialog = window.toplevel("Export")
    window.choose(window.get("combo box", "Format", dialog), format_name)
    if what:
        window.choose(window.get("combo box", "What", dialog), what)
    window.click(window.get("push button", lambda name: "Save…" in name, dialog),
                 until=lambda: window.is_open("Save As"))
    save(window, "Save As", path)
    window.wait_for_closed("Export")
    return path


def pdf_text(path):
    return subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True).stdout


def test_is_ready(window):
    window.wait_for_translation()
    window.matrix = window.attend(TEXT, *window.place())


def test_png_has_its_size(window):
    """160 mm at 300 dpi: that many pixels, and a pHYs chunk that says so."""
    with open(export(window, "PNG image", "head.png"), "rb") as file:
        data = file.read()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert crc == zlib.crc32(kind + body), kind
        chunks.setdefault(kind, body)
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    per_metre_x, per_metre_y, unit = struct.unpack(">IIB", chunks[b"pHYs"])
    assert unit == 1 and per_metre_x == per_metre_y
    assert abs(per_metre_x * 0.0254 - 300) < 0.5, per_metre_x
    assert abs(width / per_metre_x - 0.160) < 0.0005, width
    assert height > 600


def test_pdf_has_text_and_its_fonts(window):
    path = export(window, "PDF document", "head.pdf")
    text = pdf_text(path)
    for label in ("Cross-attention", *(row["text"].lstrip("▁") for row in window.matrix["rows"])):
        assert label in text, f"{label!r} is not in {text!r}"
    fonts = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout
    rows = fonts.splitlines()[2:]
    assert rows and all(" yes " in row for row in rows), fonts
    info = subprocess.run(["pdfinfo", path], capture_output=True, text=True, check=True).stdout
    width = float(re.search(r"Page size:\s+([\d.]+)", info)[1])
    assert abs(width / 72 * 25.4 - 160) < 0.5, info


def test_svg_has_real_text(window):
    path = export(window, "SVG drawing", "layer.svg", "All heads of the layer")
    with open(path, encoding="utf-8") as file:
        svg = file.read()
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    for head in range(1, 9):
        assert any(f"head {head}" in text for text in texts), (head, texts)
    assert re.search(r'width="160(\.0+)?mm"', svg), svg[:400]
    subprocess.run(["rsvg-convert", "-o", os.path.join(FOLDER, "svg.png"), path], check=True)


def test_csv_has_the_numbers(window):
    """The same ones as the command line's, with their labels."""
    with open(export(window, "CSV table", "head.csv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    found = [row for row in rows if re.fullmatch(r"[-\d.e]+", row[-1])]
    wanted = window.matrix["values"]
    assert len(found) == len(wanted), rows
    for row, values in zip(found, wanted):
        numbers = [float(cell) for cell in row[-len(values) :]]
        assert all(abs(a - b) < 1e-5 for a, b in zip(numbers, values)), (numbers, values)
    labels = {cell for row in rows for cell in row}
    for label in window.matrix["rows"] + window.matrix["columns"]:
        assert any(label["piece"] in cell for cell in labels), label


def test_npz_has_arrays(window):
    path = export(window, "NumPy arrays", "head.npz")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert all(name.endswith(".npy") for name in names) and len(names) > 1, names
        for name in names:
            assert archive.read(name).startswith(b"\x93NUMPY"), name


def test_whole_capture(window):
    """Ctrl+Shift+E: every head of the three attentions, before and after the softmax."""
    path = os.path.join(FOLDER, "capture.npz")
    window.key("ctrl+shift+e")
    save(window, "Save Whole Capture", path)
    keys, queries = len(window.matrix["columns"]), len(window.matrix["rows"])
    shapes = {
        "encoder_attentions": (6, 8, keys, keys),
        "decoder_attentions": (6, 8, queries, queries),
        "cross_attentions": (6, 8, queries, keys),
        "encoder_scores": (6, 8, keys, keys),
        "source_ids": (keys,),
        "output_ids": (queries,),
    }
    with zipfile.ZipFile(path) as archive:
        for name, shape in shapes.items():
            header = archive.read(f"{name}.npy")[:256].decode("latin-1")
            found = re.search(r"'shape': \(([^)]*)\)", header)[1]
            assert tuple(int(n) for n in found.split(",") if n.strip()) == shape, (name, header)


def test_position_table(window):
    window.key("alt+5")
    window.get("image", lambda name: name.startswith("Position"))
    text = pdf_text(export(window, "PDF document", "positions.pdf"))
    assert "osition" in text, text[:200]
    window.key("alt+1")
    window.get("image", lambda name: name.startswith("Cross-attention ·"))


def test_folder_that_cannot_be_written(window):
    """The dialog stays and says which file; after Escape the window is as it was."""
    window.key("ctrl+e")
    dialog = window.toplevel("Export")
    window.click(window.get("push button", lambda name: "Save…" in name, dialog),
                 until=lambda: window.is_open("Save As"))
    window.answer_file_chooser("Save As", "/proc/no-picture.pdf")
    window.get("label", lambda text: "no-picture.pdf" in text and "annot" in text, dialog)
    window.key("Escape")
    window.wait_for_closed("Export")
    assert window.source_text() == TEXT


TESTS = [
    test_is_ready,
    test_png_has_its_size,
    test_pdf_has_text_and_its_fonts,
    test_svg_has_real_text,
    test_csv_has_the_numbers,
    test_npz_has_arrays,
    test_whole_capture,
    test_position_table,
    test_folder_that_cannot_be_written,
    test_quits_in_silence,
]

if __name__ == "__main__":
    status = run_tap(TESTS, Window(regard.binary_from(sys.argv), TEXT))
    shutil.rmtree(FOLDER)
    sys.exit(status)
