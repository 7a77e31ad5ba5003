#!/usr/bin/env python3
"""Builds miniature distributions, in each of which one archive or wheel is hostile.

    hostile_tree.py FOLDER

makes FOLDER/<kind> for every kind: a mirror's tree, or a folder of wheels. The digests in a
manifest are those of the archive as it is: only its content is wrong. Prints a line for each,
"<kind><tab>archive or wheel", then behind tabs the words that the error must hold.
"""

import base64
import hashlib
import io
import json
import lzma
import struct
import sys
import tarfile
import zipfile
from pathlib import Path

CUDA = ["cuda_cccl", "cuda_cudart", "cuda_nvcc", "cuda_nvrtc", "cuda_profiler_api"]
RELEASE = "12.1.1"
VICTIM = "cuda_cudart"
TOP = f"{VICTIM}-linux-x86_64-{RELEASE}-archive"
WHEEL = "nvidia_cuda_runtime_cu12-12.1.105-py3-none-manylinux1_x86_64.whl"
INFO = "nvidia_cuda_runtime_cu12-12.1.105.dist-info"
ROOT = "nvidia/cuda_runtime"


def tar_bytes(entries):
    """Entries: (path, type, content or target, mode)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, kind, content, mode in entries:
            entry = tarfile.TarInfo(path)
            entry.type, entry.mode = kind, mode
            if kind == tarfile.REGTYPE:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            else:
                entry.linkname = content
                tar.addfile(entry)
    return buffer.getvalue()


def good(top=TOP):
    return [(f"{top}/LICENSE", tarfile.REGTYPE, b"licence of " + top.encode(), 0o644),
            (f"{top}/include/{top}.h", tarfile.REGTYPE, b"// good", 0o644)]


def file(path, content=b"evil", mode=0o644):
    return (path, tarfile.REGTYPE, content, mode)


def link(path, target):
    return (path, tarfile.SYMTYPE, target, 0o777)


def special(path, kind):
    return (path, kind, "", 0o644)


def packed(*entries):
    return lzma.compress(tar_bytes(good() + list(entries)))


def damaged(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1:]


TARS = {
    "absolute": (packed(file("/evil")), ["`/evil`"]),
    "dotdot": (packed(file(f"{TOP}/../../../evil")), ["evil`", "`..`"]),
    "link-out": (packed(link(f"{TOP}/lib/l", "../../../../canary")), ["lib/l`", "leads out"]),
    "through-a-link": (packed(link(f"{TOP}/l", "include"), file(f"{TOP}/l/x")),
                       ["l/x`", "through a link"]),
    "hard-link-out": (packed((f"{TOP}/h", tarfile.LNKTYPE, "../canary/precious", 0o644)),
                      ["canary/precious`"]),
    "device": (packed(special(f"{TOP}/d", tarfile.CHRTYPE)), ["d`", "device"]),
    "fifo": (packed(special(f"{TOP}/f", tarfile.FIFOTYPE)), ["f`", "fifo"]),
    "setuid": (packed(file(f"{TOP}/bin/s", mode=0o4755)), ["bin/s`", "setuid"]),
    "newline": (packed(file(f"{TOP}/a\nb")), ["a\\nb`", "control character"]),
    "file-over-folder": (packed(file(f"{TOP}/include")), ["include`", "in the place"]),
    "receipt": (packed(file(f"{TOP}/.cudaenv/receipt.json", b"{}")), [".cudaenv/receipt.json`"]),
    "receipt-link": (packed(link(f"{TOP}/.cudaenv", "include")), [".cudaenv`"]),
    "deep": (packed(file(TOP + "/d" * 3000 + "/x")), ["1024 bytes"]),
    "truncated": (packed()[:-20], ["truncated"]),
    "garbage-behind": (packed() + b"garbage!", ["bytes follow"]),
    "bomb": (lzma.compress(tar_bytes(good() + [file(f"{TOP}/z", bytes(200 << 20))]), preset=0),
             ["times its size"]),
    "damaged": (damaged(packed(file(f"{TOP}/x", bytes(range(256)) * 40))), [""]),
    "noise": (bytes(range(256)) * 4, ["damaged"]),
}


class Wheel:
    def __init__(self):
        self.members = []
        self.add(f"{ROOT}/include/cuda_runtime.h", b"// good")
        self.add(f"{ROOT}/lib/libcudart.so.12", b"library")

    def add(self, name, content=b"evil", mode=0o644, listed=True, told=None):
        self.members.append((name, content, mode, listed, told))
        return self

    def bytes(self):
        rows = ""
        for name, content, _, listed, told in self.members:
            digest = base64.urlsafe_b64encode(hashlib.sha256(told or content).digest())
            if listed:
                rows += f"{name},sha256={digest.decode().rstrip('=')},{len(content)}\n"
        members = self.members + [
            (f"{INFO}/METADATA", b"Metadata-Version: 2.1\n", 0o644, False, None)]
        digest = base64.urlsafe_b64encode(hashlib.sha256(members[-1][1]).digest())
        rows += f"{INFO}/METADATA,sha256={digest.decode().rstrip('=')},{len(members[-1][1])}\n"
        rows += f"{INFO}/RECORD,,\n"
        members.append((f"{INFO}/RECORD", rows.encode(), 0o644, False, None))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, content, mode, _, _ in members:
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = (mode if mode > 0o7777 else 0o100000 | mode) << 16
                zipped.writestr(info, content)
        return buffer.getvalue()


def with_flag(data):
    """Says that the first member is encrypted, in both of its headers."""
    data = bytearray(data)
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


def with_two_directories(data):
    begin, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    return data[:end] + data[begin:]


def with_size(data, size):
    """Gives the first member another size, in both of its headers."""
    data = bytearray(data)
    data[22:26] = struct.pack("<I", size)
    at = data.index(b"PK\1\2")
    data[at + 24:at + 28] = struct.pack("<I", size)
    return bytes(data)


WHEELS = {
    "wheel-dotdot": (Wheel().add(f"{ROOT}/lib/../../../../evil").bytes(), ["`..`"]),
    "wheel-absolute": (Wheel().add("/evil").bytes(), ["`/evil`"]),
    "wheel-scripts": (Wheel().add(f"{INFO[:-10]}.data/scripts/../../../evil").bytes(), ["`..`"]),
    "wheel-link": (Wheel().add(f"{ROOT}/lib/l", b"../../../../canary", 0o120777).bytes(),
                   ["lib/l`", "not a plain file"]),
    "wheel-setuid": (Wheel().add(f"{ROOT}/bin/s", mode=0o4755).bytes(), ["bin/s`", "setuid"]),
    "wheel-unlisted": (Wheel().add(f"{ROOT}/lib/x", listed=False).bytes(),
                       ["lib/x`", "not listed"]),
    "wheel-record-lies": (Wheel().add(f"{ROOT}/lib/x", told=b"good").bytes(),
                          ["lib/x`", "RECORD"]),
    "wheel-encrypted": (with_flag(Wheel().bytes()), ["cuda_runtime.h`", "encrypted"]),
    "wheel-two-directories": (with_two_directories(Wheel().bytes()), [""]),
    "wheel-size": (with_size(Wheel().bytes(), 3), ["cuda_runtime.h`"]),
    "wheel-truncated": (Wheel().bytes()[:-30], ["truncated"]),
}


def build_mirror(folder, hostile):
    redist = folder / "compute/cuda/redist"
    manifest = {"release_date": "2026-01-02", "release_label": RELEASE}
    for component in CUDA:
        top = f"{component}-linux-x86_64-{RELEASE}-archive"
        path = f"{component}/linux-x86_64/{top}.tar.xz"
        data = hostile if component == VICTIM else lzma.compress(tar_bytes(good(top)))
        (redist / path).parent.mkdir(parents=True, exist_ok=True)
        (redist / path).write_bytes(data)
        entry = {"relative_path": path, "sha256": hashlib.sha256(data).hexdigest(), "md5": "0",
                 "size": str(len(data))}
        manifest[component] = {"name": component, "license": "CUDA Toolkit", "version": RELEASE,
                               "linux-x86_64": entry}
    (redist / f"redistrib_{RELEASE}.json").write_text(json.dumps(manifest))


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for kind, (data, words) in TARS.items():
        build_mirror(Path(arguments[0], kind), data)
        print("\t".join([kind, "archive", *words]))
    for kind, (data, words) in WHEELS.items():
        folder = Path(arguments[0], kind)
        folder.mkdir(parents=True)
        (folder / WHEEL).write_bytes(data)
        print("\t".join([kind, "wheel", *words]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
