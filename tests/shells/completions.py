#!/usr/bin/env python3
"""Completions know what the program has, and reach bash, zsh and fish: completions.py SHELL"""

import re
import subprocess
import sys

from live_shell import PROGRAM, LiveShell
from shell_cases import case, main


def ask(world, *words):
    answer = subprocess.run([PROGRAM, "complete", "--", *words], env=world.environment, check=True,
                            capture_output=True, text=True)
    return [line.split("\t")[0] for line in answer.stdout.splitlines()]


def help_of(world, *words):
    return subprocess.run([PROGRAM, *words, "--help"], env=world.environment, check=True,
                          capture_output=True, text=True).stdout


@case("bash")
def every_command_and_option(world, _):
    overview = help_of(world).split("Options:")[1]
    commands = re.findall(r"^  ([a-z]+) ", overview, re.MULTILINE)
    assert len(commands) > 10 and sorted(ask(world, "")) == sorted(commands), commands
    for command in commands:
        options = set(re.findall("(?<=[ ,])--[a-z-]+", help_of(world, command).split("Options:")[1]
                                 .split("\n\n")[0]))
        missing = options - set(ask(world, command, "--"))
        assert options and not missing, (command, missing)
    assert ask(world, "hook-that-is-not", "x") == []


@case("bash")
def values(world, _):
    installed = ["12.4.1", "12.1.1", "12.1.0", "11.8.0"]
    for words in (["use"], ["exec"], ["uninstall"], ["which", "nvcc"]):
        assert ask(world, *words, "") == installed, words
    into = ask(world, "install", "x", "--for", "")
    assert into[:len(installed)] == installed and "pytorch" in into, into
    assert ask(world, "check", "--for", "py") == ["pytorch"]
    assert ask(world, "compat", "tensorf") == ["tensorflow"]
    assert ask(world, "use", "12.1") == ["12.1.1", "12.1.0"]
    assert "12.6.2" in ask(world, "install", "12.6") and "cudnn" in ask(world, "install", "cud")
    assert ask(world, "install", "--profile", "r") == ["runtime"]
    assert ask(world, "compat", "--by", "b") == ["board"]
    assert ask(world, "install", "--profile", "=", "r") == ["runtime"]
    assert ask(world, "install", "--profile=r") == ["--profile=runtime"]
    assert ask(world, "install", "-c", "cuda_cudart,cuda_nvc")[0] == "cuda_cudart,cuda_nvcc"
    assert ask(world, "use", "--shell", "z") == ["zsh"]
    assert ask(world, "exec", "12.1", "") == []
    world.environment["CUDAENV_ACTIVE"] = str(world.root / "cuda-12.1.1")
    assert ask(world, "which", "nv") == ["nvcc"]


@case("bash", "zsh", "fish")
def tab(world, shell):
    """The program is called by its name, with a tab."""
    tools = world.folder / "tools"
    tools.mkdir()
    (tools / "cudaenv").symlink_to(PROGRAM)
    world.environment["PATH"] = f"{tools}:{world.environment['PATH']}"
    with LiveShell(world, shell, take_hook=False) as live:
        if shell == "zsh":
            live.run("autoload -Uz compinit; compinit -u -D")
        take = {"fish": "cudaenv init fish | source"}
        live.run(take.get(shell, f'eval "$(cudaenv init {shell})"'))
        live.type("cudaenv pref\t12.4\t", end="")
        live.read_until(b"12.4.1")
        said = live.run("")
        assert str(world.root / "cuda-12.4.1") in said, said


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__))
