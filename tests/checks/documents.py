#!/usr/bin/env python3
"""documents.py BUILD: every link of the documents leads somewhere, in the source tree and installed; every chapter of
the handbook has a picture, and below each picture stands the command that makes it; files of the source tree that
README.md, CONTRIBUTING.md and the handbook name are there.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/*.md", "models/*/*.md",
         "engine/*.md", "engine/train/*.md", "tests/*/*.md", "tests/data/gold/*.md"]
MOST_BYTES = 1_500_000  # of all pictures of the handbook


def links(path):
    """Each relative link of a page, without what is behind #."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", link) and not link.startswith("#"):
            yield link.split("#")[0]


def pictures(path):
    """{picture of a chapter: the indented block below it}."""
    found, name, block = {}, None, []
    for line in path.read_text(encoding="utf-8").splitlines() + ["."]:
        here = re.search(r"\]\(([^)/]+\.(?:png|svg))\)", line)
        if name and line.startswith("    "):
            block.append(line.strip())
        elif name and (here or block or line.strip()):
            found[name] = "\n".join(block)
            name, block = None, []
        if here:
            name = here[1]
    return found


def wrong_pictures():
    """What tools/pictures could not make, and what no chapter shows."""
    shown = {}
    for path in sorted(ROOT.glob("docs/*.md")):
        here = pictures(path)
        if not here:
            yield f"{path.name} has no picture"
        shown |= here
        for name, command in here.items():
            if not (name in command or re.fullmatch(r"tools/lib/draw-[a-z]+\.py", command)):
                yield f"{path.name}: below {name} stands no command that makes it"
    files = {path.name: path.stat().st_size for kind in ("png", "svg") for path in ROOT.glob("docs/*." + kind)}
    yield from (f"{name} is in no chapter" for name in sorted(set(files) - set(shown)))
    if sum(files.values()) > MOST_BYTES:
        yield f"the pictures have {sum(files.values())} bytes, more than {MOST_BYTES}"


def vanished(path):
    """The files and folders of the source tree that a page names and that are not there; NAME stands for any."""
    for name in re.findall(r"`((?:engine|ui|app|assets|models|tests|tools)/[\w./-]+)`", path.read_text(encoding="utf-8")):
        if "NAME" not in name and not (ROOT / name).exists():
            yield f"{path.relative_to(ROOT)}: {name}"


def verdict(number, name, offenders):
    print(f"{'not ok' if offenders else 'ok'} {number} - {name}")
    for offender in offenders:
        print(f"# {offender}")


def main():
    sources = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))
    dead = [f"{path.relative_to(ROOT)}: {link}" for path in sources for link in links(path)
            if not (path.parent / link).exists()]
    verdict(1, f"every link of {len(sources)} documents leads somewhere", dead)

    info = Path(sys.argv[1]) / "meson-info/intro-installed.json"
    installed = {}  # where: from where
    for source, target in json.loads(info.read_text(encoding="utf-8")).items():
        source, target = Path(source), Path(target)
        if source.is_dir():
            installed |= {target / path.relative_to(source): path for path in source.rglob("*")}
        else:
            installed[target] = source
    names = {str(path) for path in installed}
    names |= {str(folder) for path in installed for folder in path.parents}
    pages = {where: source for where, source in installed.items() if where.suffix == ".md"}
    dead = []
    for where, source in sorted(pages.items()):
        for link in links(source):
            target = Path(*where.parent.parts)
            for part in Path(link).parts:
                target = target.parent if part == ".." else target / part
            if str(target) not in names:
                dead.append(f"{where}: {link}")
    verdict(2, f"every link of {len(pages)} installed documents leads to what is installed", dead)

    sources_of_installed = {source.resolve() for source in installed.values()}
    missing = [str(path.relative_to(ROOT)) for path in [ROOT / "LICENSE", *sorted(ROOT.glob("docs/*"))]
               if path not in sources_of_installed]
    verdict(3, "licence and handbook are installed", missing)
    verdict(4, "below every picture of the handbook stands the command that makes it", list(wrong_pictures()))
    verdict(5, "every file that CONTRIBUTING.md and the handbook name is there",
            [name for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
             for name in vanished(path)])
    print("1..5")


main()
