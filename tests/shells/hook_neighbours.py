#!/usr/bin/env python3
"""The hook beside what else changes environments: hook_neighbours.py SHELL [NAME]"""

import os
import shutil
import subprocess
import sys
import time

from live_shell import PROGRAM, SHELLS, SYSTEM_PATH, LiveShell
from shell_cases import case, lacks, main, prefix, project


@case("bash", "zsh")
def virtual_environments(world, shell):
    """venv and conda, by the variables that they set: before, inside, after."""
    one = project(world, "one", "12.1\n")
    venv = world.work / "venv"
    made = subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv],
                          capture_output=True)
    if made.returncode != 0:
        return lacks("Python's venv")
    conda = f"{world.work}/conda"
    conda = (f"CONDA_PREFIX={conda}; export CONDA_PREFIX; PATH={conda}/bin:$PATH",
             "PATH=$(printf %s \"$PATH\" | tr : '\\n' | grep -v conda | paste -sd:); "
             "unset CONDA_PREFIX")
    for enter, leave in ((f"source {venv}/bin/activate", "deactivate"), conda):
        with LiveShell(world, shell) as live:
            before = live.variables()["PATH"]
            live.run(enter)
            inside = live.variables()["PATH"]
            live.run(f"cd {one}")
            assert live.active() == prefix(world, "12.1.1")
            live.run(f"cd {world.work}")
            assert live.variables()["PATH"] == inside
            live.run(leave)
            path = live.variables()["PATH"]
            assert path == before, (enter, before, path)
            live.run(f"cd {one}")
            live.run(enter)
            live.run(f"cd {world.work}")
            path = live.variables()["PATH"]
            assert str(world.root) not in path and path == inside, path
        with LiveShell(world, shell) as live:
            live.run(enter)
            live.run(f"cd {one}")
            live.run(leave)
            path = live.variables()["PATH"]
            assert path == f"{prefix(world, '12.1.1')}/bin:{before}", (enter, path)
            live.run(enter)
            live.run(leave)
            live.run(f"cd {world.work}")
            assert live.variables()["PATH"] == before, enter


@case("bash", "zsh")
def beside_direnv(world, shell):
    """direnv's hook and ours, in both orders."""
    if not shutil.which("direnv", path=SYSTEM_PATH):
        return lacks("direnv")
    one = project(world, "one", "12.1\n")
    (one / ".envrc").write_text("export FROM_DIRENV=yes\nPATH_add tools\n")
    subprocess.run(["direnv", "allow", one], env=world.environment, check=True, capture_output=True)
    ours = SHELLS[shell][1].format(world.init(shell))
    theirs = f'eval "$(direnv hook {shell})"'
    for first, second in ((ours, theirs), (theirs, ours)):
        with LiveShell(world, shell, take_hook=False) as live:
            before = live.variables()["PATH"]
            live.run(first)
            live.run(second)
            live.run(f"cd {one}")
            live.run("")
            variables = live.variables()
            assert variables.get("FROM_DIRENV") == "yes", variables
            assert variables.get("CUDAENV_ACTIVE"), variables
            folders = variables["PATH"].split(":")
            assert f"{one}/tools" in folders, folders
            assert prefix(world, "12.1.1") + "/bin" in folders, folders
            live.run(f"cd {world.work}")
            live.run("")
            variables = live.variables()
            assert "FROM_DIRENV" not in variables and not variables.get("CUDAENV_ACTIVE"), variables
            assert str(world.root) not in variables["PATH"], variables["PATH"]
            assert variables["PATH"] == before, (before, variables["PATH"])


@case()
def start_up_file(world, shell):
    """`init --install` once, and a new shell switches; the program's folder has an odd name."""
    one = project(world, "one", "12.1\n")
    odd = world.folder / "it's $(touch ran) `touch ran` \"!\" here"
    odd.mkdir()
    (odd / "cudaenv").symlink_to(PROGRAM)
    environment = {**world.environment, "PATH": f"{odd}:{SYSTEM_PATH}"}

    def init(*words):
        subprocess.run(["cudaenv", "init", shell, *words], env=environment, check=True,
                       capture_output=True)

    init("--install")
    init("--install")
    command = [word for word in SHELLS[shell][0]
               if word not in ("--norc", "--no-config", "-norc", "-f", "--noprofile")]
    with LiveShell(world, shell, take_hook=False, command=command, environment=environment) as live:
        said = live.run(f"cd {one}")
        assert said.count("is active") == 1, said
        assert live.active() == prefix(world, "12.1.1")
    assert not list(world.folder.rglob("ran"))
    init("--uninstall")
    left = [path for path in (world.folder / "home").rglob("*")
            if path.is_file() and b"cudaenv >>>" in path.read_bytes()]
    assert not left, left


LMOD = "/usr/share/lmod/lmod/init"


