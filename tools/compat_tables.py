#!/usr/bin/env python3
"""Writes the tables under manifests/compat from gathered facts: run by hand when those change.

    compat_tables.py FACTS_DIR manifests/compat

FACTS_DIR holds cuda_driver.tsv, frameworks.tsv and so on, with free text in their cells. What is
not understood ends the run: no row is dropped in silence but those that SKIPPED explains.
"""

import csv
import re
import sys
from pathlib import Path

from compat_recipes import GLIBC, RECIPES

DATE = "2026-11-30"
SCHEMA = "1"

NAMES = {"onnxruntime-gpu": "onnxruntime", "paddlepaddle-gpu": "paddlepaddle",
         "opencv-dnn (CUDA)": "opencv"}

# (framework, version): why its rows say nothing that a table can hold.
SKIPPED = {
    ("tensorflow", "master (after 2.21)"): "no release",
    ("tensorflow", "2.22"): "a release candidate without figures",
    ("triton", "3.9.0"): "no figures",
    ("xformers", "0.0.33"): "no CUDA version",
    ("paddlepaddle-gpu", "2.6.2"): "no CUDA version",
    ("numba", "0.68.1"): "no figures",
    ("opencv-dnn (CUDA)", "4.2+"): "no CUDA version",
}

SHIPPED = [
    (r"extra|unless cupy", "extra"),
    (r"source build", "source"),
    (r"needs system|dlopens system|CUDA target moved|only on the Paddle index", "system"),
    (r"wheel|binary|bundles", "bundled"),
]


