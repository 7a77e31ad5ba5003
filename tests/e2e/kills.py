#!/usr/bin/env python3
"""Kills cudaenv at its steps and at random moments, and looks at what is left.

    kills.py SCRATCH CUDAENV STEPS MIRROR-URL MIRROR-LOG [--all] [--random N] [--seed N]

Steps are the system calls that change the disk. Without --all it is done right after those that
rename, or make or remove a name that others see, at a third of those that fetch, and at every
fifteenth of all; and for the wheels only where they take ways of their own.
"""

import argparse
import os
import random
import shutil
import sys
import time
from pathlib import Path

import cli_tree
import wheel_tree
from compare_prefix import sha256
from kill_lab import Broken, Lab, difference

PLATFORM = ["--platform", "linux-x86_64"]
SIZES = {}  # of archives: sha256 -> (target on the server, bytes)


class Scenario:
    """A command on a root that `before` has prepared. `again` is what is typed after a kill."""

    def __init__(self, name, before, command, again=None):
        self.name, self.before, self.command = name, before, command
        self.again = again or [command]
        self.fetches = command[0] == "install"
        self.expected = None
        self.seconds = 0.0

    def prepare(self, lab):
        lab.restore("nothing")
        for step in self.before:
            if callable(step):
                step(lab)
            else:
                lab.must(step)
        lab.save(self.name)

    def undisturbed(self, lab):
        """The steps of the command; remembers how the root looks after it and how long it took."""
        lab.restore(self.name)
        begin = time.monotonic()
        lab.must(self.command)
        self.seconds = time.monotonic() - begin
        lab.restore(self.name)
        steps = lab.record(self.command)
        lab.check_whole()
        lab.check_swept()
        self.expected = lab.snapshot()
        return steps


def install(source, spec, components, *more):
    return ["install", spec, "--component", components, "--jobs", "1", *PLATFORM, *source, *more]


def forget_prefix(lab):
    """As a user does who knows no `uninstall`: the store keeps what nothing uses any more."""
    shutil.rmtree(lab.root / "cuda-other")
    (lab.state / "downloads" / ("0" * 64 + ".partial")).write_bytes(b"half an archive")


def scenarios(kind, source):
    both = "cuda_cudart,cuda_nvrtc"
    first = install(source, "12.1.1", both)
    other = install(source, "12.1.1", "cuda_nvrtc", "--name", "other")
    return [
        Scenario(f"{kind} first", [], first),
        Scenario(f"{kind} sibling", [other], first),
        Scenario(f"{kind} widening", [install(source, "12.1.1", "cuda_cudart")], first),
        Scenario(f"{kind} anew", [first], [*install(source, "12.1.1", "cuda_nvrtc"), "--force"]),
        # What is uninstalled may be gone by now; then nothing is left but to sweep.
        Scenario(f"{kind} uninstall", [other, first, ["default", "12.1.1"]],
                 ["uninstall", "cuda-12.1.1", "--force"],
                 [["uninstall", "cuda-12.1.1", "--force"], ["gc"]]),
        Scenario(f"{kind} gc", [first, other, forget_prefix], ["gc"]),
        Scenario(f"{kind} default", [first, other], ["default", "other"]),
    ]


