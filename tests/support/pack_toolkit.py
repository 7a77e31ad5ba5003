#!/usr/bin/env python3
"""Packs an installed CUDA toolkit into archives and manifests as NVIDIA serves them.

    pack_toolkit.py TOOLKIT OUT [--components cuda_nvcc,libcublas] [--version 13.0.2] [--xz=OPTIONS]

TOOLKIT is a tree with dist-info/*/RECORD, which say what belongs to which component. Below OUT
a mirror of NVIDIA's host comes to lie: compute/cuda/redist/redistrib_<version>.json with true
sizes and digests, the archives beside it, cuDNN likewise under compute/cudnn/redist. And
OUT/expected.tsv: component, path in the archive, mode, size, sha256 of every packed file; for a
link the mode is "link", the size 0 and the last column its target.
"""

import argparse
import base64
import csv
import hashlib
import json
import lzma
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "manifests" / "components.json"
# Twice as fast as -0 for the same size; blocks of 8 MiB, so that several threads can decode.
XZ_OPTIONS = "-T2 --block-size=8MiB --lzma2=preset=0,dict=64KiB,mf=hc3,depth=1,nice=8"
PACKED_AT = 1700000000  # one time for all members, so that equal input gives equal archives


def main():
    options = read_arguments()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    packages, unknown = read_packages(Path(options.toolkit))
    for name in unknown:
        print(f"left out: {name} (no component of a manifest)", file=sys.stderr)
    if not packages:
        sys.exit(f"{options.toolkit} has no dist-info/*/RECORD of a known component")

    wanted = [name for name in (options.components or "").split(",") if name]
    missing = sorted(set(wanted) - {package.component for package in packages})
    if missing:
        sys.exit("the toolkit does not have: " + ", ".join(missing))
    if wanted:
        packages = [package for package in packages if package.component in wanted]

    manifests = {}
    with open(out / "expected.tsv", "w", encoding="utf-8") as expected:
        for package in sorted(packages, key=lambda package: package.component):
            pack(package, options, out, manifests, expected)
    write_manifests(manifests, out)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("toolkit")
    parser.add_argument("out")
    parser.add_argument("--components", help="only these, comma-separated")
    parser.add_argument("--version", default="13.0.2", help="of the release (default: 13.0.2)")
    parser.add_argument("--xz", metavar="OPTIONS", default=XZ_OPTIONS,
                        help=f"how xz packs (default: {XZ_OPTIONS}); NVIDIA's are as of -6")
    arm = platform.machine() == "aarch64"
    parser.add_argument("--platform", default="linux-sbsa" if arm else "linux-x86_64")
    return parser.parse_args()


class Package:
    """One component of the toolkit: its files by their path in the archive."""

    def __init__(self, component, product, version, variant):
        self.component = component
        self.product = product
        self.version = version
        self.variant = variant  # "13" of nvidia-cudnn-cu13, or nothing
        self.files = {}  # path in the archive -> Path
        self.links = {}  # path in the archive -> target
        self.recorded = {}  # path in the archive -> sha256 in hex


def read_packages(toolkit):
    components, add_ons = read_table()
    packages, unknown, owners = [], [], {}
    for info in sorted((toolkit / "dist-info").glob("*.dist-info")):
        name, version = info.name[: -len(".dist-info")].rsplit("-", 1)
        name = re.sub(r"[-_.]+", "-", name).lower()
        base, variant = name, ""
        if re.search(r"-cu\d+$", name):
            base, _, variant = name.rpartition("-cu")
        if base in components:
            package = Package(components[base], "cuda", version, None)
        elif base in add_ons:
            package = Package(add_ons[base], add_ons[base], version, variant)
        else:
            unknown.append(name)
            continue
        read_record(toolkit, info, package, owners)
        packages.append(package)
    add_links(toolkit, owners)
    add_driver_stub(toolkit, packages)
    return packages, unknown


def read_table():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    components = {}
    for row in table["components"]:
        if row.get("wheel"):
            # A release of 13.0 calls them by their former names.
            former = [item["name"] if isinstance(item, dict) else item
                      for item in row.get("former_names", [])]
            components[row["wheel"]] = former[0] if former else row["name"]
    add_ons = {row["wheel"]: row["component"] for row in table["add_ons"] if row.get("wheel")}
    return components, add_ons


def read_record(toolkit, info, package, owners):
    with open(info / "RECORD", newline="", encoding="utf-8") as lines:
        for path, digest, _ in csv.reader(lines):
            inside = inside_toolkit(path)
            if inside is None:
                continue
            source = toolkit / inside
            if not source.is_file():
                print(f"{package.component}: {source} is recorded but absent", file=sys.stderr)
                continue
            place = archive_path(package.component, inside)
            package.files[place] = source
            owners[inside] = (package, place)
            if digest.startswith("sha256="):
                text = digest[len("sha256="):]
                package.recorded[place] = base64.urlsafe_b64decode(text + "=").hex()
    for licence in (info / "licenses" / "License.txt", info / "License.txt"):
        if licence.is_file():
            package.files.setdefault("LICENSE", licence)


def inside_toolkit(path):
    """nvidia/cu13/bin/nvcc -> bin/nvcc; nothing for what is no part of a toolkit."""
    parts = path.split("/")
    if len(parts) < 4 or parts[0] != "nvidia" or ".." in parts:
        return None
    if parts[-1] == "__init__.py" or any(part.startswith(".") for part in parts):
        return None
    return "/".join(parts[2:])


