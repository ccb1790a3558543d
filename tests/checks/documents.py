#!/usr/bin/env python3
"""documents.py BUILD: every link of the documents leads somewhere, in the source tree and installed.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/*.md", "models/*/*.md",
         "engine/*.md", "engine/train/*.md", "tests/*/*.md", "tests/data/gold/*.md"]


def links(path):
    """Each relative link of a page, without what is behind #."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", link) and not link.startswith("#"):
            yield link.split("#")[0]


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
    missing = [str(path.relative_to(ROOT)) for path in [ROOT / "LICENSE", *sorted(ROOT.glob("docs/*.md"))]
               if path not in sources_of_installed]
    verdict(3, "licence and documents are installed", missing)
    print("1..3")


main()
