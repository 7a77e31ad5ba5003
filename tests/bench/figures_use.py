"""Activating and asking for what is active, beside what other tools take for the same."""

import shutil
from pathlib import Path

from figures_front import fifty_installed, loaded
from measure import Peer, compare, run, table

LMOD = Path("/usr/share/lmod/lmod/libexec/lmod")


def use(world, rounds):
    print("## Activating, with 50 prefixes installed\n")
    environment = fifty_installed(world)
    words = [["use", "13.0", "--shell", "bash"], ["current"], ["which", "nvcc"]]
    active = {**environment, "PATH": "/usr/bin:/bin"}
    peers = [Peer("/bin/true", lambda _: ["/bin/true"])]
    peers += [Peer("cudaenv " + " ".join(word), lambda _, word=word: [str(world.cudaenv), *word],
                   environment=active) for word in words]
    peers += [peer for make in (mise, direnv, lmod, pyenv) for peer in make(world)]
    compare(peers, 20 * rounds)
    print(table(peers, "/bin/true", "ms") + "\n")
    for word in words:
        libraries = loaded([str(world.cudaenv), *word], active)
        print(f"`cudaenv {' '.join(word)}` loads {len(libraries)} shared objects: "
              + " ".join(libraries))
    print()


def folder(world, name):
    path = world.scratch("peers") / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def in_folder(path, words):
    return ["env", f"--chdir={path}", *words]


def mise(world):
    if not shutil.which("mise"):
        return []
    path = folder(world, "mise")
    (path / "mise.toml").write_text('[env]\nCUDA_HOME = "/usr/local/cuda"\n')
    environment = {"HOME": str(path), "MISE_TRUSTED_CONFIG_PATHS": str(path)}
    return [Peer("mise env", lambda _: in_folder(path, ["mise", "env", "-s", "bash"]),
                 environment=environment)]


def direnv(world):
    if not shutil.which("direnv"):
        return []
    path = folder(world, "direnv")
    (path / ".envrc").write_text("export CUDA_HOME=/usr/local/cuda\nPATH_add /usr/local/cuda/bin\n")
    environment = {"HOME": str(path), "XDG_DATA_HOME": str(path), "XDG_CONFIG_HOME": str(path)}
    run(in_folder(path, ["env", *(f"{key}={value}" for key, value in environment.items()),
                         "direnv", "allow"]))
    return [Peer("direnv export bash", lambda _: in_folder(path, ["direnv", "export", "bash"]),
                 environment=environment)]


def lmod(world):
    if not LMOD.exists():
        return []
    path = folder(world, "lmod")
    (path / "cuda").mkdir(exist_ok=True)
    (path / "cuda" / "13.0.lua").write_text(
        'setenv("CUDA_HOME", "/usr/local/cuda")\nprepend_path("PATH", "/usr/local/cuda/bin")\n')
    return [Peer("lmod bash load", lambda _: [str(LMOD), "bash", "load", "cuda/13.0"],
                 environment={"MODULEPATH": str(path), "HOME": str(path)})]


def pyenv(world):
    if not shutil.which("pyenv"):
        return []
    return [Peer("pyenv which python3", lambda _: ["pyenv", "which", "python3"])]
