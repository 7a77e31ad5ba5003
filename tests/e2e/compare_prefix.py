#!/usr/bin/env python3
"""Compares a prefix with what pack_toolkit.py packed.

    compare_prefix.py expected.tsv PREFIX

Every packed file must be there with its bytes and mode, every link with its target, and nothing
else but what cudaenv adds: links of the usual layout, version.json, its own folder.
"""

import hashlib
import os
import stat
import sys
from pathlib import Path

ADDED = {"lib64", "version.json", "targets", "extras"}
ADDED_BELOW = (".cudaenv/", "targets/", "extras/")


def main(list_file, prefix):
    prefix = Path(prefix)
    problems, expected, count = [], set(), 0
    for line in Path(list_file).read_text(encoding="utf-8").splitlines():
        component, path, mode, size, digest = line.split("\t")
        if path == "LICENSE":
            path = f"share/licenses/{component}/LICENSE"
        expected.add(path)
        problems += compare(prefix / path, path, mode, int(size), digest)
        count += 1
    for path in sorted(present(prefix) - expected):
        if path not in ADDED and not path.startswith(ADDED_BELOW):
            problems.append(f"{path} was not packed")
    for problem in problems[:20]:
        print(problem)
    print(f"{count} files and links compared, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


def compare(file, path, mode, size, digest):
    if not file.is_symlink() and not file.exists():
        return [f"{path} is missing"]
    status = file.lstat()
    if mode == "link":
        target = os.readlink(file) if file.is_symlink() else "no link"
        return [] if target == digest else [f"{path} leads to {target}, not to {digest}"]
    if not stat.S_ISREG(status.st_mode):
        return [f"{path} is no plain file"]
    found = []
    if f"{stat.S_IMODE(status.st_mode):o}" != mode:
        found.append(f"{path} has mode {stat.S_IMODE(status.st_mode):o}, not {mode}")
    if status.st_size != size or sha256(file) != digest:
        found.append(f"{path} has other bytes")
    return found


def sha256(file):
    digest = hashlib.sha256()
    with open(file, "rb") as data:
        for block in iter(lambda: data.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def present(prefix):
    paths = set()
    for folder, folders, files in os.walk(prefix):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in files + links:
            paths.add(os.path.relpath(os.path.join(folder, name), prefix))
    return paths


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