@case("bash", "zsh", "fish", "tcsh")
def beside_lmod(world, shell):
    """A module loaded before, inside and after a project."""
    init = f"{LMOD}/{'csh' if shell == 'tcsh' else shell}"
    if not os.path.exists(init):
        return lacks("Lmod")
    one = project(world, "one", "12.1\n")
    modules = world.work / "modules"
    modules.mkdir()
    (modules / "tool.lua").write_text('prepend_path("PATH", "/opt/tool/bin")\n'
                                      'prepend_path("LD_LIBRARY_PATH", "/opt/tool/lib")\n')
    world.environment["MODULEPATH"] = str(modules)
    with LiveShell(world, shell) as live:
        live.run(f"source {init}")
        before = live.variables()["PATH"]
        live.run("module load tool")
        loaded = live.variables()
        assert "/opt/tool/bin" in loaded["PATH"], loaded["PATH"]
        live.run(f"cd {one}")
        assert live.active() == prefix(world, "12.1.1")
        live.run(f"cd {world.work}")
        variables = live.variables()
        assert variables["PATH"] == loaded["PATH"], variables["PATH"]
        assert variables["LD_LIBRARY_PATH"] == "/opt/tool/lib", variables["LD_LIBRARY_PATH"]
        live.run(f"cd {one}")
        live.run("module unload tool")
        inside = live.variables()
        assert "/opt/tool" not in inside["PATH"], inside["PATH"]
        assert prefix(world, "12.1.1") in inside["PATH"], inside["PATH"]
        live.run("module load tool")
        live.run(f"cd {world.work}")
        variables = live.variables()
        assert str(world.root) not in variables["PATH"], variables["PATH"]
        assert variables["LD_LIBRARY_PATH"] == "/opt/tool/lib", variables["LD_LIBRARY_PATH"]
        live.run("module unload tool")
        assert live.variables()["PATH"] == before


@case("bash", "zsh")
def two_shells(world, shell):
    """Each is where it is, and an edit reaches both."""
    one, two = project(world, "one", "12.1\n"), project(world, "two", "11.8\n")
    with LiveShell(world, shell) as here, LiveShell(world, shell) as there:
        here.run(f"cd {one}")
        there.run(f"cd {two}")
        assert (here.active(), there.active()) == (prefix(world, "12.1.1"), prefix(world, "11.8.0"))
        there.run(f"cd {one}")
        (one / ".cudaenv").write_text("12.4\n")
        here.run("")
        there.run("")
        assert here.active() == there.active() == prefix(world, "12.4.1")


@case("bash")
def another_user(world, shell):
    """As with `su -p` and `sudo -E`: the environment of one, the shell of the other."""
    if os.geteuid() != 0 or not shutil.which("setpriv", path=SYSTEM_PATH):
        return lacks("setpriv as root")
    one, two = project(world, "one", "12.1\n"), project(world, "two", "11.8\n")
    for folder in (world.folder, world.work):
        folder.chmod(0o777)
    world.counter.chmod(0o666)
    take = SHELLS[shell][1].format(world.init(shell))
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        live.run("setpriv --reuid=12345 --regid=12345 --clear-groups bash --norc -i")
        said = live.run(take)
        assert "denied" not in said, said
        assert live.active() == prefix(world, "12.1.1")
        live.run(f"cd {two}")
        assert live.active() == prefix(world, "11.8.0")
        (two / ".cudaenv").chmod(0)
        said = live.run("")
        assert "cudaenv: cannot" in said, said
        assert live.active() == ""
        live.run("exit")
        assert live.active() == prefix(world, "12.1.1")


@case("bash")
def below_su(world, shell):
    """`su` keeps the environment, `su -` does not, and `exec` needs none."""
    if os.geteuid() != 0 or not shutil.which("su", path=SYSTEM_PATH):
        return lacks("su as root")
    one = project(world, "one", "12.1\n")
    for folder in (world.folder, world.work):
        folder.chmod(0o777)
    show = 'printf "<%s>" "${CUDAENV_ACTIVE-}"'
    ask = f"CUDAENV_ROOT={world.root} {PROGRAM} exec 12.1 -- nvcc"
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        said = live.run(f"su -p -s /bin/bash nobody -c '{show}'")
        assert f"<{prefix(world, '12.1.1')}>" in said, said
        said = live.run(f"su - -s /bin/bash nobody -c '{show}; {ask}'")
        assert "<>12.1.1" in said, said
        assert live.active() == prefix(world, "12.1.1")


@case("bash", "zsh")
def below_sudo(world, shell):
    """With -E the toolkit stays known, without it `exec` brings it back."""
    sudo = shutil.which("sudo", path=SYSTEM_PATH)
    allowed = sudo and subprocess.run([sudo, "-n", "true"], capture_output=True).returncode == 0
    if not allowed:
        return lacks("sudo without a password")
    one = project(world, "one", "12.1\n")
    with LiveShell(world, shell) as live:
        live.run(f"cd {one}")
        said = live.run("sudo -n -E sh -c 'printf \"<%s>\" \"$CUDAENV_ACTIVE\"'")
        assert f"<{prefix(world, '12.1.1')}>" in said, said
        said = live.run(f"sudo -n sh -c 'printf \"<%s>\" \"$CUDAENV_ACTIVE\"'")
        assert "<>" in said, said
        said = live.run(f"sudo -n CUDAENV_ROOT={world.root} {PROGRAM} exec 12.1 -- nvcc")
        assert "12.1.1" in said, said


