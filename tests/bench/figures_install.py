"""Installs from tar.xz archives: time, memory, and what a release shares with the one before."""

import os
import shutil
import sys
from pathlib import Path

from measure import Peer, compare, run, show, table
from world import COMPONENTS, PLATFORM, VERSION


def single_block(world, rounds):
    print("## tar.xz, one block each, as NVIDIA serves them\n")
    cold_install(world, world.archives("single", "-6 -T1"), rounds, everyone=True)


def multi_block(world, rounds):
    print("## tar.xz, in blocks of 8 MiB\n")
    cold_install(world, world.archives("multi", "-4 -T1 --block-size=8MiB"), rounds,
                 everyone=False)


def cold_install(world, mirror, rounds, everyone):
    url = world.serve(mirror)
    archives = sorted(mirror.rglob("*.tar.xz"), key=lambda file: -file.stat().st_size)
    peers = [decoder(archives), cudaenv(world, "cudaenv", url, VERSION)]
    if everyone:
        peers += [curl_tar(world, url, mirror, archives), aria2(world, url, mirror, archives),
                  sample_parser(world, url)]
    peers = [peer for peer in peers if peer]
    compare(peers, rounds)
    size = sum(file.stat().st_size for file in archives)
    print(f"{len(archives)} archives, {size / 1e6:.0f} MB packed\n")
    print(table(peers, "xz -dc") + "\n")
    for peer in peers:
        print(show(peer.command(0)))
    print()


def decoder(archives):
    command = f"printf '%s\\0' \"$@\" | xargs -0 -P{os.cpu_count()} -n1 xz -dc >/dev/null"
    return Peer("xz -dc", lambda _: ["sh", "-c", command, "sh", *map(str, archives)])


def install_command(world, url, version, *more):
    return [str(world.cudaenv), "install", version, "--source", "nvidia", "--mirror", url,
            "--component", ",".join(COMPONENTS), *more]


def cudaenv(world, name, url, version):
    """Each round into a home of its own: no cache, no store, no root."""
    peer = Peer(name, lambda number: ["env"] + [
        f"{key}={value}" for key, value in world.environment(f"{name}-{number}").items()
    ] + install_command(world, url, version))
    peer.after = lambda number: shutil.rmtree(world.scratch(f"{name}-{number}"))
    return peer


def in_scratch(world, name, script, words):
    """A shell's script in an empty folder, which is deleted afterwards."""
    folder = lambda number: world.scratch(f"{name.replace(' ', '-')}-{number}")
    return Peer(name,
                lambda number: ["sh", "-c", f'cd "$0" && {script}', str(folder(number)), *words],
                before=lambda number: folder(number).mkdir(parents=True),
                after=lambda number: shutil.rmtree(folder(number)))


def urls(url, mirror, archives):
    return [f"{url}/{file.relative_to(mirror)}" for file in archives]


def curl_tar(world, url, mirror, archives):
    script = ('for url; do curl -fsSO "$url" && tar xf "${url##*/}" || exit; done')
    return in_scratch(world, "curl + tar", script, urls(url, mirror, archives))


def aria2(world, url, mirror, archives):
    if not shutil.which("aria2c"):
        print("aria2c is not installed\n", file=sys.stderr)
        return None
    script = ("printf '%s\\n' \"$@\" >urls && aria2c -q -j5 -i urls && "
              "ls -S *.tar.xz | xargs -P2 -n1 tar xf")
    return in_scratch(world, "aria2c + tar -P2", script, urls(url, mirror, archives))


def sample_parser(world, url):
    parser = os.environ.get("NVIDIA_PARSER")
    if not parser:
        print("NVIDIA_PARSER names no sample parser\n", file=sys.stderr)
        return None
    script = f'"{sys.executable}" "$@"'
    return in_scratch(world, "NVIDIA's parser", script,
                      [parser, "--url", f"{url}/compute/cuda/redist/redistrib_{VERSION}.json",
                       "--os", "linux", "--arch", "x86_64"])


def memory(world, _):
    print("## Peak of heap and anonymous memory\n")
    small = world.archives("single", "-6 -T1")
    large = world.archives("cublas", "-1 -T1 --lzma2=preset=1,dict=8MiB",
                           ("libcublas", "cuda_cudart"))
    print("| archives | packed MB | largest MB | peak MiB |\n| --- | ---: | ---: | ---: |")
    for mirror in small, large:
        sizes = [file.stat().st_size for file in mirror.rglob("*.tar.xz")]
        home = f"memory-{mirror.name}"
        words = [str(world.cudaenv), "install", VERSION, "--source", "nvidia", "--mirror",
                 world.serve(mirror), "--component",
                 ",".join(sorted({file.parent.parent.name for file in mirror.rglob("*.tar.xz")}))]
        sample = run(words, {**os.environ, **world.environment(home)}, memory=True)
        print(f"| {mirror.name} | {sum(sizes) / 1e6:.0f} | {max(sizes) / 1e6:.0f} "
              f"| {sample.anonymous / 2**20:.1f} |")
        shutil.rmtree(world.scratch(home))
    print("\n" + show(words) + "\n")


def second_release(world, rounds):
    print("## A release that shares all components but one with an installed one\n")
    mirror = world.archives("single", "-6 -T1")
    world.successor(mirror, "13.0.3", "cuda_cudart")
    url = world.serve(mirror)
    change = Path(next((mirror / "compute/cuda/redist/cuda_cudart" / PLATFORM).glob("*.97-*")))
    cold = cudaenv(world, "cold", url, VERSION)
    cold.after = None
    second = Peer("13.0.3 beside 13.0.2", lambda number: ["env"] + [
        f"{key}={value}" for key, value in world.environment(f"cold-{number}").items()
    ] + install_command(world, url, "13.0.3"))
    alone = Peer("the changed archive alone", lambda number: ["env"] + [
        f"{key}={value}" for key, value in world.environment(f"alone-{number}").items()
    ] + install_command(world, url, "13.0.3", "--component", "cuda_cudart")[:-4] +
        ["--component", "cuda_cudart"])
    compare([cold, second, alone], rounds)
    print(table([cold, second, alone], "cold") + "\n")
    print(f"changed: {change.name}, {change.stat().st_size / 1e6:.1f} MB\n")
    print(show(second.command(0)) + "\n")


def ten_patches(world, _):
    print("## Ten patch releases of one minor, each with one changed component\n")
    mirror = world.archives("single", "-6 -T1")
    changed = ("cuda_cudart", "cuda_cupti", "cuda_cccl")
    for number in range(3, 12):
        world.successor(mirror, f"13.0.{number}", changed[number % len(changed)])
    url = world.serve(mirror)
    environment = {**os.environ, **world.environment("patches")}
    apart = 0
    for number in range(2, 12):
        run(install_command(world, url, f"13.0.{number}"), environment)
        apart += disk_use(world.scratch("patches") / "root" / f"cuda-13.0.{number}")
    together = disk_use(world.scratch("patches") / "root")
    print(f"ten prefixes by themselves: {apart / 1e6:.0f} MB; the root with all ten: "
          f"{together / 1e6:.0f} MB; ratio {together / apart:.3f}\n")
    shutil.rmtree(world.scratch("patches"))


def disk_use(folder):
    """Bytes on disk, each file counted once however many names it has."""
    seen = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            status = os.lstat(Path(place) / name)
            seen[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(seen.values())
