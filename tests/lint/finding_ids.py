#!/usr/bin/env python3
"""Holds that docs/doctor.md lists each finding that `doctor` can give, and no other.

    finding_ids.py ROOT
"""

import re
from pathlib import Path

import program

AREAS = ("driver", "gpu", "device", "container", "toolkit", "loader", "library", "cudnn", "nccl", "conda",
         "sudo", "compiler", "glibc")
ID = re.compile(r'"((?:' + "|".join(AREAS) + r')\.[a-z0-9]+(?:-[a-z0-9]+)*)"')
LISTED = re.compile(r"`((?:" + "|".join(AREAS) + r")\.[a-z0-9]+(?:-[a-z0-9]+)*)`")
# Only for other commands than doctor.
ELSEWHERE = {"cudnn.not-available"}
# Put together from two words in the source.
JOINED = {"cudnn.unknown", "nccl.unknown"}


def main(root):
    root = Path(root)
    given = set()
    for folder in ("src/doctor", "src/compat", "src/commands"):
        for path in (root / folder).glob("*.cpp"):
            given |= set(ID.findall(path.read_text(encoding="utf-8")))
    given = (given | JOINED) - ELSEWHERE
    text = (root / "docs/doctor.md").read_text(encoding="utf-8")
    listed = set(LISTED.findall(text))
    problems = [f"docs/doctor.md: `{one}` is missing" for one in sorted(given - listed)]
    problems += [f"docs/doctor.md: nothing gives `{one}`" for one in sorted(listed - given)]
    for problem in problems:
        print(problem)
    print(f"{len(given)} findings, {len(problems)} problems")
    return 1 if problems or not given else 0


if __name__ == "__main__":
    program.run(__doc__, main)
