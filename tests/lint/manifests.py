#!/usr/bin/env python3
"""Holds that the data files under manifests/ are well formed.

    manifests.py ROOT
    manifests.py --self-test

JSON: parses, no key twice in one object, no NaN. TSV: an index of one release in the form that
manifests/README.md describes, or a table with rows of one width (in manifests/compat each kind of
row has its own; compat_tables.py looks into them), none twice; no field is padded.
All: UTF-8, line feeds only, a final newline; every SHA-256 has 64 lower-case hexadecimal digits.
"""

import json
import re
import tempfile
from pathlib import Path

import program

SHA256 = re.compile(r"[0-9a-f]{64}")
SHOWN = 50


def unique_pairs(pairs):
    seen = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"key {key!r} twice in one object")
        seen[key] = value
    return seen


def no_constant(word):
    raise ValueError(f"{word} is no JSON")


def digests(value, where=""):
    """Yields each wrong digest of a parsed document, with its place."""
    if isinstance(value, dict):
        for key, inner in value.items():
            place = f"{where}.{key}" if where else key
            if key == "sha256" and isinstance(inner, str):
                if not SHA256.fullmatch(inner):
                    yield f"{place}: {inner!r} is no SHA-256"
            else:
                yield from digests(inner, place)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from digests(inner, f"{where}[{index}]")


def check_json(text):
    try:
        document = json.loads(text, object_pairs_hook=unique_pairs, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        return [(error.lineno, error.msg)]
    except ValueError as error:
        return [(1, str(error))]
    return [(1, problem) for problem in digests(document)]


def check_table(lines):
    """Rows of one width, none twice; a column of SHA-256s holds nothing else."""
    problems = []
    by_kind = lines[0].startswith("compat\t") if lines else False
    widths = {}
    seen = set()
    for number, line in enumerate(lines, 1):
        fields = line.split("\t")
        width = widths.setdefault(fields[0] if by_kind else "", len(fields))
        if len(fields) != width:
            problems.append((number, f"{len(fields)} fields, the first row has {width}"))
        if line in seen:
            problems.append((number, "the same row twice"))
        seen.add(line)
        problems += [(number, f"{field!r} is no SHA-256") for field in fields
                     if len(field) > 55 and re.fullmatch(r"[0-9A-Fa-f]+", field)
                     and not SHA256.fullmatch(field)]
    return problems


def check_release(lines, path):
    """The index of one release: a head, then components, each followed by its archives."""
    problems = []
    head = lines[0].split("\t")
    if len(head) != 5 or head[2:4] != [path.parent.name, path.name.removesuffix(".tsv")]:
        problems.append((1, "the head does not name the product and version of the file's path"))
    component, archives = "", set()
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if fields[0] == "component":
            if len(fields) != 4:
                problems.append((number, f"a component has 4 fields, not {len(fields)}"))
            elif fields[1] <= component:
                problems.append((number, f"`{fields[1]}` is not after `{component}`"))
            component, archives = (fields + ["", ""])[1], set()
            continue
        if not component or len(fields) not in (4, 5):
            problems.append((number, "neither a component nor an archive of one"))
            continue
        if tuple(fields[:2]) in archives:
            problems.append((number, "the same platform and variant twice"))
        archives.add(tuple(fields[:2]))
        if not re.fullmatch(r"[1-9][0-9]*", fields[2]):
            problems.append((number, f"{fields[2]!r} is no size"))
        if not SHA256.fullmatch(fields[3]):
            problems.append((number, f"{fields[3]!r} is no SHA-256"))
        if fields[4:] and (fields[4].startswith("/") or ".." in fields[4].split("/")):
            problems.append((number, f"{fields[4]!r} leaves the product's folder"))
    return problems


def check_tsv(text, path):
    if not text:
        return [(1, "empty")]
    lines = text.removesuffix("\n").split("\n")
    problems = [(number, "a field with blanks around it") for number, line in enumerate(lines, 1)
                if any(field != field.strip() for field in line.split("\t"))]
    is_release = lines[0].split("\t")[0] == "release"
    return problems + (check_release(lines, path) if is_release else check_table(lines))


def check_file(path):
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [(data.count(b"\n", 0, error.start) + 1, "not UTF-8")]
    problems = []
    if "\r" in text:
        problems.append((text.count("\n", 0, text.index("\r")) + 1, "a carriage return"))
    if not text.endswith("\n"):
        problems.append((text.count("\n") + 1, "no newline at the end"))
    return problems + (check_json(text) if path.suffix == ".json" else check_tsv(text, path))


def check(root):
    folder = root / "manifests"
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".json", ".tsv") and p.is_file())
    found = [(path.relative_to(root).as_posix(), line, problem)
             for path in files for line, problem in check_file(path)]
    return files, found


