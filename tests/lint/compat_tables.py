#!/usr/bin/env python3
"""Holds that the tables under manifests/compat make sense and know what the catalogue has.

    compat_tables.py ROOT
    compat_tables.py --self-test

Figures are in range and go up with the releases, what belongs together agrees, and every release
of manifests/redist has its row. The form of the rows is the program's own parser's to check.
"""

import re
from collections import defaultdict
from pathlib import Path

import program

SHOWN = 50


def number(text):
    return tuple(int(part) for part in text.split("."))


def capabilities(text):
    return [number(one) for one in text.split(",") if one]


class Tables:
    """The rows by kind, as (file:line, fields without the kind)."""

    def __init__(self, texts):
        self.rows = defaultdict(list)
        self.problems = []
        self.sources_of = {}
        for name, text in texts:
            sources = {}
            for at, line in enumerate(text.splitlines(), 1):
                kind, *fields = line.split("\t")
                place = f"{name}:{at}"
                if kind == "source":
                    sources[fields[0]] = place
                    self.sources_of[name, fields[0]] = fields[1] if len(fields) > 1 else ""
                    if len(fields) != 2 or not fields[1]:
                        self.say(place, "a source without text")
                elif kind != "compat":
                    if fields[-1] not in sources:
                        self.say(place, f"no source `{fields[-1]}` above it")
                    self.rows[kind].append((place, fields))
            used = {fields[-1] for rows in self.rows.values() for place, fields in rows
                    if place.startswith(name + ":")}
            for key in sources.keys() - used:
                self.say(sources[key], f"nothing uses the source `{key}`")

    def say(self, place, problem):
        self.problems.append((place, problem))

    def check(self, catalogue):
        self.check_toolkits()
        self.check_drivers()
        self.check_forward()
        self.check_architectures()
        self.check_gpus()
        self.check_compilers()
        self.check_cudnn()
        self.check_frameworks()
        self.check_boards()
        self.check_coverage(catalogue)
        return self.problems

    def check_toolkits(self):
        before = {}
        for place, (release, date, driver, bundled, floor, *_) in self.rows["toolkit"]:
            major = number(release)[0]
            if not 10 <= major <= 30:
                self.say(place, f"no such CUDA as {release}")
            if bool(floor) != (major >= 11):
                self.say(place, "a floor is for CUDA 11 and later, all of them")
            last = before.get(major)
            if last:
                release_before, driver_before, floor_before = last
                if number(release) <= number(release_before):
                    self.say(place, "the releases do not go up")
                if driver and driver_before and number(driver) < number(driver_before):
                    self.say(place, f"the driver falls from {driver_before} to {driver}")
                if floor != floor_before:
                    self.say(place, "the floor changes within a major")
            if driver and not 300 <= number(driver)[0] <= 999:
                self.say(place, f"no such driver as {driver}")
            if bundled and driver and number(bundled)[0] != number(driver)[0]:
                self.say(place, "the bundled driver is of another branch")
            before[major] = (release, driver or (last[1] if last else ""), floor)
        floors = [number(fields[4]) for _, fields in self.rows["toolkit"] if fields[4]]
        if floors != sorted(floors):
            self.say("toolkits.tsv:1", "the floors fall with the majors")

    def check_drivers(self):
        rows = self.rows["driver"]
        for (_, before), (place, row) in zip(rows, rows[1:]):
            if number(row[0]) <= number(before[0]) or number(row[1]) <= number(before[1]):
                self.say(place, "branch or CUDA does not go up")
            if number(row[6]) < number(before[6]):
                self.say(place, "a branch drives older GPUs than the one before it")
        for place, (branch, cuda, kind, date, until, newest, _, first, _) in rows:
            if kind not in ("", "LTSB", "PB", "NFB"):
                self.say(place, f"no such kind of branch as {kind}")
            if date and until and until < date:
                self.say(place, "it ends before it begins")
            if newest and newest.split(".")[0] != branch:
                self.say(place, "the newest build is of another branch")
        minors = {fields[1] for _, fields in rows}
        for place, (release, *_) in self.rows["toolkit"]:
            if ".".join(release.split(".")[:2]) not in minors:
                self.say(place, "no driver branch has this CUDA")

    def check_forward(self):
        branches = {fields[0] for _, fields in self.rows["driver"]}
        for place, (cuda, built, older, _) in self.rows["forward"]:
            for branch in older.split(","):
                if branch not in branches:
                    self.say(place, f"no such branch as {branch}")
                if built and int(branch) >= int(built):
                    self.say(place, f"built from {built}, it cannot serve {branch}")

    def check_architectures(self):
        first_seen = {}
        before = ()
        for place, (cuda, compiled, deprecated, _) in self.rows["arch"]:
            have = capabilities(compiled)
            if have != sorted(set(have)):
                self.say(place, "the capabilities are not in order")
            if not set(capabilities(deprecated)) <= set(have):
                self.say(place, "what is deprecated is not compiled for")
            if before and number(cuda) <= before[0]:
                self.say(place, "the minors do not go up")
            gone = set(before[1]) - set(have) if before else set()
            if gone and number(cuda)[1] != 0:
                self.say(place, "a minor that drops capabilities")
            if before and have[0] < before[1][0]:
                self.say(place, "it compiles for older GPUs than the one before it")
            before = (number(cuda), have)
            for one in have:
                first_seen.setdefault(one, cuda)
        self.first_seen = first_seen

    def check_gpus(self):
        majors = {}
        for place, (name, capability, architecture, kind, _) in self.rows["gpu"]:
            oldest = min(self.first_seen, default=())
            if number(capability) not in self.first_seen and number(capability) > oldest:
                self.say(place, f"no toolkit compiles for {capability}")
            if kind not in ("data center", "rtx pro", "geforce", "jetson"):
                self.say(place, f"no such kind as {kind}")
            if majors.setdefault(capability, architecture) != architecture:
                self.say(place, f"{capability} is {majors[capability]} elsewhere")

    def check_compilers(self):
        most = {}
        for place, (cuda, family, least, greatest, *_) in self.rows["compiler"]:
            if least and number(least) > number(greatest):
                self.say(place, "the least is greater than the most")
            if family in most and number(greatest) < most[family]:
                self.say(place, f"a newer CUDA takes only older versions of {family}")
            most[family] = number(greatest)

    def check_cudnn(self):
        for place, (release, major, minors, basis, driver, least, most, _) in self.rows["cudnn"]:
            if number(least) > number(most):
                self.say(place, "the least capability is greater than the greatest")
            if any(minor.split(".")[0] != major for minor in minors.split(",") if minor):
                self.say(place, "a minor of another major")
            if (basis == "major") == bool(minors):
                self.say(place, f"basis {basis} does not go with its minors")

    def check_frameworks(self):
        names = {fields[0] for _, fields in self.rows["framework"]}
        for place, (name, _, _, command, _) in self.rows["recipe"]:
            if name not in names:
                self.say(place, f"a recipe for {name}, which has no row")
            if re.findall(r"\{(?!version\}|exact\}|cu\}|major\})", command):
                self.say(place, "a mark that nothing fills")
        for place, row in self.rows["framework"]:
            if bool(row[6]) != bool(row[7]):
                self.say(place, "a driver goes with where it comes from")

    def check_boards(self):
        chips = {fields[1] for _, fields in self.rows["gpu"]}
        for place, (capability, _, fp32, tf32, bf16, _) in self.rows["rate"]:
            if capability not in chips:
                self.say(place, f"no GPU is of {capability}")
            self.check_products(place, fp32, tf32, bf16)
        peaks = {}
        for place, (name, memory, fp32, tf32, bf16, generation, lanes, nvlink, source) in self.rows["board"]:
            if name in peaks:
                self.say(place, f"{name} twice")
            peaks[name] = {"GB/s": memory, "fp32": fp32, "tf32": tf32, "bf16": bf16}
            self.check_products(place, fp32, tf32, bf16)
            if memory and not 100 <= float(memory) <= 50000:
                self.say(place, "no memory is that fast or slow")
            if generation and (not 1 <= int(generation) <= 5 or lanes not in ("4", "8", "16")):
                self.say(place, f"no link as {generation} x{lanes}")
            if nvlink and memory and float(nvlink) > float(memory):
                self.say(place, "NVLink is faster than the memory")
            text = self.sources_of[place.split(":")[0], source]
            if not re.search(r"\b20\d\d\b", text):
                self.say(place, "the source has no date")
        for place, (board, figure, unit, value, _) in self.rows["measured"]:
            if board not in peaks:
                self.say(place, f"no such board as {board}")
                continue
            peak = peaks[board].get("GB/s" if figure.startswith("device to device")
                                    else figure.split(",")[0])
            if peak and unit != "us" and float(value) > float(peak):
                self.say(place, f"{value} is above the peak, {peak}")

    def check_products(self, place, fp32, tf32, bf16):
        """Tensor cores are not slower than plain units, and bf16 goes twice as fast as tf32."""
        if bool(tf32) != bool(bf16) or (tf32 and not fp32):
            self.say(place, "tf32 and bf16 go together, and with fp32")
        elif tf32 and (float(tf32) < float(fp32) or not 1.9 < float(bf16) / float(tf32) < 2.1):
            self.say(place, "sparse and dense figures mixed?")

    def check_coverage(self, catalogue):
        known = {fields[0] for _, fields in self.rows["toolkit"]}
        minors = {fields[0] for _, fields in self.rows["arch"]}
        compilers = {fields[0] for _, fields in self.rows["compiler"]}
        for release in sorted(catalogue.get("cuda", []), key=number):
            minor = ".".join(release.split(".")[:2])
            for kind, has in (("toolkit", release in known), ("arch", minor in minors),
                              ("compiler", minor in compilers)):
                if not has:
                    self.say(f"cuda/{release}.tsv", f"no row `{kind}` for it")
        cudnn = {".".join(fields[0].split(".")[:3]) for _, fields in self.rows["cudnn"]}
        for release in sorted(catalogue.get("cudnn", []), key=number):
            if release not in cudnn:
                self.say(f"cudnn/{release}.tsv", "no row `cudnn` for it")