def archive_path(component, inside):
    """Archives keep libnvvm's parts together; the wheels that the toolkit is made of do not."""
    if component == "libnvvm":
        if inside.startswith("lib/"):
            return "nvvm/lib64/" + inside[len("lib/"):]
        if inside.startswith("include/"):
            return "nvvm/" + inside
    return inside


def add_links(toolkit, owners):
    """libX.so -> libX.so.N goes with the component that owns libX.so.N."""
    for link in sorted((toolkit / "lib").iterdir()):
        if not link.is_symlink():
            continue
        target = os.readlink(link)
        owner = owners.get("lib/" + target)
        if owner:
            package, place = owner
            package.links[str(Path(place).parent / link.name)] = target


def add_driver_stub(toolkit, packages):
    stub = toolkit / "lib" / "stubs" / "libcuda.so"
    for package in packages:
        if package.component == "cuda_cudart" and stub.is_file():
            package.files["lib/stubs/libcuda.so"] = stub


def pack(package, options, out, manifests, expected):
    variant = f"_cuda{package.variant}" if package.variant else ""
    top = f"{package.component}-{options.platform}-{package.version}{variant}-archive"
    relative = f"{package.component}/{options.platform}/{top}.tar.xz"
    archive = out / "compute" / package.product / "redist" / relative
    archive.parent.mkdir(parents=True, exist_ok=True)
    with XzWriter(archive, options.xz) as stream:
        with tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as tar:
            write_tree(package, top, tar, expected)

    entry = {"relative_path": relative, **digests(archive), "size": str(archive.stat().st_size)}
    product_version = options.version
    if package.product != "cuda":
        product_version = ".".join(package.version.split(".")[:3])
    manifest = manifests.setdefault((package.product, product_version), {
        "release_date": "2025-10-09",
        "release_label": product_version,
        "release_product": package.product,
    })
    component = {
        "name": package.component,
        "license": "cudnn" if package.product == "cudnn" else "CUDA Toolkit",
        "license_path": f"{package.component}/LICENSE.txt",
        "version": package.version,
    }
    if package.variant:
        component["cuda_variant"] = [package.variant]
        entry = {f"cuda{package.variant}": entry}
    component[options.platform] = entry
    manifest[package.component] = component


def write_tree(package, top, tar, expected):
    paths = sorted(list(package.files) + list(package.links))
    folders = {""}
    for path in paths:
        parts = path.split("/")[:-1]
        folders.update("/".join(parts[: count + 1]) for count in range(len(parts)))
    for path in sorted(folders | set(paths)):
        member = tarfile.TarInfo(f"{top}/{path}".rstrip("/"))
        member.mtime = PACKED_AT
        if path in folders:
            member.type, member.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(member)
        elif path in package.links:
            member.type, member.linkname, member.mode = tarfile.SYMTYPE, package.links[path], 0o777
            tar.addfile(member)
            write_row(expected, package.component, path, "link", 0, package.links[path])
        else:
            write_file(package, path, member, tar, expected)


def write_file(package, path, member, tar, expected):
    source = package.files[path]
    status = source.stat()
    member.mode = 0o755 if status.st_mode & 0o100 else 0o644
    member.size = status.st_size
    with open(source, "rb") as data:
        reader = HashingReader(data)
        tar.addfile(member, reader)
    digest = reader.sha256.hexdigest()
    if package.recorded.get(path, digest) != digest:
        print(f"{package.component}: {source} is not what RECORD says", file=sys.stderr)
    write_row(expected, package.component, path, f"{member.mode:o}", member.size, digest)


def write_row(expected, *columns):
    expected.write("\t".join(str(column) for column in columns) + "\n")


class HashingReader:
    def __init__(self, data):
        self.data = data
        self.sha256 = hashlib.sha256()

    def read(self, size=-1):
        block = self.data.read(size)
        self.sha256.update(block)
        return block


class XzWriter:
    """Compresses fast rather than well, with xz on two cores where that program is."""

    def __init__(self, path, options):
        self.path = path
        self.options = options.split()

    def __enter__(self):
        self.file = open(self.path, "wb")
        self.process = None
        if shutil.which("xz"):
            self.process = subprocess.Popen(["xz", "-c", *self.options], stdin=subprocess.PIPE,
                                            stdout=self.file)
            return self.process.stdin
        self.stream = lzma.LZMAFile(self.file, "w", preset=0)
        return self.stream

    def __exit__(self, *_):
        (self.process.stdin if self.process else self.stream).close()
        status = self.process.wait() if self.process else 0
        self.file.close()
        if status != 0:
            sys.exit(f"xz failed on {self.path}")


def digests(path):
    sha256, md5 = hashlib.sha256(), hashlib.md5()
    with open(path, "rb") as data:
        for block in iter(lambda: data.read(1 << 20), b""):
            sha256.update(block)
            md5.update(block)
    return {"sha256": sha256.hexdigest(), "md5": md5.hexdigest()}


def write_manifests(manifests, out):
    for (product, version), manifest in manifests.items():
        path = out / "compute" / product / "redist" / f"redistrib_{version}.json"
        path.write_text(json.dumps(manifest, indent=4), encoding="utf-8")


if __name__ == "__main__":
    main()