@case("bash", "zsh")
def below_tmux(world, shell):
    """Its login shells set PATH anew and have the variables of where it was started."""
    if not shutil.which("tmux", path=SYSTEM_PATH):
        return lacks("tmux")
    one, two = project(world, "one", "12.1\n"), project(world, "two", "11.8\n")
    home = world.folder / "home"
    start = {"bash": ".bash_profile", "zsh": ".zlogin"}[shell]
    take = SHELLS[shell][1].format(world.init(shell))
    (home / start).write_text(f"PATH={SYSTEM_PATH}\n{take}\n")
    (home / ".zshrc").touch()
    socket, dump = world.folder / "tmux", world.folder / "dump"
    program = shutil.which(shell, path=SYSTEM_PATH)
    environment = {**world.environment, "SHELL": program, "TERM": "screen"}

    def tmux(*words):
        subprocess.run(["tmux", "-f", "/dev/null", "-S", socket, *words], env=environment,
                       check=True, capture_output=True, stdin=subprocess.DEVNULL)

    def variables():
        dump.unlink(missing_ok=True)
        tmux("send-keys", f"/usr/bin/env -0 > {dump}.new; mv {dump}.new {dump}", "Enter")
        deadline = time.monotonic() + 30
        while not dump.exists():
            assert time.monotonic() < deadline, "tmux does not answer"
            time.sleep(0.01)
        return dict(entry.split("=", 1) for entry in dump.read_text().split("\0") if "=" in entry)

    with LiveShell(world, shell, environment=environment) as live:
        live.run(f"cd {one}")
        live.run(f"tmux -f /dev/null -S {socket} new-session -d -x 200 -y 50")
        try:
            found = variables()
            for name in ("CUDAENV_ACTIVE", "CUDA_HOME"):
                assert found[name] == prefix(world, "12.1.1"), (name, found[name])
            assert found["PATH"] == f"{prefix(world, '12.1.1')}/bin:{SYSTEM_PATH}", found["PATH"]
            tmux("send-keys", f"cd {two}", "Enter")
            assert variables()["PATH"] == f"{prefix(world, '11.8.0')}/bin:{SYSTEM_PATH}"
            tmux("send-keys", f"cd {world.work}", "Enter")
            found = variables()
            assert found["PATH"] == SYSTEM_PATH, found["PATH"]
            # The machine's own start-up files may have set one.
            assert str(world.root) not in found.get("CUDA_HOME", ""), found["CUDA_HOME"]
        finally:
            tmux("kill-server")


@case("bash", "zsh", "fish", "tcsh")
def odd_home(world, shell):
    """The user's root lies in a home whose name would run, expand or end something; and so do the
    project and its folders."""
    home = world.folder / os.fsdecode(b"it's \"$(touch ran)\" `touch ran` *?[a] !! %n\n#\xff\xe9")
    (home / ".local/share").mkdir(parents=True)
    world.root.rename(home / ".local/share/cudaenv")
    root = home / ".local/share/cudaenv"
    one = home / os.fsdecode(b"$(touch ran)\xff")
    one.mkdir()
    (one / ".cudaenv").write_text("12.1\n")
    (world.folder / "to").symlink_to(one)
    environment = {**world.environment, "HOME": str(home),
                   "XDG_CONFIG_HOME": str(home / ".config")}
    for name in ("CUDAENV_ROOT", "XDG_DATA_HOME"):
        environment.pop(name, None)
    world.environment = environment
    with LiveShell(world, shell) as live:
        before = live.variables()
        said = live.run(f"cd {world.folder}/to")
        assert said.count("is active") == 1, said
        variables = live.variables()
        assert variables["CUDAENV_ACTIVE"] == f"{root}/cuda-12.1.1", variables["CUDAENV_ACTIVE"]
        assert variables["PATH"].startswith(f"{root}/cuda-12.1.1/bin:"), variables["PATH"]
        assert "12.1.1" in live.run("nvcc")
        live.run(f"cd {world.work}")
        after = live.variables()
        assert after["PATH"] == before["PATH"] and "CUDA_HOME" not in after, after
    assert not list(world.folder.rglob("ran"))


@case("bash", "zsh")
def functions_and_subshells(world, shell):
    one, two = project(world, "one", "12.1\n"), project(world, "two", "11.8\n")
    with LiveShell(world, shell) as live:
        live.run(f"go() {{ cd {two}; cd {one}; }}")
        live.run("go")
        assert live.active() == prefix(world, "12.1.1")
        live.run(f"(cd {two}; true)")
        live.run(f"x=$(cd {two}; echo y)")
        assert live.active() == prefix(world, "12.1.1")
        live.run(f"pushd {two} >/dev/null")
        assert live.active() == prefix(world, "11.8.0")
        live.run("popd >/dev/null")
        assert live.active() == prefix(world, "12.1.1")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__))
