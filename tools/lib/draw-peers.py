#!/usr/bin/python3
"""Draw docs/peers.svg from the table of docs/performance.md: output tokens a second of three programs.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import pathlib

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
TOKENS = 30  # of each sentence
PROGRAMS = [("Regard, with all heads captured", 4, "#3584e4"), ("CTranslate2", 5, "#c0bfbc"), ("transformers", 7, "#77767b")]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 860, 340, 60, 50, 50


def read_rows():
    """[(what was measured, [tokens a second or None])] of the first model of the first table with these columns."""
    rows, inside = [], False
    for line in (DOCS / "performance.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| model | precision | threads"):
            inside = True
        elif inside and line.startswith("|--"):
            continue
        elif inside and len(cells) == 9 and (not rows or not cells[0]):
            rates = [TOKENS * 1000 / float(cells[column]) if cells[column] else None for _, column, _ in PROGRAMS]
            rows.append(([f"{cells[1]}, {cells[3]}", f"{cells[2]} thread{'s' if cells[2] != '1' else ''}"], rates))
        elif inside:
            break
    return rows


def draw(rows):
    most = max(rate for _, rates in rows for rate in rates if rate)
    top = 500 * -(-most // 500)
    scale, step = (HEIGHT - TOP - BOTTOM) / top, (WIDTH - LEFT - 20) / len(rows)
    out = []
    for rate in range(0, int(top) + 1, 500):
        y = HEIGHT - BOTTOM - rate * scale
        out += [f'<path d="M{LEFT} {y:.1f}H{WIDTH - 20}" stroke="#deddda"/>',
                f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{rate:,}</text>']
    for n, (label, rates) in enumerate(rows):
        x, bar = LEFT + n * step, (step - 18) / len(PROGRAMS)
        for k, ((_, _, colour), rate) in enumerate(zip(PROGRAMS, rates)):
            if rate:
                out.append(f'<rect x="{x + 9 + k * bar:.1f}" y="{HEIGHT - BOTTOM - rate * scale:.1f}" '
                           f'width="{bar - 1:.1f}" height="{rate * scale:.1f}" fill="{colour}"/>')
        out += [f'<text x="{x + step / 2:.1f}" y="{HEIGHT - BOTTOM + 17 + 14 * k}" text-anchor="middle">{part}</text>'
                for k, part in enumerate(label)]
    for k, (name, _, colour) in enumerate(PROGRAMS):
        out += [f'<rect x="{LEFT + 230 * k}" y="14" width="12" height="12" fill="{colour}"/>',
                f'<text x="{LEFT + 18 + 230 * k}" y="24">{name}</text>']
    out.append(f'<text x="{LEFT - 50}" y="42">output tokens a second</text>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        "<!-- Drawn by tools/lib/draw-peers.py. SPDX-License-Identifier: GPL-3.0-or-later -->",
        "<style>text{font:11px 'DejaVu Sans',sans-serif;fill:#241f31}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', *out, "</svg>", ""])


if __name__ == "__main__":
    (DOCS / "peers.svg").write_text(draw(read_rows()), encoding="utf-8")
