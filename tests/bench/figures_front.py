"""What people wait for every day: asking, reinstalling what is there, verifying."""

import os
import re
import subprocess

from figures_install import install_command
from measure import Peer, compare, run, show, table
from world import VERSION


def installed(world, home):
    """A home with the release installed; made once a run."""
    environment = {**os.environ, **world.environment(home)}
    if not world.scratch(home).exists():
        url = world.serve(world.archives("single", "-6 -T1"))
        run(install_command(world, url, VERSION), environment)
    return environment


def again(world, rounds):
    print("## Installing what is there\n")
    environment = installed(world, "installed")
    url = world.serve(world.archives("single", "-6 -T1"))
    peers = [Peer("/bin/true", lambda _: ["/bin/true"]),
             Peer("install again", lambda _: install_command(world, url, VERSION),
                  environment=environment)]
    compare(peers, 10 * rounds)
    print(table(peers, "/bin/true", "ms") + "\n")
    print(show(peers[1].command(0)) + "\n")


def fifty_installed(world):
    """The environment of a home with 50 prefixes, one of them the default."""
    environment = installed(world, "installed")
    root = world.scratch("installed") / "root"
    there = sum(1 for prefix in root.iterdir() if prefix.is_dir() and not prefix.is_symlink()
                and not prefix.name.startswith("."))
    add_names(world, environment, 50 - there)
    run([str(world.cudaenv), "default", "13.0"], environment)
    return environment


def front(world, rounds):
    print("## Asking, with 50 prefixes installed\n")
    environment = fifty_installed(world)
    words = [["list"], ["which", "nvcc"], ["prefix", "13.0"], ["env"]]
    peers = [Peer("/bin/true", lambda _: ["/bin/true"])]
    peers += [Peer(" ".join(word), lambda _, word=word: [str(world.cudaenv), *word],
                   environment=environment) for word in words]
    compare(peers, 20 * rounds)
    print(table(peers, "/bin/true", "ms") + "\n")
    for word in words:
        libraries = loaded([str(world.cudaenv), *word], environment)
        print(f"`cudaenv {' '.join(word)}` loads {len(libraries)} shared objects: "
              + " ".join(libraries))
    print()


def add_names(world, environment, count):
    """More prefixes of the same release: their files are links to the same ones."""
    url = world.serve(world.archives("single", "-6 -T1"))
    for number in range(count):
        run(install_command(world, url, VERSION, "--name", f"copy-{number}"), environment)


def loaded(command, environment):
    result = subprocess.run(command, env={**environment, "LD_DEBUG": "files"}, check=True,
                            capture_output=True, text=True)
    return sorted(set(re.findall(r"calling init: \S*/(\S+)", result.stderr)))


def verify(world, rounds):
    print("## verify, beside sha256sum over all cores\n")
    environment = installed(world, "installed")
    prefix = world.scratch("installed") / "root" / f"cuda-{VERSION}"
    script = (f'find "$0" -type f -print0 | xargs -0 -n 16 -P{os.cpu_count()} sha256sum '
              ">/dev/null")
    peers = [Peer("sha256sum", lambda _: ["sh", "-c", script, str(prefix)]),
             Peer("cudaenv verify", lambda _: [str(world.cudaenv), "verify", VERSION],
                  environment=environment)]
    compare(peers, rounds)
    print(table(peers, "sha256sum") + "\n")
    for peer in peers:
        print(show(peer.command(0)))
    print()
