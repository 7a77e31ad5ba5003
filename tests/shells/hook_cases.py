#!/usr/bin/env python3
"""What a hook must leave alone, and what it says: hook_cases.py SHELL [NAME]

Each function below is a case; those of one shell alone say so in `only`.
"""

import os
import shutil
import subprocess
import sys
import time

from live_shell import PROGRAM, SHELLS, SYSTEM_PATH, LiveShell, settle
from shell_cases import case, count, main, prefix, project

@case()
def comes_and_goes(world, shell):
    """Entering a project, a folder in it, another project and none; with one line each time."""
    one = project(world, "one", "12.1\n")
    (one / "deep" / "er").mkdir(parents=True)
    two = project(world, "two", "11.8\n")
    with LiveShell(world, shell) as live:
        before = live.variables()
        said = live.run(f"cd {one}/deep/er")
        assert "cuda-12.1.1 is active" in said, said
        assert live.active() == prefix(world, "12.1.1")
        said = live.run(f"cd {one}")
        assert "active" not in said, said
        said = live.run(f"cd {two}")
        assert "cuda-11.8.0 is active" in said, said
        live.run(f"cd {world.work}")
        after = live.variables()
        for name in ("PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDACXX", "CUDAENV_SAVED"):
            assert after.get(name) == before.get(name), (name, before.get(name), after.get(name))


@case()
def says_once_what_is_missing(world, shell):
    folder = project(world, "p", "9.9\n")
    (folder / "in").mkdir()
    broken = project(world, "broken", "what is this\n")
    with LiveShell(world, shell) as live:
        said = live.run(f"cd {folder}")
        assert count(said, "cudaenv install 9.9") == 1, said
        assert live.active() == ""
        places = (folder / "in", folder, world.work, folder)
        said = "".join(live.run(f"cd {place}") for place in places)
        assert count(said, "cudaenv install 9.9") == 0, said
        said = live.run(f"cd {broken}")
        assert count(said, ".cudaenv") >= 1 and "cudaenv:" in said, said
        said = live.run(f"cd {world.work}") + live.run(f"cd {broken}") + live.run("")
        assert "cudaenv: " not in said, said


@case()
def quiet_says_no_switches(world, shell):
    folder = project(world, "p", "12.1\n")
    world.environment["CUDAENV_QUIET"] = "1"
    with LiveShell(world, shell) as live:
        said = live.run(f"cd {folder}")
        assert "cudaenv:" not in said, said
        assert live.active() == prefix(world, "12.1.1")


@case()
def taken_over_twice(world, shell):
    """Reading the start-up file again changes nothing, and runs nothing twice."""
    folder = project(world, "p", "12.1\n")
    take = SHELLS[shell][1].format(world.init(shell))
    with LiveShell(world, shell) as live:
        live.run(take)
        live.run(take)
        settle(shell)
        starts = world.starts()
        said = live.run(f"cd {folder}")
        assert world.starts() == starts + 1, world.starts() - starts
        assert count(said, "is active") == 1, said


@case("bash", "zsh", "fish", "tcsh")
def nested_shells(world, shell):
    """A shell in a shell goes on from where the outer one is, and the outer one is not touched."""
    one, two = project(world, "one", "12.1\n"), project(world, "two", "11.8\n")
    words, take = SHELLS[shell]
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        live.run(" ".join(words))
        said = live.run(take.format(world.init(shell)))
        assert "is active" not in said, said
        assert live.active() == prefix(world, "12.1.1")
        live.run(f"cd {two}")
        assert live.active() == prefix(world, "11.8.0")
        live.run(f"cd {world.work}")
        assert live.active() == ""
        live.run("exit")
        assert live.active() == prefix(world, "12.1.1")


@case("bash", "zsh", "fish", "tcsh")
def login_shell_that_sets_path_anew(world, shell):
    """As tmux starts them: what is active is put into PATH again."""
    one = project(world, "one", "12.1\n")
    words, take = SHELLS[shell]
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        live.run(f"/usr/bin/env PATH={SYSTEM_PATH} {' '.join(words)}")
        live.run(take.format(world.init(shell)))
        path = live.variables()["PATH"]
        assert path.split(":")[0] == prefix(world, "12.1.1") + "/bin", path


