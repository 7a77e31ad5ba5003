#!/usr/bin/env python3
"""Builds a miniature distribution in the shape of NVIDIA's, the same bytes every time.

    cli_tree.py FOLDER [BULK]

CUDA 12.1.1 and 12.2.0 with what the profile minimal asks and a little more, cuDNN 8.9.2 for CUDA
12; only for linux-x86_64. The archives are true, small and match their manifests' digests; with
BULK cuda_nvcc's have that many incompressible bytes more.
"""

import hashlib
import io
import json
import lzma
import random
import sys
import tarfile
from pathlib import Path

CUDA = ["cuda_cccl", "cuda_cudart", "cuda_nvcc", "cuda_nvrtc", "cuda_profiler_api"]


def members(component, version, bulk, more):
    """(path, mode, bytes), or a link's target in the place of the bytes."""
    label = f"{component} {version}"
    noise = random.Random(label).randbytes(bulk)
    program = "nvcc" if component == "cuda_nvcc" else component
    yield "LICENSE", 0o644, f"licence of {label}\n".encode()
    yield f"bin/{program}", 0o755, f"#!/bin/sh\necho '{label}' \"$@\"\n".encode()
    yield f"include/{component}.h", 0o644, f"// {label}\n".encode()
    yield f"lib/lib{component}.so.1", 0o755, b"library " + noise
    yield f"lib/lib{component}.so", 0o777, f"lib{component}.so.1"
    yield f"lib/lib{component}_static.a", 0o644, f"archive of {label}\n".encode()
    if component == "cuda_nvcc" and more:
        yield "nvvm/bulk.bin", 0o644, random.Random(label).randbytes(more)


def archive(top, component, version, bulk, more):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, mode, content in members(component, version, bulk, more):
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.mode = mode
            if isinstance(content, str):
                entry.type = tarfile.SYMTYPE
                entry.linkname = content
                tar.addfile(entry)
            else:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    return lzma.compress(buffer.getvalue())


def add_release(folder, product, release, components, variant="", bulk=300, more=0):
    """A component is (name, version). Of each `bulk` bytes do not compress; of cuda_nvcc `more`."""
    redist = folder / "compute" / product / "redist"
    manifest = {"release_date": "2026-01-02", "release_label": release}
    for component, version in components:
        top = f"{component}-linux-x86_64-{version}{'_' + variant if variant else ''}-archive"
        path = f"{component}/linux-x86_64/{top}.tar.xz"
        data = archive(top, component, version, bulk, more)
        (redist / path).parent.mkdir(parents=True, exist_ok=True)
        (redist / path).write_bytes(data)
        entry = {"relative_path": path, "sha256": hashlib.sha256(data).hexdigest(), "md5": "0",
                 "size": str(len(data))}
        manifest[component] = {"name": component, "license": "CUDA Toolkit", "version": version,
                               "linux-x86_64": {variant: entry} if variant else entry}
    (redist / f"redistrib_{release}.json").write_text(json.dumps(manifest, indent=1))


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    more = int(arguments[1]) if len(arguments) > 1 else 0
    for release in ("12.1.1", "12.2.0"):
        add_release(folder, "cuda", release, [(name, f"{release}.7") for name in CUDA],
                    more=more)
    add_release(folder, "cudnn", "8.9.2", [("cudnn", "8.9.2.26")], "cuda12")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
