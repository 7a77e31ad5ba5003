#!/usr/bin/env python3
"""Holds the layers: who may include whom, and which words belong to which folder.

    include_directions.py ROOT      check the tree, print file:line of each violation
    include_directions.py --self-test
"""

import re
from pathlib import Path

import program
from cpp_text import code_only, line_of

# Each folder below src/ may include itself and the ones named, nothing else. A folder that is
# not in the table is a violation too: the table comes first, then the folder.
LAYERS = {
    "base": [],
    "model": ["base"],
    "catalog": ["model", "base"],
    "compat": ["model", "base"],
    "activate": ["model", "base"],
    "sys": ["base"],
    "net": ["sys", "base"],
    "archive": ["sys", "base"],
    "gpu": ["sys", "model", "base"],
    "store": ["sys", "model", "base"],
    "doctor": ["gpu", "compat", "sys", "model", "base"],
    "install": ["store", "net", "archive", "catalog", "sys", "model", "base"],
    "export": ["activate", "catalog", "model", "base"],
}
LAYERS["commands"] = list(LAYERS)
LAYERS["cli"] = list(LAYERS)
# The programs' own files directly in src/: they build the real host and call cli.
PROGRAM = ["cli", "commands", "sys", "net", "gpu"]

# What cmake/embed.cmake makes of files, as headers below embedded/.
EMBEDDED = {"catalog", "compat", "activate", "gpu", "doctor", "cli"}

# The folders that compute and do nothing else.
PURE = {"base", "model", "catalog", "compat", "activate", "export"}

# Libraries by the folders that may include them, and whether their headers may reach ours.
LIBRARIES = [
    (r"fmt/", None, True),
    (r"curl/", {"net"}, False),
    (r"archive(_entry)?\.h$", {"archive"}, False),
    (r"(lzma|zlib|isa-l|igzip_lib)(\.h$|/)", {"archive"}, False),
    (r"openssl/", {"sys"}, False),
    (r"CLI/", {"cli"}, False),
    (r"nlohmann/json_fwd\.hpp$", {"catalog", "compat", "doctor", "store", "cli"}, True),
    (r"nlohmann/", {"catalog", "compat", "doctor", "store", "cli"}, False),
    (r"toml\+\+/", {"catalog", "cli"}, False),
]
PLATFORM_HEADER = re.compile(r".*\.h$|(sys|linux|net|netinet|arpa)/")
STREAM_HEADERS = {"fstream", "iostream", "cstdio", "syncstream"}

_FS = r"(?:\bfs|\bfilesystem)\s*::\s*"
CHANGING_CALLS = (
    r"(?:create_(?:directory|directories|symlink|directory_symlink|hard_link)|remove(?:_all)?|rename|"
    r"resize_file|permissions|copy(?:_file|_symlink)?)\s*\("
)
ASKING_CALLS = (
    r"(?:exists|status|symlink_status|is_\w+|file_size|space|read_symlink|(?:weakly_)?canonical|"
    r"absolute|current_path|temp_directory_path|(?:recursive_)?directory_iterator|last_write_time)"
    r"\s*[({]"
)

# (rule, pattern, folders that may, what to do instead)
WORDS = [
    ("environment", r"\b(?:secure_)?(?:get|set|unset|put)env\s*\(", {"sys"},
     "take it from sys::Environment"),
    ("stream", r"\bstd\s*::\s*(?:cout|cerr|clog|cin)\b|\bfmt\s*::\s*print\s*\(|"
               r"(?<![\w.>:])(?:std\s*::\s*)?(?:v?f?printf|f?puts|perror)\s*\(", {"sys", "cli"},
     "return the value, or tell Progress"),
    ("exit", r"(?<![\w.>:])(?:std\s*::\s*|::\s*)?(?:quick_)?exit\s*\(", {"sys"},
     "throw an Error; cli::run makes the status"),
    # What a forked child must do instead of returning.
    ("exit", r"(?<![\w.>:])(?:std\s*::\s*|::\s*)?(?:_exit|_Exit)\s*\(", {"sys", "gpu"},
     "throw an Error; cli::run makes the status"),
    ("clock", r"\bsystem_clock\s*::\s*now\b", {"sys"}, "ask sys for the time"),
    ("filesystem", _FS + CHANGING_CALLS, {"sys"}, "call sys/file.hpp"),
    ("filesystem", _FS + r"(?:current_path\s*\(\s*[^)\s]|last_write_time\s*\([^();]*,)", {"sys"},
     "call sys/file.hpp"),
    ("filesystem", r"\busing\s+(?:namespace\s+)?(?:std\s*::\s*)filesystem\b", set(),
     "say `namespace fs = std::filesystem`, so that its calls are seen"),
    ("filesystem", r"\bnamespace\s+(?!fs\b)\w+\s*=\s*(?:::)?std\s*::\s*filesystem\b", set(),
     "the alias is called fs"),
    ("namespace", r"\busing\s+namespace\s+std\s*;", set(), "name what you use"),
]

LINE_LIMIT = 400
# Files over the limit that are put up with: path below the root -> its number of lines.
TOLERATED_LENGTHS = {}

