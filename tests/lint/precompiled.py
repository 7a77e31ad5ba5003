#!/usr/bin/env python3
"""Holds the includes of what cmake/options.cmake precompiles, which no compiler misses there.

A file that uses such a header includes it itself or by headers of ours.

    precompiled.py ROOT        check the tree, print file:line of each header that is missing
    precompiled.py --self-test
"""

import re
import tempfile
from pathlib import Path

import program
from cpp_text import code_only, line_of

# What a header is used for, as far as it is told from other things by its name. `utility` comes
# with all the others and is not looked for.
USES = {
    "algorithm": r"std::(?:(?:stable_)?sort|find(?:_if(?:_not)?)?|(?:any|all|none)_of|count(?:_if)?"
                 r"|max|min|minmax|(?:max|min)_element|transform|copy(?:_if|_n)?|remove(?:_if)?"
                 r"|reverse|unique|equal|(?:lower|upper)_bound|binary_search|clamp|fill(?:_n)?"
                 r"|search|replace(?:_if)?|mismatch|rotate|generate|for_each|includes|partition"
                 r"|set_(?:difference|intersection|union)|is_sorted|shuffle|equal_range)\s*[(<]",
    "chrono": r"std::chrono\b",
    "filesystem": r"std::filesystem\b",
    "functional": r"std::(?:function|(?:less|greater)(?:_equal)?|(?:not_)?equal_to|plus|hash"
                  r"|c?ref|reference_wrapper|invoke|not_fn)\b",
    "map": r"std::(?:multi)?map\b",
    "optional": r"std::(?:make_)?(?:optional|nullopt)\b",
    "set": r"std::(?:multi)?set\b",
    "string": r"std::(?:string|to_string|getline|sto(?:i|u?ll?|d|f))\b",
    "string_view": r"std::string_view\b",
    "utility": None,
    "variant": r"std::(?:variant|visit|get_if|holds_alternative|monostate)\b",
    "vector": r"std::vector\b",
    "doctest/doctest.h": r"\b(?:TEST_CASE|SUBCASE|CHECK|REQUIRE)(?:_\w+)?\s*\(",
    "fmt/format.h": r"\bfmt::\w+",
}
# What brings the header by the standard's own word.
BROUGHT_BY = {"string_view": {"string"}}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]*)>|"([^"\n]*)")', re.MULTILINE)


# Where they are listed: for all, and those that the tests add.
LISTS = ["cmake/options.cmake", "tests/support/CMakeLists.txt"]


def precompiled_headers(root):
    headers = []
    for name in LISTS:
        text = (root / name).read_text(encoding="utf-8")
        call = re.search(r"(?:target_precompile_headers|cudaenv_precompiled)\(\S+ "
                         r"(?:PRIVATE|HEADERS)([^)]*)\)", text)
        headers += re.findall(r"<([^>]+)>", call.group(1))
    return headers


class Includes:
    """What a file includes, itself and by headers of ours."""

    def __init__(self, root):
        self.roots = [root / "src", root / "tests"]
        self.known = {}

    def of(self, path):
        if path not in self.known:
            self.known[path] = set()  # for headers that include each other
            found = set()
            for outside, ours in INCLUDE.findall(code_only(path.read_text(encoding="utf-8"))):
                if outside:
                    found.add(outside)
                for folder in [path.parent, *self.roots] if ours else []:
                    if (folder / ours).is_file():
                        found |= self.of(folder / ours)
                        break
            self.known[path] = found
        return self.known[path]


def missing(root):
    headers = precompiled_headers(root)
    includes = Includes(root)
    found = []
    for path in sorted(path for top in ("src", "tests", "tools") for path in (root / top).rglob("*")
                       if path.suffix in (".cpp", ".hpp")):
        code = code_only(path.read_text(encoding="utf-8"))
        has = includes.of(path)
        for header in headers:
            if header not in USES:
                return [f"{LISTS[0]}:1: <{header}> is precompiled: say in {__file__} "
                        "what it is used for"]
            if not USES[header] or header in has or BROUGHT_BY.get(header, set()) & has:
                continue
            use = re.search(USES[header], code)
            if use:
                found.append(f"{path.relative_to(root)}:{line_of(code, use.start())}: "
                             f"`{use.group(0)}` needs #include <{header}>")
    return found


def check(root):
    found = missing(Path(root).resolve())
    for line in found:
        print(line)
    return 1 if found else 0


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in {
            "cmake/options.cmake": "target_precompile_headers(${target} PRIVATE\n <algorithm> <map> <string>)",
            "tests/support/CMakeLists.txt": "cudaenv_precompiled(x HEADERS <vector>)",
            "src/a/ours.hpp": "#include <map>\nstd::map<int, int> numbers;\n",
            "src/a/good.cpp": '#include "a/ours.hpp"\nstd::map<int, int> more;  // std::string\n',
            "src/a/bad.cpp": '#include "a/ours.hpp"\n\nstd::string text;\n',
            "src/a/max.cpp": "int most = std::max<int>(1, 2);\n",
            "tests/far.cpp": "std::map<int, int> far;\nstd::vector<int> near;\n",
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = missing(root)
    expected = ["src/a/bad.cpp:3: `std::string` needs #include <string>",
                "src/a/max.cpp:1: `std::max<` needs #include <algorithm>",
                "tests/far.cpp:1: `std::map` needs #include <map>",
                "tests/far.cpp:2: `std::vector` needs #include <vector>"]
    if found != expected:
        print("expected", expected, "found", found)
        return 1
    return 0


program.run(__doc__, check, self_test)