def self_test():
    digest = "a" * 64
    head = "release\t1\tcuda\t12.1.0\t2023-02-28\n"
    index = head + f"component\tcudart\t12.1.55\tx\nlinux-x86_64\t-\t7\t{digest}\n"
    release = "cuda/12.1.0.tsv"
    good = [
        ("a.json", '{"a": [1, {"sha256": "' + digest + '"}]}\n'),
        ("a.tsv", f"x\t{digest}\ny\t{digest}\n"),
        ("compat/a.tsv", "compat\t1\nsource\ta\nb\tc\td\nb\tc\te\n"),
        (release, index),
        (release, index + f"linux-sbsa\tcuda12\t7\t{digest}\ta/b.tar.xz\n"),
    ]
    bad = [
        ("a.json", '{"a": 1,}\n', 1), ("a.json", '{"a": 1, "a": 2}\n', 1), ("a.json", "[NaN]\n", 1),
        ("a.json", '\n\n{"a" 1}\n', 3), ("a.json", '{"sha256": "12"}\n', 1), ("a.json", "[]", 1),
        ("compat/a.tsv", "compat\t1\nb\tc\td\nb\tc\n", 3),
        ("a.tsv", "a\tb\n1\n", 2), ("a.tsv", "a\tb\n1\t2 \n", 2), ("a.tsv", "a\nx\nx\n", 3),
        ("a.tsv", "a\n1\r\n", 2), ("a.tsv", "", 1), ("a.tsv", "a\nb", 2),
        ("a.tsv", b"a\nb\n\xff\n", 3), ("a.tsv", f"{digest}\n{digest[:-1]}\n", 2),
        ("cuda/12.1.1.tsv", index, 1), ("cudnn/12.1.0.tsv", index, 1),
        (release, head + f"linux-x86_64\t-\t7\t{digest}\n", 2),
        (release, index + f"linux-x86_64\t-\t8\t{digest}\n", 4),
        (release, index + f"linux-sbsa\t-\t0\t{digest}\n", 4),
        (release, index + f"linux-sbsa\t-\t7\t{digest.upper()}\n", 4),
        (release, index + f"linux-sbsa\t-\t7\t{digest}\t../a\n", 4),
        (release, index + "component\tcrt\t12.1.55\tx\n", 4),
        (release, index + "component\tnvcc\t12.1.55\n", 4),
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text, line in [(name, text, None) for name, text in good] + bad:
            path = root / "manifests" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            lines = [entry[1] for entry in check(root)[1]]
            path.unlink()
            if (line in lines) != (line is not None) or (line is None and lines):
                failed += 1
                print(f"FAILED {name} {text!r}: wanted line {line}, found {lines}")
    print(f"{len(good) + len(bad) - failed} of {len(good) + len(bad)} cases hold")
    return 1 if failed else 0


def main(root):
    files, found = check(Path(root).resolve())
    for name, line, problem in found[:SHOWN]:
        print(f"{name}:{line}: {problem}")
    if not files:
        print("error: no JSON or TSV file under manifests/")
        return 1
    print(f"{len(files)} files, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    program.run(__doc__, main, self_test)
