#!/usr/bin/env python3
"""Loads one library of a prefix and asks it something that needs no GPU.

    load_library.py cudart PREFIX     prints the runtime's number, e.g. 11080
    load_library.py nvrtc PREFIX      compiles a kernel; prints version and PTX version
    load_library.py cudnn PREFIX      prints cuDNN's number, e.g. 8906
"""

import ctypes
import re
import sys
from pathlib import Path

INSUFFICIENT_DRIVER = 35
KERNEL = b"""extern "C" __global__ void scale(float* x, float by) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}"""


def main(what, prefix):
    library = ctypes.CDLL(str(Path(prefix) / "lib64" / f"lib{what}.so"))
    print({"cudart": cudart, "nvrtc": nvrtc, "cudnn": cudnn}[what](library, Path(prefix)))


def cudart(library, prefix):
    version = ctypes.c_int()
    status = library.cudaRuntimeGetVersion(ctypes.byref(version))
    if status != INSUFFICIENT_DRIVER:
        check(status)
        return version.value
    # Until CUDA 11 the runtime wants a driver before it says anything but the names of errors.
    library.cudaGetErrorName.restype = ctypes.c_char_p
    name = library.cudaGetErrorName(status)
    if name != b"cudaErrorInsufficientDriver":
        sys.exit(f"status {status} is called {name}")
    header = (prefix / "include" / "cuda_runtime_api.h").read_text(encoding="utf-8")
    return int(re.search(r"#define CUDART_VERSION +([0-9]+)", header)[1])


def nvrtc(library, _):
    major, minor = ctypes.c_int(), ctypes.c_int()
    check(library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    program = ctypes.c_void_p()
    check(library.nvrtcCreateProgram(ctypes.byref(program), KERNEL, b"scale.cu", 0, None, None))
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=compute_75")
    check(library.nvrtcCompileProgram(program, 1, options))
    size = ctypes.c_size_t()
    check(library.nvrtcGetPTXSize(program, ctypes.byref(size)))
    ptx = ctypes.create_string_buffer(size.value)
    check(library.nvrtcGetPTX(program, ptx))
    text = ptx.value.decode()
    if ".entry scale" not in text or ".target sm_75" not in text:
        sys.exit("the PTX holds no kernel: " + text[:500])
    return f"{major.value}.{minor.value} ptx {re.search(r'[.]version ([0-9.]+)', text)[1]}"


def cudnn(library, _):
    library.cudnnGetVersion.restype = ctypes.c_size_t
    return library.cudnnGetVersion()


def check(status):
    if status != 0:
        sys.exit(f"status {status}")


if __name__ == "__main__":
    main(*sys.argv[1:])