# In two pieces, so that this file passes its own check.
OPEN_END = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b(?!\(#\d+\))")
OPEN_END_FOLDERS = ["src", "tests", "tools", "cmake", "shell", "packaging"]
TEXT_SUFFIXES = {".cpp", ".hpp", ".py", ".sh", ".bash", ".bats", ".txt", ".cmake", ".in", ".cu"}


class Report:
    def __init__(self, root):
        self.root = root
        self.violations = []

    def add(self, path, line, rule, message):
        self.violations.append((path.relative_to(self.root).as_posix(), line, rule, message))


def check_include(report, path, folder, line, name, quoted):
    allowed = PROGRAM if folder is None else LAYERS[folder] + [folder]
    where = f"{folder}/" if folder else "a program's file"
    if quoted:
        target = name.split("/")[0]
        if "/" not in name or ".." in name:
            report.add(path, line, "path", f'"{name}": write the path from src/, as in "sys/file.hpp"')
        elif target == "embedded" and folder in EMBEDDED:
            return
        elif target not in allowed:
            report.add(path, line, "layer", f'{where} may not include "{name}"')
        return
    for pattern, owners, in_headers in LIBRARIES:
        if re.match(pattern, name):
            if owners is not None and folder not in owners:
                report.add(path, line, "library", f"{where} may not include <{name}>")
            elif path.suffix == ".hpp" and not in_headers:
                report.add(path, line, "header", f"<{name}> belongs in a .cpp file")
            return
    if PLATFORM_HEADER.match(name):
        if folder in PURE:
            report.add(path, line, "pure", f"{where} computes only; <{name}> is for sys/")
    elif "/" in name or "." in name:
        report.add(path, line, "library", f"<{name}> is in no table: see LIBRARIES")
    elif folder in PURE and name in STREAM_HEADERS:
        report.add(path, line, "pure", f"{where} computes only; <{name}> is for sys/")


INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]*)>|\"([^\"\n]*)\")", re.MULTILINE)


def check_source(report, path):
    relative = path.relative_to(report.root / "src")
    folder = relative.parts[0] if len(relative.parts) > 1 else None
    source = path.read_text(encoding="utf-8")
    code = code_only(source)
    if folder is not None and folder not in LAYERS:
        report.add(path, 1, "layer", f"{folder}/ is not in the include table")
        return
    for match in INCLUDE.finditer(code):
        name = match.group(1) or match.group(2) or ""
        check_include(report, path, folder, line_of(code, match.start()), name,
                      match.group(2) is not None)
    for rule, pattern, owners, advice in WORDS:
        if folder in owners:
            continue
        for match in re.finditer(pattern, code):
            word = " ".join(match.group(0).split()).rstrip("({")
            report.add(path, line_of(code, match.start()), rule, f"`{word}`: {advice}")
    if folder in PURE:
        for match in re.finditer(_FS + ASKING_CALLS, code):
            report.add(path, line_of(code, match.start()), "pure",
                       f"`{match.group(0).rstrip('({')}`: {folder}/ computes only")
    if path.suffix == ".hpp":
        check_header(report, path, code)
    check_length(report, path, source)


def check_header(report, path, code):
    if not re.search(r"^#pragma once$", code, re.MULTILINE):
        report.add(path, 1, "header", "`#pragma once` is missing")
    for match in re.finditer(r"^\s*using\s+namespace\b(?!\s+std\s*;)", code, re.MULTILINE):
        report.add(path, line_of(code, match.end()), "header", "a header opens no namespace")


def check_length(report, path, source):
    name = path.relative_to(report.root).as_posix()
    lines = source.count("\n")
    limit = TOLERATED_LENGTHS.get(name, LINE_LIMIT)
    if lines > limit:
        report.add(path, limit + 1, "length", f"{lines} lines, the limit is {limit}")
    elif name in TOLERATED_LENGTHS and lines <= LINE_LIMIT:
        report.add(path, 1, "length", "short again: take it off TOLERATED_LENGTHS")


def check_cmake_layers(report, path):
    """What a layer links must be what it may include."""
    folder = path.parent.name
    text = re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))
    for match in re.finditer(r"cudaenv_layer\s*\((.*?)\)", text, re.DOTALL):
        words = match.group(1).split()
        section = None
        for word in words[1:]:
            if word in ("SOURCES", "LAYERS", "LIBRARIES"):
                section = word
            elif (section == "LAYERS" and word not in LAYERS.get(folder, [])
                  and word != folder and not word.startswith(folder + "_")):  # parts of one layer
                line = line_of(text, text.index(word, match.start()))
                report.add(path, line, "layer", f"{folder}/ may not link {word}")


def check_open_ends(report):
    for folder in OPEN_END_FOLDERS:
        for path in sorted((report.root / folder).rglob("*")):
            if path.suffix in TEXT_SUFFIXES and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                for match in OPEN_END.finditer(text):
                    report.add(path, line_of(text, match.start()), "issue",
                               f"`{match.group(0)}` without an issue: write `{match.group(0)}(#12)`")


def check(root):
    report = Report(root)
    source_root = root / "src"
    if not source_root.is_dir():
        raise SystemExit(f"error: no src/ in {root}")
    for path in sorted(source_root.rglob("*")):
        if path.suffix in (".cpp", ".hpp"):
            check_source(report, path)
        elif path.name == "CMakeLists.txt" and path.parent != source_root:
            check_cmake_layers(report, path)
    check_open_ends(report)
    return sorted(set(report.violations))


def self_test():
    import include_directions_cases

    return include_directions_cases.run(check)


def main(root):
    violations = check(Path(root).resolve())
    for path, line, rule, message in violations:
        print(f"{path}:{line}: {rule}: {message}")
    print(f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    program.run(__doc__, main, self_test)
