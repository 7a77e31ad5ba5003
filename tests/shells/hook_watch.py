#!/usr/bin/env python3
"""What a hook notices without a process, and what it does not look at: hook_watch.py SHELL [NAME]"""

import os
import shutil
import sys

from live_shell import SYSTEM_PATH, LiveShell, add_toolkit, settle
from shell_cases import case, main, prefix, project


@case()
def same_second(world, shell):
    """An edit within the second, of the same length, is seen at the next prompt."""
    folder = project(world, "p", "12.1\n")
    with LiveShell(world, shell) as live:
        live.run(f"cd {folder}")
        for text, version in [("11.8\n", "11.8.0"), ("12.4\n", "12.4.1"), ("12.1\n", "12.1.1")] * 3:
            (folder / ".cudaenv").write_text(text)
            live.run("")
            assert live.active() == prefix(world, version), text


@case("bash", "zsh", "fish")
def an_unchanged_file_starts_nothing(world, shell):
    """Whatever is in it, and as soon as that is something else it is read."""
    folder = project(world, "p", "12.1\n")
    with LiveShell(world, shell) as live:
        for text in (b"", b"\n\n", b"12.1\0\n", b"\0", b"\xff\xe9\n", b"12.1", b"# it's\n11.8\n"):
            (folder / ".cudaenv").write_bytes(text)
            live.run(f"cd {folder}")
            live.run("")
            starts = world.starts()
            live.run("")
            assert world.starts() == starts, text
            (folder / ".cudaenv").write_bytes(b"12.4\n")
            live.run("")
            assert live.active() == prefix(world, "12.4.1"), text


@case()
def missing_toolkit_is_noticed_once_it_is_there(world, shell):
    folder = project(world, "p", "12.6.2\n")
    with LiveShell(world, shell) as live:
        live.run(f"cd {folder}")
        assert live.active() == ""
        add_toolkit(world.root, "12.6.2")
        live.run("")
        assert live.active() == prefix(world, "12.6.2")
        shutil.rmtree(world.root / "cuda-12.6.2")
        live.run("")
        assert live.active() == ""


@case()
def any_install_of_a_range_is_noticed(world, shell):
    """Where several toolkits would do, the first that comes does."""
    for text, version in ((">=12.5,<13\n", "12.8.1"), ("13\n", "13.0.1")):
        folder = project(world, "p", text)
        with LiveShell(world, shell) as live:
            live.run(f"cd {folder}")
            settle(shell)
            live.run("")
            starts = world.starts()
            live.run("")
            assert world.starts() == starts, text
            add_toolkit(world.root, version)
            live.run("")
            assert live.active() == prefix(world, version), text


@case()
def a_path_that_was_set_anew(world, shell):
    """As an environment of Python does that is left: the toolkit comes first again."""
    one = project(world, "one", "12.1\n")
    setting = {"fish": f"set -gx PATH {SYSTEM_PATH.replace(':', ' ')}",
               "tcsh": f"setenv PATH {SYSTEM_PATH}",
               "elvish": f"set-env PATH {SYSTEM_PATH}"}.get(shell, f"PATH={SYSTEM_PATH}")
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        live.run(setting)
        path = live.variables()["PATH"]
        assert path == f"{prefix(world, '12.1.1')}/bin:{SYSTEM_PATH}", path
        settle(shell)
        live.run("")
        starts = world.starts()
        live.run("")
        assert world.starts() == starts


@case("bash", "zsh", "fish")
def a_pipe_in_the_files_place(world, shell):
    """Nothing waits for what nobody writes."""
    one = project(world, "one", "12.1\n")
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        (one / ".cudaenv").unlink()
        os.mkfifo(one / ".cudaenv")
        live.run("")
        assert live.active() == ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__))
