#!/usr/bin/python3
# test-summary.py [--failure TEXT | BUILD-DIR]...: adds up what `meson test` left there.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Meson counts programs; a reader wants cases. Every line of meson-logs/testlog.json is one program
# with its result and what it printed. A program that speaks TAP counts by its cases, any other as
# one; a program that failed without a failed case (killed by a signal, out of time, a broken plan)
# counts as one failure more, and so does each TEXT. Prints what did not pass, a failed case with the last line of what is
# said of it, since a log that is cut off still has its end, then "N passed, N failed, N skipped".
# Exit status 1: a failure, or nothing passed at all.

import argparse
import glob
import itertools
import json
import os
import re
import sys

TAP_CASE = re.compile(
    r"^(?P<bad>not )?ok\b\s*\d*\s*(?:- )?(?P<name>.*?)"
    r"(?:\s+#\s*(?P<directive>SKIP|TODO)\b(?P<reason>.*))?$",
    re.IGNORECASE)


def reason(lines):
    """The last line of the comments that follow a failed case: of a traceback, what was raised."""
    comments = [line[1:].strip() for line in itertools.takewhile(lambda line: line.startswith("#"), lines)]
    return next((f" ({comment})" for comment in reversed(comments) if comment), "")


def cases(output):
    """Yields (verdict, name) for each top-level TAP line."""
    lines = output.splitlines()
    for number, line in enumerate(lines):
        match = TAP_CASE.match(line)
        if not match:
            continue
        directive = (match["directive"] or "").upper()
        if directive == "SKIP":
            yield "skipped", f"{match['name']} ({match['reason'].strip()})"
        elif match["bad"] and directive != "TODO":
            yield "failed", match["name"] + reason(lines[number + 1:])
        else:
            yield "passed", match["name"]


def programs(build):
    """Yields the records of one build directory; a run without a log has none."""
    for path in sorted(glob.glob(os.path.join(build, "meson-logs", "testlog*.json"))):
        with open(path, encoding="utf-8", errors="replace") as log:
            for line in log:
                yield json.loads(line)


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--failure", action="append", default=[])
    parser.add_argument("builds", nargs="*")
    options = parser.parse_args(arguments)
    total = {"passed": 0, "failed": len(options.failure), "skipped": 0}
    for text in options.failure:
        print(f"failed: {text}")

    def count(verdict, build, name):
        total[verdict] += 1
        if verdict != "passed":
            print(f"{verdict}: {os.path.basename(build)}: {name}")

    for build in options.builds:
        for program in programs(build):
            name, result = program["name"], program["result"]
            found = list(cases(program.get("stdout") or ""))
            for verdict, case in found:
                count(verdict, build, f"{name}: {case}")
            verdicts = {verdict for verdict, _ in found}
            if result in ("OK", "EXPECTEDFAIL"):
                if not found:
                    count("passed", build, name)
            elif result == "SKIP":
                if "skipped" not in verdicts:
                    count("skipped", build, name)
            elif "failed" not in verdicts:
                ended = re.search(r"^Bail out! *(.*)", program.get("stdout") or "", re.MULTILINE)
                said = f", {ended[1]}" if ended else ""
                count("failed", build, f"{name} ({result}, status {program.get('returncode')}{said})")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**total))
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
