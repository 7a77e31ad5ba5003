#!/usr/bin/env python3
"""Times the hook inside bash, zsh and fish, and prints Markdown.

    hook_bench.py --build build/ci [--prompts 10000] [--switches 200] [--depth 6]

A prompt is a call of the function that the shell runs before each one. Unchanged: in a project,
some folders below its `.cudaenv`. A switch: `cd` between two projects, with the process of cudaenv.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shells"))
import live_shell  # noqa: E402

# How each shell is started, and how it prints nanoseconds around `count` times a body.
SHELLS = {
    "bash": (["bash", "--norc"],
             'now() {{ printf "%s000\\n" "${{EPOCHREALTIME/[.,]/}}"; }}; now; '
             "for ((i = 0; i < {count}; i++)); do {body}; done; now"),
    "zsh": (["zsh", "-f"],
            "zmodload zsh/datetime; "
            "now() {{ printf '%d\\n' $((EPOCHREALTIME * 1000000000)); }}; now; "
            "for ((i = 0; i < {count}; i++)); do {body}; done; now"),
    "fish": (["fish", "--no-config"],
             "date +%s%N; for i in (seq {count}); {body}; end; date +%s%N"),
}


def nanoseconds(shell, world, setup, body, count):
    words, loop = SHELLS[shell]
    take = live_shell.SHELLS[shell][1].format(world.init_for_bench[shell])
    script = "\n".join([take, setup, loop.format(count=count, body=body)])
    result = subprocess.run([*words, "-c", script], env=world.environment, check=True,
                            capture_output=True, text=True, stdin=subprocess.DEVNULL,
                            cwd=world.work)
    begin, end = (int(line) for line in result.stdout.split()[-2:])
    return (end - begin) / count


def init_files(world, shells):
    """The hook as users have it: calling the program itself, and attached though no one types."""
    world.init_for_bench = {}
    for shell in shells:
        code = subprocess.run([live_shell.PROGRAM, "init", shell], env=world.environment,
                              check=True, capture_output=True, text=True).stdout
        if shell == "fish":
            code = code.replace("if status is-interactive", "if true")
        path = world.folder / f"bench.{shell}"
        path.write_text(code)
        world.init_for_bench[shell] = path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--prompts", type=int, default=10000)
    parser.add_argument("--switches", type=int, default=200)
    parser.add_argument("--depth", type=int, default=6, help="folders below the project's file")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    live_shell.PROGRAM = str(Path(options.build).resolve() / "bin" / "cudaenv")
    shells = [shell for shell in SHELLS if shutil.which(shell)]
    versions = ["11.8.0", "12.1.1",
                *(f"12.{minor}.{patch}" for minor in range(2, 10) for patch in range(6))]
    with live_shell.World(versions) as world:
        init_files(world, shells)
        one, two = world.work / "one", world.work / "two"
        deep = one.joinpath(*"abcdefghijklmnop"[:options.depth])
        deep.mkdir(parents=True)
        two.mkdir()
        (one / ".cudaenv").write_text("12.1\n")
        (two / ".cudaenv").write_text("11.8\n")
        world.environment["CUDAENV_QUIET"] = "1"
        print(f"`{' '.join(sys.argv)}`; {len(versions)} toolkits; "
              f"load before: {os.getloadavg()[0]:.2f}\n")
        print("| shell | unchanged, us a prompt | min to max | with a switch, ms | min to max |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for shell in shells:
            same, switch = [], []
            for _ in range(options.rounds):
                setup = f"cd {deep}; __cudaenv_prompt"
                idle = nanoseconds(shell, world, setup, "true", options.prompts)
                same.append((nanoseconds(shell, world, setup, "__cudaenv_prompt", options.prompts)
                             - idle) / 1e3)
                body = f"cd {two}; __cudaenv_prompt; cd {one}; __cudaenv_prompt"
                switch.append(nanoseconds(shell, world, setup, body, options.switches // 2) / 2e6)
            print(f"| {shell} | {statistics.median(same):.1f} | {min(same):.1f} to {max(same):.1f} "
                  f"| {statistics.median(switch):.2f} | {min(switch):.2f} to {max(switch):.2f} |",
                  flush=True)


if __name__ == "__main__":
    main()