class Killer:
    def __init__(self, lab, log):
        self.lab, self.log = lab, Path(log)
        self.kills = 0
        self.resumed = 0

    def recover(self, scenario, what):
        """After a kill: what is there is whole, and the next run brings the rest."""
        lab = self.lab
        try:
            lab.check_whole()
            here = lab.downloads()
            self.log.unlink(missing_ok=True)
            for command in scenario.again:
                status, out, err = lab.run(command)
                gone = command[0] == "uninstall" and "no installed toolkit" in err
                if status != 0 and not gone:
                    raise Broken(f"status {status} from the next {command[0]}: {out}{err}")
            lab.check_whole()
            lab.check_swept()
            if found := difference(scenario.expected, lab.snapshot()):
                raise Broken(found)
            if scenario.fetches:
                self.check_resumed(here, err)
        except Broken as error:
            raise Broken(f"{scenario.name}, killed {what}: {error}") from error
        self.kills += 1

    def check_resumed(self, here, err):
        """No byte that was here is fetched again, says the server."""
        for digest, size in here.items():
            if size == 0 or digest not in SIZES:
                continue
            target, whole = SIZES[digest]
            wanted = f"bytes={size}-"
            lines = self.requests(target, at_least=1 if size < whole else 0)
            if any(line.split()[4] != wanted for line in lines):
                raise Broken(f"{size} of {whole} bytes of {target} were here, and the server "
                             f"was asked: {lines}; {err}")
            self.resumed += 1

    def requests(self, target, at_least):
        """What was asked for an archive; a line may be written a moment after the answer."""
        for _ in range(200):
            text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
            lines = [line for line in text.splitlines() if line.split()[1] == target]
            if len(lines) >= at_least:
                return lines
            time.sleep(0.01)
        raise Broken(f"the server knows of no request for {target}")

    def walk(self, scenario, every_step):
        lab = self.lab
        steps = scenario.undisturbed(lab)
        for step in chosen(steps, lab, every_step):
            lab.restore(scenario.name)
            if lab.kill_at(step, scenario.command):
                self.recover(scenario, f"right before step {step} of {len(steps)}")

    def surprise(self, scenario, moments):
        lab = self.lab
        lab.restore(scenario.name)
        moment = moments.uniform(0, scenario.seconds)
        lab.kill_after(moment, scenario.command)
        self.recover(scenario, f"after {moment:.4f} s")


def chosen(steps, lab, every_step):
    numbers = [step["step"] for step in steps]
    if every_step:
        return numbers
    picked = set(numbers[::15])
    for step in steps:
        parent = Path(step["path"]).parent
        in_the_open = parent == lab.root or parent.parent == lab.state
        publishing = step["call"] in ("rename", "symlink", "unlink", "rmdir") and in_the_open
        fetching = step["call"] == "write" and step["path"].endswith(".partial")
        if step["call"] == "rename" or publishing:
            picked.add(step["step"] + 1)
        elif fetching and step["step"] % 3 == 0:
            picked.add(step["step"])
    return sorted(picked)


def build_sources(scratch, bulk=150_000):
    served = scratch / "served"
    cli_tree.add_release(served, "cuda", "12.1.1",
                         [("cuda_cudart", "12.1.1.7"), ("cuda_nvrtc", "12.1.1.7")], bulk=bulk)
    for path in served.rglob("*.tar.xz"):
        SIZES[sha256(path)] = (
            "/" + str(path.relative_to(served)), path.stat().st_size)
    wheel_tree.add_library(scratch / "wheels", "nvidia_cuda_runtime_cu12", "12.1.105",
                           "cuda_runtime", "cudart", bulk)
    wheel_tree.add_library(scratch / "wheels", "nvidia_cuda_nvrtc_cu12", "12.1.105",
                           "cuda_nvrtc", "nvrtc", bulk)


def main():
    parser = argparse.ArgumentParser()
    for name in ("scratch", "cudaenv", "steps", "url", "log"):
        parser.add_argument(name)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    scratch = Path(options.scratch)
    (scratch / "home").mkdir(exist_ok=True)
    build_sources(scratch)
    lab = Lab(scratch, options.cudaenv, options.steps)
    killer = Killer(lab, options.log)
    mirror = ["--mirror", options.url, "--trust-mirror"]
    wheels = ["--source", f"wheels:{scratch / 'wheels'}"]
    walked = scenarios("nvidia", mirror)
    of_wheels = scenarios("wheels", wheels)
    walked += of_wheels if options.all else of_wheels[:2]
    try:
        for play in walked:
            play.prepare(lab)
            before, begin = killer.kills, time.monotonic()
            killer.walk(play, options.all)
            print(f"{play.name}: {killer.kills - before} kills in "
                  f"{time.monotonic() - begin:.1f} s", flush=True)
        print(f"random moments from seed {options.seed}", flush=True)
        moments, begin = random.Random(options.seed), time.monotonic()
        for _ in range(options.random):
            killer.surprise(moments.choice(walked), moments)
        print(f"{options.random} kills in {time.monotonic() - begin:.1f} s")
    except Broken as error:
        print(f"FAIL: {error}", file=sys.stderr)
        return 1
    print(f"{killer.kills} kills; {killer.resumed} archives were taken up where they were")
    return 0 if killer.resumed > 0 else 1


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    os.umask(0o022)
    sys.exit(main())
