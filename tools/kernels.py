#!/usr/bin/env python3
"""Makes the PTX in src/gpu/kernels of the .cu beside it, with NVRTC 11.8.

    kernels.py NVRTC [FOLDER]

NVRTC is libnvrtc.so.11.2 of CUDA 11.8, the last major that compiles for sm_50; FOLDER is where the
PTX goes, without it beside the sources. The code uses nothing newer than PTX 7.0, which every driver
from R450 on takes; ptxas refuses it otherwise, for the header says so.
"""

import ctypes
import re
import sys
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "src" / "gpu" / "kernels"
# PTX, source, chip, options
MADE = [
    ("basic.ptx", "basic.cu", 50, []),
    ("memory.ptx", "memory.cu", 50, []),
    ("tensor_half.ptx", "tensor.cu", 70, []),
    ("tensor_bfloat16.ptx", "tensor.cu", 80, ["-DBFLOAT16"]),
]
PTX_VERSION = "7.0"


class Nvrtc:
    def __init__(self, path):
        builtins = sorted(Path(path).parent.glob("libnvrtc-builtins.so.*"))
        if builtins:
            ctypes.CDLL(str(builtins[0]), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(path))

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def text(self, program, kind):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{kind}")(program, text)
        return text.value.decode()

    def ptx(self, source, name, chip, options):
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0,
                                        None, None)
        words = [f"--gpu-architecture=compute_{chip}".encode(), *(o.encode() for o in options)]
        result = self.library.nvrtcCompileProgram(program, len(words),
                                                  (ctypes.c_char_p * len(words))(*words))
        if result != 0:
            raise SystemExit(f"error: {name} does not compile\n{self.text(program, 'ProgramLog')}")
        return self.text(program, "PTX")


def plain(ptx):
    """Without what differs from build to build of NVRTC, and with the version that is needed."""
    ptx = re.sub(r"^\s*//.*\n", "", ptx, flags=re.MULTILINE)
    ptx = re.sub(r"^\.version .*$", f".version {PTX_VERSION}", ptx, flags=re.MULTILINE)
    ptx = re.sub(r"\n{3,}", "\n\n", ptx)
    return ptx.strip() + "\n"


def make(nvrtc):
    """The PTX by its file's name."""
    made = {}
    for name, source, chip, options in MADE:
        text = (KERNELS / source).read_text(encoding="utf-8")
        made[name] = plain(nvrtc.ptx(text, source, chip, options))
    return made


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    nvrtc = Nvrtc(arguments[0])
    if nvrtc.version() != (11, 8):
        print("error: this is NVRTC {}.{}, not 11.8".format(*nvrtc.version()), file=sys.stderr)
        return 1
    folder = Path(arguments[1]) if len(arguments) == 2 else KERNELS
    for name, ptx in make(nvrtc).items():
        (folder / name).write_text(ptx, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
