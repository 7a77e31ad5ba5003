#!/usr/bin/env python3
"""Builds a miniature package index with a meta package and one wheel of NVIDIA's kind.

    wheel_index.py FOLDER

Below FOLDER: simple/<name>/index.html with true digests, and the wheels beside them.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path


def encoded(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def add_wheel(folder, name, version, tag, files, metadata=""):
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"
    record = "".join(f"{path},sha256={encoded(text.encode())},{len(text.encode())}\n"
                     for path, text in files.items())
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    place = folder / "simple" / name
    place.mkdir(parents=True)
    wheel = place / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (place / "index.html").write_text(
        f'<!DOCTYPE html><html><body><a href="{wheel.name}#sha256={digest}">{wheel.name}</a>'
        "</body></html>\n")


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    add_wheel(folder, "cuda-toolkit", "13.0.2", "py3-none-any", {},
              "Provides-Extra: cudart\n"
              "Requires-Dist: nvidia-cuda-runtime==13.0.96; extra == 'cudart'\n")
    add_wheel(folder, "nvidia-cuda-runtime", "13.0.96", "py3-none-manylinux2014_x86_64",
              {"nvidia/cu13/include/cuda_runtime_api.h": "// 13000\n",
               "nvidia/cu13/lib/libcudart.so.13": "library\n" * 1000})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
