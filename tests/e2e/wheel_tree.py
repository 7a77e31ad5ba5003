"""Miniature wheels in the shape of NVIDIA's, the same bytes every time."""

import base64
import hashlib
import random
import zipfile
from pathlib import Path


def add_wheel(folder, distribution, version, files):
    """`files` are (path, bytes); metadata, a licence and a true RECORD are added."""
    info = f"{distribution}-{version}.dist-info"
    files = list(files) + [
        (f"{info}/METADATA",
         f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n".encode()),
        (f"{info}/WHEEL", b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        (f"{info}/License.txt", f"licence of {distribution} {version}\n".encode())]
    record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{distribution}-{version}-py3-none-manylinux1_x86_64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            archive.writestr(zipfile.ZipInfo(path, (2026, 1, 2, 0, 0, 0)), data)


def add_library(folder, distribution, version, inner, name, bulk=300):
    """A wheel with one library and its header below nvidia/<inner>."""
    noise = random.Random(f"{distribution} {version}").randbytes(bulk)
    add_wheel(folder, distribution, version,
              [(f"nvidia/{inner}/include/{name}.h", f"// {name} {version}\n".encode()),
               (f"nvidia/{inner}/lib/lib{name}.so.12", b"library " + noise)])


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