def check(root):
    folder = root / "manifests"
    texts = [(path.name, path.read_text(encoding="utf-8"))
             for path in sorted((folder / "compat").glob("*.tsv"))]
    catalogue = {product: [path.stem for path in (folder / "redist" / product).glob("*.tsv")]
                 for product in ("cuda", "cudnn")}
    return texts, Tables(texts).check(catalogue)


SAMPLE = """compat\t1\t2026-01-01
source\ts\thttps://vendor.example
toolkit\t11.8.0\t2022-10-03\t520.61.05\t520.61.05\t450.80.02\t\ts
toolkit\t12.0.0\t\t525.60.13\t\t525.60.13\t\ts
driver\t520\t11.8\tNFB\t2022\t2023\t520.61.05\t5.0\t8.9\ts
driver\t525\t12.0\tPB\t2022\t2023\t\t5.0\t\ts
forward\t12.0\t525\t520\ts
arch\t11.8\t3.5,9.0\t3.5\ts
arch\t12.0\t5.0,9.0\t\ts
gpu\tNVIDIA H100\t9.0\tHopper\tdata center\ts
compiler\t11.8\tgcc\t6\t11\t\ts
compiler\t12.0\tgcc\t6\t12\t\ts
cudnn\t8.9.7.29\t12\t12.0\tlisted\t525.60.13\t5.0\t9.0\ts
framework\tjax\t0.4\t0.4\t12\t\t\t525\tstated\t\textra\tstable\thigh\t\ts
recipe\tjax\t0.4\t12\tpip install jax[cuda{major}]=={version}\ts
source\tb\tthe vendor's datasheet, 2022
rate\t9.0\t\t256\t2048\t4096\ts
board\tNVIDIA H100\t3352\t66.9\t494.7\t989.4\t5\t16\t900\tb
measured\tNVIDIA H100\tbf16, 512 x 512 x 512\tTFLOP/s\t700\ts
"""