@case("bash", "zsh", "fish")
def status_survives(world, shell):
    one = project(world, "one", "12.1\n")
    show = {"fish": "echo got $status-$pipestatus", "bash": 'echo got $?-"${PIPESTATUS[@]}"',
            "zsh": 'echo got $?-"${pipestatus[@]}"'}[shell]
    commands = {"fish": "sh -c 'exit 3' | sh -c 'exit 4'"}
    with LiveShell(world, shell) as live:
        for move in ("", f"cd {one}; ", f"cd {world.work}; "):
            live.type(move + commands.get(shell, "(exit 3) | (exit 4)"))
            said = live.run(show)
            assert "got 4-3 4" in said, said


@case("bash", "zsh")
def strict_modes(world, shell):
    one = project(world, "one", "12.1\n")
    with LiveShell(world, shell) as live:
        live.run("set -eu; set -o pipefail")
        live.run("false && true")
        live.run(f"cd {one}")
        assert live.active() == prefix(world, "12.1.1")
        project(world, "one", "9.9\n")
        live.run("")
        live.run(f"cd {world.work}; false || true")
        said = live.run("echo al''ive")
        assert "alive" in said, said


@case("zsh")
def zsh_options(world, shell):
    one = project(world, "one", "# two\n\ncuda = \"12.1\"\n")
    with LiveShell(world, shell) as live:
        live.run("setopt ksh_arrays sh_word_split glob_subst extended_glob warn_create_global "
                 "null_glob no_unset ksh_glob")
        said = live.run(f"cd {one}") + live.run("")
        assert live.active() == prefix(world, "12.1.1")
        assert "global" not in said.replace("warn_create_global", ""), said
        starts = world.starts()
        live.run("")
        assert world.starts() == starts


@case("bash", "zsh", "fish", "tcsh")
def deactivated_by_hand(world, shell):
    """What somebody switched off stays off until the project or its file is another."""
    one = project(world, "one", "12.1\n")
    (one / "in").mkdir()
    leave = {"fish": "set -e CUDAENV_ACTIVE", "tcsh": "unsetenv CUDAENV_ACTIVE"}
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        assert live.active() != ""
        live.run(leave.get(shell, "unset CUDAENV_ACTIVE"))
        live.run(f"cd {one}/in")
        assert live.active() == ""
        live.run(f"cd {world.work}")
        live.run(f"cd {one}")
        assert live.active() == prefix(world, "12.1.1")


@case("bash")
def prompt_command_kinds(world, shell):
    """A string, one that ends in a semicolon, an array, an exported one, a read-only one."""
    one = project(world, "one", "12.1\n")
    take = SHELLS[shell][1].format(world.init(shell))
    for setting in ("PROMPT_COMMAND='first=1'", "PROMPT_COMMAND='first=1;'",
                    "PROMPT_COMMAND='first=1 # note'", "PROMPT_COMMAND=('first=1' 'second=2')",
                    "export PROMPT_COMMAND='first=1'"):
        with LiveShell(world, shell, take_hook=False) as live:
            live.run(setting)
            live.run(take)
            live.run(f"cd {one}")
            assert live.active() == prefix(world, "12.1.1"), setting
            assert "kept1" in live.run('echo ke""pt$first'), setting
            # A child that inherits the variable has not the function.
            assert "not found" not in live.run("bash --norc"), setting
            assert "not found" not in live.run("exit"), setting
    with LiveShell(world, shell, take_hook=False) as live:
        live.run("readonly PROMPT_COMMAND='first=1'")
        assert "read-only" in live.run(take)
        assert "alive" in live.run("echo al''ive")


@case("bash", "zsh", "fish")
def interrupted(world, shell):
    """Ctrl-C while the program is at work: the prompt comes, and the next one looks again."""
    one = project(world, "one", "12.1\n")
    slow = world.folder / "slow"
    wrapper = world.wrapper.read_text()
    with LiveShell(world, shell) as live:
        world.wrapper.write_text(f"#!/bin/sh\ntouch {slow}\nexec sleep 60\n")
        live.type(f"cd {one}")
        live.wait_for(slow.exists, "cd")
        world.wrapper.write_text(wrapper)
        time.sleep(0.05)
        os.write(live.terminal, b"\x03")
        live.run("")
        live.run("")
        assert live.active() == prefix(world, "12.1.1")