def rows_of(folder, name):
    with open(folder / f"{name}.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Table:
    """The lines of one file; sources are written once and named by a number."""

    def __init__(self):
        self.sources = {}
        self.lines = []

    def add(self, kind, *fields, source):
        text = clean_source(source)
        key = self.sources.setdefault(text, f"s{len(self.sources) + 1}")
        line = "\t".join([kind, *[" ".join(str(field).split()) for field in fields], key])
        if line not in self.lines:
            self.lines.append(line)

    def text(self):
        head = [f"compat\t{SCHEMA}\t{DATE}"]
        head += [f"source\t{key}\t{text}" for text, key in self.sources.items()]
        return "\n".join(head + self.lines) + "\n"


def clean_source(text):
    """A source without the numbers of a private index of pages."""
    text = re.sub(r";?\s*(?:stored )?copy (?:index id|in) [\w/]+", "", text)
    text = re.sub(r"index ids? [\d, ]+\d\s*\(([^()]*)\)", r"\1", text)
    text = re.sub(r"index ids? [\d, ]+\d", "a page whose address is not known", text)
    text = re.sub(r"\(\s*;?\s*\)", "", text)
    text = re.sub(r"\(list of PyPI packages[^)]*\)", "", text)
    text = re.sub(r"\s+\)", ")", " ".join(text.split()))
    return text.strip(" ;") or "not recorded"


def first_number(text):
    match = re.search(r"\d+(?:\.\d+)*", text)
    return match.group(0) if match else ""


def capability(text):
    """"sm_90" and "9.0" are both 9.0."""
    text = text.strip().rstrip("af")
    if text.startswith("sm_"):
        number = text[3:]
        return f"{number[:-1]}.{number[-1]}"
    return text


def alternative(text):
    """One of several versions: "12.x", "12.0-13.3", "12 (>=12.1)", ">=9.8,<10", "8.9"."""
    text = text.strip().rstrip("?")
    bound = re.fullmatch(r"(\d+)(?:\.x)? \(>=([\d.]+)(?: libs)?\)", text)
    if bound:
        return f">={bound[2]},<{int(bound[1]) + 1}"
    if re.fullmatch(r"(?:[<>]=?[\d.]+,?)+", text):
        return text
    span = re.fullmatch(r"([\d.]+)-([\d.]+?)(?:\.x)?", text)
    if span:
        return f">={span[1]},<={span[2]}"
    plain = re.fullmatch(r"(\d+(?:\.\d+)*)(?:\.x|\+)?", text)
    if not plain:
        raise ValueError(f"not understood: {text!r}")
    return f">={plain[1]}" if text.endswith("+") else plain[1]


def constraint(text):
    """What a cell says of versions, as alternatives; "" where it says nothing."""
    text = re.sub(r"\((?!>=)[^()]*\)", "", text)
    text = re.sub(r",? built with .*|.*optional.*|.*via torch|.*n/a.*|.*seen", "", text).strip()
    if not text:
        return ""
    if re.fullmatch(r"(?:[<>]=?[\d.]+,)*[<>]=?[\d.]+", text):
        return text
    if re.fullmatch(r"[\d.]+(?: [\d.]+)+", text):
        text = text.replace(" ", " or ")
    return "|".join(alternative(part) for part in re.split(r",? or |, |;", text) if part.strip())


def framework_version(text):
    text = re.sub(r"^jaxlib |\s*\(.*\)| cuda\d+|\.post\d+|b\d+$", "", text)
    return constraint(text)


def toolkits(folder, table):
    for row in rows_of(folder, "cuda_driver"):
        driver = row["toolkit_driver_linux"].lstrip("R")
        floor = row["min_minor_compat_linux"]
        table.add("toolkit", row["cuda_version"], row["release_date"], driver,
                  row["bundled_driver_linux"], "" if floor.startswith("n/a") else floor,
                  row["note"], source=row["source"])


def drivers(folder, table):
    for row in rows_of(folder, "driver_cuda"):
        kind = re.match(r"LTSB|PB|NFB", row["branch_type"])
        first = re.findall(r"\b\d+\.\d\b", row["archs_first_supported"])
        table.add("driver", row["driver_branch"].lstrip("R"), row["max_cuda_reported"],
                  kind.group(0) if kind else "", row["release_date"], row["eol_date"],
                  row["latest_build_seen"], first_number(row["min_cc"]), ",".join(first),
                  source=row["source"])


def forward(folder, table):
    """One row for each package: the branches that either the matrix or the image's gate names."""
    packages = {}
    for row in rows_of(folder, "forward_compat"):
        if not row["status"].startswith("compatible"):
            continue
        for minor in re.findall(r"\d+-\d+", row["compat_package"]):
            # An older matrix does not say what its packages were built from.
            cuda = minor.replace("-", ".")
            entry = packages.setdefault(cuda, ["", set(), row["source"]])
            entry[0] = entry[0] or row["built_from_driver"].lstrip("R")
            entry[1].add(int(row["driver_branch"].lstrip("R")))
    for cuda, (built, branches, source) in packages.items():
        table.add("forward", cuda, built, ",".join(map(str, sorted(branches))), source=source)


def architectures(folder, table):
    rows = rows_of(folder, "compute_capability")
    for row in rows:
        compiled = [capability(sm) for sm in row["sm_list"].split()]
        if ".." in row["deprecated"]:
            deprecated = [one for one in compiled if float(one) <= 7.2]
        else:
            deprecated = [capability(sm) for sm in re.findall(r"sm_\d+", row["deprecated"])]
        table.add("arch", row["cuda_version"], ",".join(compiled), ",".join(deprecated),
                  source=row["source"])


def gpus(folder, table):
    for row in rows_of(folder, "gpu_cc"):
        name = re.sub(r"\s*\(.*\)", "", row["gpu"])
        table.add("gpu", name, row["compute_capability"], row["architecture"].split(" (")[0],
                  row["class"], source=row["source"])


def compilers(folder, table):
    for row in rows_of(folder, "host_compiler"):
        for family in ("gcc", "clang"):
            table.add("compiler", row["cuda_version"], family, first_number(row[f"{family}_min"]),
                      first_number(row[f"{family}_max"]), row[f"{family}_max_alt"],
                      source=row["source"])
    for glibc, cuda, what, source in GLIBC:
        table.add("glibc", glibc, cuda, what, source=source)


def by_number(versions):
    return sorted(versions, key=lambda version: [int(part) for part in version.split(".")])


def libraries(folder, table):
    """Builds of one cuDNN for minors of one CUDA major are one row: the driver that the oldest of
    them asks for (a toolkit asks for its own besides), and all GPUs that any of them serves."""
    builds = {}
    for row in rows_of(folder, "cudnn"):
        key = (row["full_version"] or row["cudnn_version"],
               re.match(r"cuda(\d+)", row["variant"])[1], row["cuda_list_basis"].split("-")[0])
        builds.setdefault(key, []).append(row)
    for (release, major, basis), rows in builds.items():
        minors = {minor for row in rows if "x" not in row["cuda_versions"]
                  for minor in re.findall(r"\d+\.\d+", row["cuda_versions"])}
        drivers = {first_number(row["min_driver_linux"]) for row in rows} - {""}
        table.add("cudnn", release, major, ",".join(by_number(minors)), basis,
                  by_number(drivers)[0] if drivers else "",
                  by_number(row["min_cc"] for row in rows)[0],
                  by_number(row["max_cc"] for row in rows)[-1],
                  source=" ; ".join(dict.fromkeys(row["source"] for row in rows)))
    for row in rows_of(folder, "nccl"):
        builds = re.findall(r"\d+\.\d+", row["cuda_builds"])
        majors = re.findall(r"\d+", row["cuda_majors_supported"])
        table.add("nccl", first_number(row["nccl_version"]), ",".join(builds), ",".join(majors),
                  source=row["source"])


def shipped(text):
    for pattern, word in SHIPPED:
        if re.search(pattern, text):
            return word
    raise ValueError(f"how it is shipped is not understood: {text!r}")


def split_majors(row):
    """A row that speaks of two CUDA majors at once, with a figure for each, becomes two."""
    if "/" not in row["min_driver_linux"]:
        return [row]
    result = []
    for index, part in enumerate(row["cuda"].split(" or ")):
        one = dict(row, cuda=part)
        for column in ("min_driver_linux", "min_cc"):
            parts = row[column].split("/")
            one[column] = parts[index] if len(parts) > 1 else row[column]
        result.append(one)
    return result


def frameworks(folder, table):
    for gathered in rows_of(folder, "frameworks"):
        key = (gathered["framework"], gathered["version"])
        if key in SKIPPED:
            continue
        for row in split_majors(gathered):
            name = NAMES.get(row["framework"], row["framework"])
            # Which patch release a wheel was built with makes no difference.
            cuda = re.sub(r"(?<![\d.=])(\d+\.\d+)\.\d+", r"\1", row["cuda"])
            beta = re.search(r"b\d+$", row["version"])
            stated = row["min_driver_basis"] == "stated"
            table.add("framework", name, framework_version(row["version"]),
                      re.sub(r"^jaxlib ", "", row["version"]), constraint(cuda),
                      constraint(row["cudnn"]), constraint(row["python"]),
                      first_number(row["min_driver_linux"]),
                      "stated" if stated else "floor" if row["min_driver_linux"] else "",
                      first_number(row["min_cc"]), shipped(row["how_shipped"]),
                      "beta" if beta else row["status"], row["confidence"], row["note"],
                      source=row["source"])
    for name, version, cuda, command, source in RECIPES:
        table.add("recipe", name, version, cuda, command, source=source)


def sonames(folder, table):
    for row in rows_of(folder, "runtime_libs"):
        soname = row["soname_linux"].split()[0] if row["soname_linux"] else ""
        if not re.fullmatch(r"lib[\w.+-]+\.so[\w.]*", soname):
            continue
        first = first_number(row["first_cuda"])
        last = row["last_cuda"].replace(".x", "")
        if not first or not re.fullmatch(r"\d+(\.\d+)?", last):
            continue
        cuda = first if first == last else f">={first},<={last}"
        table.add("soname", soname, cuda, row["component"],
                  first_word_of(row["pip_package"]), source=row["source"])


def first_word_of(text):
    return text.split()[0].rstrip(";,") if text.strip() else ""


TABLES = {"toolkits": [toolkits], "drivers": [drivers, forward], "gpus": [architectures, gpus],
          "compilers": [compilers], "libraries": [libraries], "frameworks": [frameworks],
          "sonames": [sonames]}


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    facts, out = Path(arguments[0]), Path(arguments[1])
    for name, writers in TABLES.items():
        table = Table()
        for write in writers:
            write(facts, table)
        (out / f"{name}.tsv").write_text(table.text(), encoding="utf-8")
        print(f"{name}.tsv: {len(table.lines)} rows, {len(table.sources)} sources")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
