"""Installs from wheels of a package index on loopback, beside uv, pip and unzip."""

import os
import shutil
import sys

from measure import Peer, compare, show, table
from world import COMPONENTS, VERSION


def wheels(world, rounds):
    print("## Wheels\n")
    index = world.wheels()
    url = world.serve(index)
    files = sorted((index / "files").glob("nvidia*.whl"), key=lambda file: -file.stat().st_size)
    wanted = ["==".join(file.name.split("-")[:2]) for file in files]
    peers = [cudaenv(world, url), cudaenv_folder(world, index / "files"),
             uv(world, url, wanted), pip(world, url, wanted), unzip(world, files)]
    peers = [peer for peer in peers if peer]
    compare(peers, rounds)
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} wheels, {size / 1e6:.0f} MB packed\n")
    print(table(peers, "uv" if shutil.which("uv") else "pip") + "\n")
    for peer in peers:
        print(show(peer.command(0)))
    print()


def install(world, home, source, index):
    words = world.environment(home)
    if index:
        words["PIP_INDEX_URL"] = f"{index}/simple"
    return ["env", *[f"{key}={value}" for key, value in words.items()], str(world.cudaenv),
            "install", VERSION, "--source", source, "--component", ",".join(COMPONENTS)]


def cudaenv(world, url):
    return Peer("cudaenv", lambda number: install(world, f"wheels-{number}", "wheels", url),
                after=lambda number: shutil.rmtree(world.scratch(f"wheels-{number}")))


def cudaenv_folder(world, folder):
    return Peer("cudaenv, wheels:DIR",
                lambda number: install(world, f"folder-{number}", f"wheels:{folder}", None),
                after=lambda number: shutil.rmtree(world.scratch(f"folder-{number}")))


def uv(world, url, wanted):
    if not shutil.which("uv"):
        print("uv is not installed\n", file=sys.stderr)
        return None
    return Peer("uv",
                lambda number: ["uv", "pip", "install", "-q", "--target",
                                str(world.scratch(f"uv-{number}")), "--no-deps", "--no-cache",
                                "--no-config", "--index-url", f"{url}/simple", *wanted],
                after=lambda number: shutil.rmtree(world.scratch(f"uv-{number}")))


def pip(world, url, wanted):
    return Peer("pip",
                lambda number: [sys.executable, "-m", "pip", "install", "-q", "--target",
                                str(world.scratch(f"pip-{number}")), "--no-deps",
                                "--no-cache-dir", "--disable-pip-version-check",
                                "--index-url", f"{url}/simple", *wanted],
                after=lambda number: shutil.rmtree(world.scratch(f"pip-{number}")))


def unzip(world, files):
    if not shutil.which("unzip"):
        print("unzip is not installed\n", file=sys.stderr)
        return None
    # Each into a folder of its own: several at once trip over each other's folders.
    script = (f'printf "%s\\n" "$@" | xargs -P{os.cpu_count()} -I@ '
              """sh -c 'exec unzip -q @ -d "$0/${1##*/}"' "$0" @""")
    return Peer("unzip -P2",
                lambda number: ["sh", "-c", script, str(world.scratch(f"unzip-{number}")),
                                *map(str, files)],
                before=lambda number: world.scratch(f"unzip-{number}").mkdir(parents=True),
                after=lambda number: shutil.rmtree(world.scratch(f"unzip-{number}")))