@case()
def a_broken_configuration_is_told_once(world, shell):
    """Neither a shell's start nor each prompt, and it is over when the fault is."""
    one = project(world, "one", "12.1\n")
    config = world.folder / "home/.config/cudaenv/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("jobs = [\n")
    with LiveShell(world, shell, take_hook=False) as live:
        said = live.run(SHELLS[shell][1].format(world.init(shell)))
        assert count(said, "cannot read") == 1 and str(config) in said, said
        said = live.run("") + live.run(f"cd {one}") + live.run("")
        assert "cannot read" not in said and "error" not in said, said
        assert live.active() == ""
        config.write_text("no_such_key = 1\n")
        live.run(f"cd {world.work}")
        said = live.run(f"cd {one}") + live.run(f"cd {world.work}") + live.run(f"cd {one}")
        assert live.active() == prefix(world, "12.1.1")
        assert count(said, "no_such_key") == 0, said  # it was said in the folder before


@case()
def a_failure_is_told_once(world, shell):
    """Not with every prompt, and it is over when the fault is."""
    one = project(world, "one", "12.1\n")
    with LiveShell(world, shell) as live:
        works = world.wrapper.read_text()
        world.wrapper.write_text("#!/bin/sh\necho it has fai\"\"led >&2\nexit 1\n")
        said = live.run(f"cd {one}")
        assert count(said, "it has failed") == 1, said
        said = live.run("") + live.run("")
        assert "it has failed" not in said, said
        world.wrapper.write_text(works)
        live.run(f"cd {world.work}")
        live.run(f"cd {one}")
        assert live.active() == prefix(world, "12.1.1")


@case("bash", "zsh", "fish", "tcsh")
def chosen_by_hand(world, shell):
    """What `use` chose stays in any project until `deactivate`."""
    one, two = project(world, "one", "12.1\n"), project(world, "two", "11.8\n")
    evaluate = {"fish": "{} {} | source", "tcsh": 'eval "`{} {}`"'}.get(shell, 'eval "$({} {})"')
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        live.run(evaluate.format(PROGRAM, "use 12.4"))
        for place in (one, two, world.work, two):
            live.run(f"cd {place}")
            assert live.active() == prefix(world, "12.4.1"), place
        settle(shell)
        live.run("")
        starts = world.starts()
        live.run("")
        assert world.starts() == starts
        live.run(evaluate.format(PROGRAM, "deactivate"))
        live.run("")
        assert live.active() == prefix(world, "11.8.0")
        live.run(evaluate.format(PROGRAM, "deactivate"))
        live.run("")
        assert live.active() == ""
        live.run(f"cd {world.work}")
        live.run(evaluate.format(PROGRAM, "use 12.4"))
        live.run(evaluate.format(PROGRAM, "deactivate"))
        live.run("")
        assert live.active() == ""


@case("bash", "zsh", "fish", "tcsh")
def program_is_gone(world, shell):
    one = project(world, "one", "12.1\n")
    with LiveShell(world, shell) as live:
        world.wrapper.rename(world.folder / "away")
        said = live.run(f"cd {one}")
        assert "found" not in said and "such" not in said, said


@case("bash", "zsh", "fish", "tcsh")
def folder_is_gone(world, shell):
    one = project(world, "one", "12.1\n")
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        shutil.rmtree(one)
        live.run("")
        assert live.active() == ""
        live.run(f"cd {world.work}")


@case("bash", "zsh")
def without_a_prompt(world, shell):
    """A script that takes over the hook starts nothing, and `cd` is its own."""
    one = project(world, "one", "12.1\n")
    starts = world.starts()
    take = SHELLS[shell][1].format(world.init(shell))
    script = f'set -eu\n{take}\ncd {one}\necho "${{CUDAENV_ACTIVE-no}}"'
    result = subprocess.run([shell, "-c", script], env=world.environment, capture_output=True,
                            text=True, stdin=subprocess.DEVNULL)
    assert (result.stdout, result.stderr) == ("no\n", ""), result
    assert world.starts() == starts


@case("bash", "zsh", "tcsh")
def unquoted(world, shell):
    """`eval $(cudaenv init bash)` does the same as with quotes, among files of any name."""
    one = project(world, "one", "12.1\n")
    for name in ("a", "=b", "-n", "[x]", "{y"):
        (world.work / name).touch()
    take = "eval `cat {}`" if shell == "tcsh" else "eval $(cat {})"
    with LiveShell(world, shell, take_hook=False) as live:
        live.run(take.format(world.init(shell)))
        live.run(f"cd {one}")
        assert live.active() == prefix(world, "12.1.1")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__))
