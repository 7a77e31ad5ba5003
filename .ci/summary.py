#!/usr/bin/env python3
"""Tells how a test run ended: `summary.py [--line] JUNIT_FILE...`

Prints each skipped test with its reason (the line `SKIP: why` of its output), and the parts that
passing tests skipped (such lines in theirs); with --line also a closing line over all files: `N passed, N failed, N skipped`. Ends with 1 if a test failed, if a
file is missing, or if no test ran at all.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree


def output_of(case):
    return "\n".join(element.text or "" for element in case.iter("system-out"))


def reasons_of(case):
    return re.findall(r"^\s*SKIP(?:PED)?:\s*(.+?)\s*$", output_of(case), re.MULTILINE)


def reason_of(case):
    lines = [line.strip() for line in output_of(case).splitlines() if line.strip()]
    return (reasons_of(case) or lines[-1:] or ["it does not say why"])[0]


def read(path):
    """Names of passed and of failed tests; (name, reason) of skipped ones and of skipped parts."""
    passed, failed, skipped, parts = [], [], [], []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = case.get("name", "?")
        if case.get("status") == "disabled":
            skipped.append((name, "disabled"))
        elif case.find("failure") is not None or case.get("status") == "fail":
            failed.append(name)
        elif case.find("skipped") is not None:
            missing = "SKIP" not in (case.find("skipped").get("message") or "").upper()
            # ctest files a program that was never built under "skipped" as well.
            (failed.append(name) if missing else skipped.append((name, reason_of(case))))
        else:
            passed.append(name)
            parts += [(name, reason) for reason in reasons_of(case)]
    return passed, failed, skipped, parts


def main(arguments):
    closing_line = "--line" in arguments
    paths = [argument for argument in arguments if argument != "--line"]
    if not paths:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    passed, failed, skipped, parts = [], [], [], []
    for path in paths:
        try:
            outcome = read(path)
        except (OSError, ElementTree.ParseError) as error:
            print(f"error: no test results: {error}")
            failed.append(path)
            continue
        for total, part in zip((passed, failed, skipped, parts), outcome):
            total += part
    if failed:
        print(f"Failed: {', '.join(failed)}")
    for title, entries in (("tests", skipped), ("parts of passing tests", parts)):
        print(f"Skipped {title}: {len(entries) or 'none'}")
        for name, reason in entries:
            print(f"  {name}: {reason}")
    if closing_line:
        print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
