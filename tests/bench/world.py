"""What the benchmarks install: the machine's own toolkit, packed as NVIDIA serves it, and the same
release's wheels from the package index; both served on loopback."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

PACK = Path(__file__).resolve().parents[1] / "support" / "pack_toolkit.py"
VERSION = "13.0.2"
PLATFORM = "linux-x86_64"
# A compiler, and libraries of every size but the largest: 370 MB of archives and wheels together.
COMPONENTS = ("cuda_cccl", "cuda_nvcc", "cuda_crt", "cuda_cudart", "cuda_nvrtc", "libnvvm",
              "libcurand", "cuda_profiler_api", "libnvjitlink", "cuda_cupti")
EXTRAS = ("cccl", "nvcc", "crt", "cudart", "nvrtc", "nvvm", "curand", "profiler", "nvjitlink",
          "cupti")


class World:
    """Everything lies in one folder and is made once; a second run finds it there."""

    def __init__(self, folder, programs):
        self.folder = Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.cudaenv = Path(programs) / "bin" / "cudaenv"
        self.mirror_program = next(Path(programs).rglob("cudaenv-test-mirror"))
        self.servers = []

    def archives(self, name, xz, components=COMPONENTS):
        """A mirror whose archives were packed with these options of xz."""
        mirror = self.folder / name
        made = mirror / "made"
        if not made.exists():
            shutil.rmtree(mirror, ignore_errors=True)
            print(f"packing {name} (minutes)", file=sys.stderr)
            subprocess.run([sys.executable, PACK, "/usr/local/cuda", mirror, "--version", VERSION,
                            "--components", ",".join(components), f"--xz={xz}"], check=True)
            made.touch()
        return mirror

    def successor(self, mirror, version, component):
        """Adds to a mirror a release that differs from the one before in one component."""
        product = mirror / "compute" / "cuda" / "redist"
        path = product / f"redistrib_{version}.json"
        if path.exists():
            return
        before = max(product.glob("redistrib_*.json"), key=lambda file: file.stat().st_mtime)
        manifest = json.loads(before.read_text())
        entry = manifest[component][PLATFORM]
        old = product / entry["relative_path"]
        number = bump(manifest[component]["version"])
        new = old.with_name(old.name.replace(manifest[component]["version"], number))
        repack(old, new, version)
        digest = subprocess.run(["sha256sum", new], check=True, capture_output=True, text=True)
        entry.update(relative_path=str(new.relative_to(product)), sha256=digest.stdout.split()[0],
                     size=str(new.stat().st_size))
        manifest[component]["version"] = number
        manifest["release_label"] = version
        path.write_text(json.dumps(manifest, indent=4))

    def wheels(self):
        """A package index with the wheels of the same components."""
        index = self.folder / "index"
        made = index / "made"
        if not made.exists():
            shutil.rmtree(index, ignore_errors=True)
            files = index / "files"
            files.mkdir(parents=True)
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir",
                            "--only-binary=:all:", "--dest", files,
                            f"cuda-toolkit[{','.join(EXTRAS)}]=={VERSION}"], check=True)
            write_index(index, files)
            made.touch()
        return index

    def serve(self, folder):
        """The URL of a server of this folder, which ends with `close`."""
        server = subprocess.Popen([self.mirror_program, "--root", folder], text=True,
                                  stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.servers.append(server)
        return server.stdout.readline().strip()

    def close(self):
        for server in self.servers:
            server.terminate()
            server.wait()

    def scratch(self, name):
        path = self.folder / "scratch" / name
        return path

    def environment(self, name):
        """For a cudaenv with a root, a cache and a home of its own, and with this Python's pip."""
        home = self.scratch(name)
        programs = os.path.dirname(sys.executable)
        return {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"),
                "XDG_DATA_HOME": str(home / "data"), "CUDAENV_ROOT": str(home / "root"),
                "CUDAENV_ACCEPT_EULA": "1", "CUDAENV_TRUST_MIRROR": "1", "CUDAENV_QUIET": "1"}


def bump(version):
    head, _, last = version.rpartition(".")
    return f"{head}.{int(last) + 1}"


def repack(old, new, text):
    """The same archive with one file more, under the top folder of its new name."""
    top = new.name.removesuffix(".tar.xz")
    unpacked = new.parent / "unpacked"
    with tarfile.open(old) as tar:
        tar.extractall(unpacked)
    os.rename(next(unpacked.iterdir()), unpacked / top)
    (unpacked / top / f"note-{text}.txt").write_text(f"changed in {text}\n")
    with tarfile.open(new, "w:xz") as tar:
        tar.add(unpacked / top, top)
    shutil.rmtree(unpacked)


def write_index(index, files):
    """The pages that pip and uv read, with the wheels' metadata beside them, as the public index
    has it: without it a resolver fetches whole wheels."""
    projects = {}
    for wheel in sorted(files.glob("*.whl")):
        name = re.sub(r"[-_.]+", "-", wheel.name.split("-")[0]).lower()
        projects.setdefault(name, []).append(wheel)
    for name, wheels in projects.items():
        page = index / "simple" / name / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text("<!DOCTYPE html><html><body>\n" + "<br>\n".join(map(link, wheels)) +
                        "\n</body></html>\n")


def link(wheel):
    metadata = wheel.with_name(wheel.name + ".metadata")
    with zipfile.ZipFile(wheel) as members:
        name = next(name for name in members.namelist() if name.endswith(".dist-info/METADATA"))
        metadata.write_bytes(members.read(name))
    beside = f"sha256={sha256(metadata)}"
    return (f'<a href="/files/{wheel.name}#sha256={sha256(wheel)}" data-core-metadata="{beside}" '
            f'data-dist-info-metadata="{beside}">{wheel.name}</a>')


def sha256(file):
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