# (what to replace, by what): each makes the sample wrong.
BREAKS = [
    ("\t525.60.13\t\t525.60.13\t\ts", "\t525.60.13\t\t\t\ts"),
    ("12.0.0\t\t525.60.13\t\t525.60.13", "12.0.0\t\t525.60.13\t\t440.1"),
    ("toolkit\t12.0.0", "toolkit\t11.7.0"), ("driver\t525\t12.0", "driver\t525\t11.7"),
    ("520.61.05\t5.0\t8.9", "525.1\t5.0\t8.9"), ("PB\t2022\t2023", "PB\t2022\t2021"),
    ("forward\t12.0\t525\t520", "forward\t12.0\t525\t530"),
    ("forward\t12.0\t525\t520", "forward\t12.0\t520\t525"), ("3.5,9.0\t3.5", "9.0,3.5\t3.5"),
    ("3.5,9.0\t3.5", "3.5,9.0\t5.0"), ("arch\t12.0\t5.0,9.0", "arch\t12.1\t5.0,9.0"),
    ("arch\t12.0\t5.0,9.0", "arch\t12.0\t3.0,9.0"), ("H100\t9.0", "H100\t9.1"),
    ("data center", "server"), ("gcc\t6\t12", "gcc\t13\t12"), ("gcc\t6\t12", "gcc\t6\t10"),
    ("12.0\tlisted", "11.8\tlisted"), ("12.0\tlisted", "12.0\tmajor"), ("5.0\t9.0\ts", "9.1\t9.0\ts"),
    ("recipe\tjax", "recipe\ttorch"), ("{major}", "{minor}"), ("525\tstated", "525\t"),
    ("stable\thigh\t\ts", "stable\thigh\t\tt"), ("source\ts\t", "source\tu\tx\nsource\ts\t"),
    ("toolkit\t11.8.0", "toolkit\t11.8.1"), ("compiler\t11.8\tgcc", "compiler\t11.7\tgcc"),
    ("cudnn\t8.9.7.29", "cudnn\t8.9.6.50"), ("rate\t9.0", "rate\t9.1"),
    ("2048\t4096", "4096\t4096"), ("494.7\t989.4", "989.4\t989.4"), ("989.4\t5", "\t5"),
    ("494.7\t989.4", "49.4\t98.9"), ("H100\t3352", "H100\t3.3"), ("5\t16", "6\t16"),
    ("5\t16", "5\t12"), ("\t900\t", "\t9000\t"), ("datasheet, 2022", "datasheet"),
    ("measured\tNVIDIA H100", "measured\tNVIDIA H200"), ("\t700\t", "\t1700\t"),
]


def self_test():
    catalogue = {"cuda": ["11.8.0", "12.0.0"], "cudnn": ["8.9.7"]}
    failed = 0
    for before, after in [("", "")] + BREAKS:
        assert before in SAMPLE, before
        problems = Tables([("a.tsv", SAMPLE.replace(before, after, 1))]).check(catalogue)
        if bool(problems) != bool(before):
            failed += 1
            print(f"FAILED {before!r} -> {after!r}: {problems}")
    print(f"{len(BREAKS) + 1 - failed} of {len(BREAKS) + 1} cases hold")
    return 1 if failed else 0


def main(root):
    texts, problems = check(Path(root).resolve())
    for place, problem in problems[:SHOWN]:
        print(f"manifests/compat/{place}: {problem}")
    if not texts:
        print("error: no table under manifests/compat/")
        return 1
    print(f"{len(texts)} tables, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    program.run(__doc__, main, self_test)
