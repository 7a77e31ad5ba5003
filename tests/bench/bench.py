#!/usr/bin/env python3
"""Measures cudaenv beside its peers and prints Markdown: what was run, and what it took.

    bench.py --build build/ci --work FOLDER [--rounds 5] [FIGURE...]

FIGURES: tar, multi, wheels, memory, second, patches, again, front, use, verify (default: all). FOLDER
keeps the packed toolkit and the wheels for the next run; it needs some 8 GB. NVIDIA's sample
parser takes part where NVIDIA_PARSER names parse_redist.py; aria2c, uv and unzip where installed.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import figures_front
import figures_install
import figures_use
import figures_wheels
from world import World

FIGURES = {
    "tar": figures_install.single_block,
    "multi": figures_install.multi_block,
    "wheels": figures_wheels.wheels,
    "memory": figures_install.memory,
    "second": figures_install.second_release,
    "patches": figures_install.ten_patches,
    "again": figures_front.again,
    "front": figures_front.front,
    "use": figures_use.use,
    "verify": figures_front.verify,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="a build folder with tests, optimised")
    parser.add_argument("--work", required=True, help="where everything is made")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(FIGURES))
    options = parser.parse_args()
    unknown = [name for name in options.figures if name not in FIGURES]
    if unknown:
        parser.error(f"unknown figure {', '.join(unknown)}; there are {', '.join(FIGURES)}")

    world = World(options.work, options.build)
    print(f"`{' '.join(sys.argv)}`\n")
    print(machine(world) + "\n", flush=True)
    try:
        for name in options.figures or FIGURES:
            FIGURES[name](world, options.rounds)
            sys.stdout.flush()
    finally:
        world.close()
        shutil.rmtree(world.scratch(""), ignore_errors=True)


def machine(world):
    model = next((line.split(":", 1)[1].strip() for line in
                  Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")),
                 platform.machine())
    version = subprocess.run([world.cudaenv, "--version"], capture_output=True, text=True,
                             check=True).stdout.strip()
    filesystem = subprocess.run(["stat", "-f", "-c", "%T", world.folder], capture_output=True,
                                text=True, check=True).stdout.strip()
    return (f"{version}; {os.cpu_count()} cores, {model}; Linux {platform.release()}; "
            f"files on {filesystem}; load before: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
