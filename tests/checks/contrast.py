#!/usr/bin/env python3
# contrast.py: every text of the window's style is read at 4.5 : 1 where it has less than 18 px, and has at least
# 11 px, in light, in dark and in high contrast.
#
# Colours are those that libadwaita 1.2 names; what stands on a card, in a bar or in a popover is looked at on each of
# these grounds. Sizes are em of 11 pt at 96 dpi, which is what the desktop uses.
#
# SPDX-License-Identifier: GPL-3.0-or-later
import pathlib
import re
import sys

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "assets"
LEAST_CONTRAST, LEAST_PX, LARGE_PX, USUAL_PX = 4.5, 11, 18, 11 * 96 / 72

LIGHT = {
    "window_fg_color": (0, 0, 0, 0.8), "window_bg_color": (250, 250, 250, 1), "card_bg_color": (255, 255, 255, 1),
    "headerbar_fg_color": (0, 0, 0, 0.8), "headerbar_bg_color": (235, 235, 235, 1), "popover_bg_color": (255, 255, 255, 1),
    "accent_color": (28, 113, 216, 1), "accent_bg_color": (53, 132, 228, 1), "warning_color": (174, 123, 3, 1),
}
DARK = {
    "window_fg_color": (255, 255, 255, 1), "window_bg_color": (36, 36, 36, 1), "card_bg_color": (255, 255, 255, 0.08),
    "headerbar_fg_color": (255, 255, 255, 1), "headerbar_bg_color": (48, 48, 48, 1), "popover_bg_color": (56, 56, 56, 1),
    "accent_color": (120, 174, 237, 1), "accent_bg_color": (53, 132, 228, 1), "warning_color": (248, 228, 92, 1),
}
GROUNDS = ["window_bg_color", "card_bg_color", "headerbar_bg_color", "popover_bg_color"]


def split(text):
    """Arguments of a function, at the commas that stand in no bracket."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def evaluate(text, names):
    """(red, green, blue, alpha) of a colour as GTK has it; KeyError: a name or a function that is not known."""
    text = text.strip()
    if text.startswith("@"):
        return names[text[1:]]
    if text.startswith("#"):
        digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
        return tuple(int(digits[i:i + 2], 16) for i in (0, 2, 4)) + (1,)
    function = re.fullmatch(r"(alpha|mix|rgba|rgb)\((.*)\)", text)
    if not function:
        return {"white": (255, 255, 255, 1), "black": (0, 0, 0, 1)}[text]
    parts = split(function[2])
    if function[1] == "alpha":
        *colour, alpha = evaluate(parts[0], names)
        return (*colour, alpha * float(parts[1]))
    if function[1] == "mix":
        one, other = evaluate(parts[0], names), evaluate(parts[1], names)
        return tuple(a + (b - a) * float(parts[2]) for a, b in zip(one, other))
    return tuple(float(part) for part in (parts + ["1"])[:4])


def over(colour, ground):
    return tuple(c * colour[3] + g * (1 - colour[3]) for c, g in zip(colour[:3], ground[:3])) + (1,)


def luminance(colour):
    parts = [c / 255 for c in colour[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(colour, ground):
    a, b = luminance(over(colour, ground)), luminance(ground)
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)


def rules(text):
    """(selector, {property: value}) of a sheet, without its named colours."""
    text = re.sub(r"/\*.*?\*/|@define-color[^;]*;", "", text, flags=re.S)
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
        yield " ".join(selector.split()), dict(re.findall(r"([\w-]+)\s*:\s*([^;]+)", body))


def names_of(theme, sheets):
    names = dict(theme)
    for sheet in sheets:
        for name, value in re.findall(r"@define-color (\w+) ([^;]+);", sheet):
            names[name] = evaluate(value, names)
    return names


def ratios(names, colour, background):
    """Of a text on all grounds that it may stand on."""
    for ground in GROUNDS:
        behind = over(names[ground], names["window_bg_color"])
        yield contrast(colour, over(evaluate(background, names), behind) if background else behind)


def high_faults(title, names, last):
    """High contrast: what stands back can be read, and strokes in cells that the mask hides can be seen."""
    pale, dim = float(last[".regard-pale"]["opacity"]), names["regard_dim_color"]
    for what, colour in (("regard_hatch_color", names["regard_hatch_color"]),
                         (".regard-pale", (*dim[:3], dim[3] * pale))):
        if (least := min(ratios(names, colour, ""))) < LEAST_CONTRAST:
            yield f"{title}: {what}: {least:.2f} : 1"


def faults(title, theme, sheets, is_high=False):
    names = names_of(theme, sheets)
    looked_at = 0
    for selector, body in (rule for sheet in sheets for rule in rules(sheet)):
        size = re.fullmatch(r"([\d.]+)em", body.get("font-size", "1em").strip())
        px = float(size[1]) * USUAL_PX
        is_text = not re.search(r"image|sparkline", selector)
        looked_at += is_text and ("color" in body or "font-size" in body)
        if px < LEAST_PX:
            yield f"{title}: {selector}: {px:.1f} px"
        if "color" in body and is_text and px < LARGE_PX:
            background = body.get("background", "")
            least = min(ratios(names, evaluate(body["color"], names), "" if background == "none" else background))
            if least < LEAST_CONTRAST:
                yield f"{title}: {selector}: {least:.2f} : 1"
        if selector.startswith(".dim-label"):
            least = min(ratios(names, (*names["window_fg_color"][:3],
                                       names["window_fg_color"][3] * float(body["opacity"])), ""))
            if least < LEAST_CONTRAST:
                yield f"{title}: {selector}: {least:.2f} : 1"
    if is_high:
        yield from high_faults(title, names, dict(rule for sheet in sheets for rule in rules(sheet)))
    # What widgets that draw themselves take for less important text.
    least = min(ratios(names, names["regard_dim_color"], ""))
    if least < LEAST_CONTRAST:
        yield f"{title}: regard_dim_color: {least:.2f} : 1"
    if looked_at < 15:
        yield f"{title}: {looked_at} rules of text were found, expected 15"


def self_check():
    """The check itself finds what is too faint and too small."""
    bad = ("@define-color regard_dim_color alpha(@window_fg_color, 0.55);"
           ".a { color: @regard_dim_color; } .b { font-size: 0.7em; } .dim-label { opacity: 0.55; }")
    bad += "@define-color regard_hatch_color alpha(@window_fg_color, 0.45); .regard-pale { opacity: 0.62; }"
    found = list(faults("", LIGHT, [bad], is_high=True))
    return [selector for selector in (".a", ".b", ".dim-label", "regard_dim_color", "regard_hatch_color", ".regard-pale")
            if not any(f" {selector}:" in line for line in found)]


def main():
    every, dark, high = ((ASSETS / name).read_text(encoding="utf-8")
                         for name in ("style.css", "style-dark.css", "style-hc.css"))
    print("1..5")
    failed = False
    for i, (title, theme, sheets) in enumerate((("light", LIGHT, [every]), ("dark", DARK, [every, dark]),
                                                ("high contrast", LIGHT, [every, high]),
                                                ("high contrast, dark", DARK, [every, dark, high])), 1):
        wrong = list(faults(title, theme, sheets, is_high=high in sheets))
        for line in wrong:
            print(f"# {line}")
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {i} - {title}")
    missed = self_check()
    print(f"{'not ok' if missed else 'ok'} 5 - the check finds faults {' '.join(missed)}")
    return failed or bool(missed)


if __name__ == "__main__":
    sys.exit(main())
