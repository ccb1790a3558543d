# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures for LaTeX: test_latex.py REGARD-CLI.

Each kind of figure is compiled as a TikZ picture and laid beside the program's own PDF: the same words, of the same
size on paper, and, looked at from afar, the same picture. Skipped where LaTeX or poppler-utils are not installed;
they are not among the packages of the tests, since they are larger than all of them.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ANIMAL = "The animal didn't cross the street because it was too tired."
HOSTILE = r"\input{x} 50% of $x_1 & #2 ~ {a} ^ \end{tikzpicture} a--b `c' \"d\""
# What is drawn, and with what it is compiled; those of PLOTS by pgfplots, the others by TikZ.
PLOTS = ("plot", "plots", "curves", "hostile plot")
FIGURES = {
    "head": (["attend", "--layer", "5", "--head", "5", ANIMAL], "pdflatex"),
    "layer": (["attend", "--kind", "encoder", "--layer", "3", "--head", "all", ANIMAL], "pdflatex"),
    "hostile": (["attend", "--kind", "encoder", HOSTILE], "pdflatex"),
    "steps": (["steps", ANIMAL], "pdflatex"),
    "layers": (["layers", "--show", "graph", ANIMAL], "pdflatex"),
    "positions": (["positions", "--length", "64"], "pdflatex"),
    "plot": (["attend", "--layer", "5", "--head", "5", ANIMAL], "pdflatex"),
    "plots": (["attend", "--kind", "decoder", "--layer", "3", "--head", "all", ANIMAL], "pdflatex"),
    "curves": (["complexity", "--passes", "0", ANIMAL], "pdflatex"),
    "hostile plot": (["attend", "--kind", "encoder", HOSTILE], "pdflatex"),
    "chinese": (["attend", "--kind", "encoder", "The 猫 sat."], "lualatex"),
}
PAGE = r"""\documentclass{article}
%s
\usepackage{textcomp,pgfplots}
\usepackage[paperwidth=200mm,paperheight=400mm,margin=10mm]{geometry}
\pagestyle{empty}\parindent=0pt
\begin{document}
\input{%s}
\end{document}
"""
# Type that has what is written: Latin for one; for the other what that lacks from a font of the window's packages.
FONTS = {
    "pdflatex": r"\usepackage[T1]{fontenc}\usepackage{lmodern}",
    "lualatex": r"\usepackage{fontspec}\directlua{luaotfload.add_fallback('cjk', {'Droid Sans Fallback:mode=node;'})}"
    r"\setsansfont{Latin Modern Sans}[RawFeature={fallback=cjk}]",
}


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **options)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, f"{' '.join(command)}: {text[-2000:]}"
    return text


def words(path):
    """Letters and digits alone: signs are set as mathematics, and blanks are of another font."""
    return sorted(re.findall(r"\w", re.sub(r"[\W_]", "", run("pdftotext", path, "-"))))


def picture(path, width, height):
    """The figure's place on the page as dots of 2 mm, darkness from 0 to 1."""
    image = run_bytes("pdftoppm", "-r", "127", "-gray", "-singlefile", path)
    header, _, size, _, data = re.match(rb"(P5)(\s+)(\d+ \d+)(\s+\d+\s)(.*)", image, re.DOTALL).groups()
    columns, rows = map(int, size.split())
    return 1 - np.frombuffer(data, np.uint8, rows * columns).reshape(rows, columns) / 255


def run_bytes(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True).stdout


def size_of(path):
    """Width and height of the page in points."""
    return tuple(map(float, re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", run("pdfinfo", path)).groups()))


def coarse(image, n=10):
    rows, columns = image.shape[0] // n * n, image.shape[1] // n * n
    return image[:rows, :columns].reshape(rows // n, n, columns // n, n).mean(axis=(1, 3))


def compiled(folder, name, ending):
    arguments, compiler = FIGURES[name]
    run(CLI, arguments[0], "-o", f"{folder}/{name}.{ending}", *arguments[1:])
    with open(f"{folder}/{name}-page.tex", "w", encoding="utf-8") as file:
        file.write(PAGE % (FONTS[compiler], f"{name}.{ending}"))
    run(compiler, "-interaction=nonstopmode", "-halt-on-error", f"{name}-page.tex", cwd=folder)
    with open(f"{folder}/{name}-page.log", encoding="utf-8", errors="replace") as file:
        log = file.read()
    assert "Missing character" not in log, re.search("Missing character.*", log)[0]
    assert "Overfull" not in log, re.search("Overfull.*", log)[0]


def test_plot(folder, name):
    """Every number of the CSV is in the file, as it stands there, and what the PDF says of the axes on the page."""
    compiled(folder, name, "pgfplots")
    with open(f"{folder}/{name}.pgfplots", encoding="utf-8") as file:
        plot = file.read()
    arguments = FIGURES[name][0]
    table = run(CLI, arguments[0], "-o", "-", "--format", "csv", *arguments[1:])
    if name == "plots":
        weights = [line.rsplit(",", 1)[1] for line in table.splitlines()[1:]]
        assert not set(weights) - set(re.split(r"\s", plot))
    said = run("pdftotext", f"{folder}/{name}-page.pdf", "-")
    assert "nan" not in said and re.search("weight|operations", said), said


def test_figure(folder, name):
    arguments = FIGURES[name][0]
    compiled(folder, name, "tikz")
    run(CLI, arguments[0], "-o", f"{folder}/{name}.pdf", *arguments[1:])
    ours, theirs = f"{folder}/{name}.pdf", f"{folder}/{name}-page.pdf"
    assert words(theirs) == words(ours)
    width, height = size_of(ours)
    small = coarse(picture(ours, width, height))
    page = picture(theirs, width, height)
    edge = round(10 / 25.4 * 127)
    placed = coarse(page[edge:, edge:])[: small.shape[0], : small.shape[1]]
    assert np.abs(placed - small).mean() < 0.02, np.abs(placed - small).mean()
    assert np.corrcoef(placed.ravel(), small.ravel())[0, 1] > 0.95, np.corrcoef(placed.ravel(), small.ravel())[0, 1]


def main():
    global CLI
    CLI = os.path.abspath(sys.argv[1])
    missing = [p for p in ("pdftotext", "pdftoppm", "pdflatex", "lualatex") if not shutil.which(p)]
    if missing:
        print(f"1..1\nok 1 latex # SKIP {missing[0]} is not installed")
        return False
    print(f"1..{len(FIGURES)}")
    failed = False
    with tempfile.TemporaryDirectory(prefix="regard-latex-") as folder:
        for n, name in enumerate(FIGURES, 1):
            try:
                (test_plot if name in PLOTS else test_figure)(folder, name)
                print(f"ok {n} latex: {name}", flush=True)
            except AssertionError as error:
                failed = True
                print(f"not ok {n} latex: {name}", flush=True)
                print("# " + str(error).replace("\n", "\n# "), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
