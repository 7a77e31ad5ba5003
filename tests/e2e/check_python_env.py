#!/usr/bin/env python3
"""Makes a Python environment with a small package that stands for a framework.

    check_python_env.py FOLDER torch|tensorflow|jax BEHAVIOUR

The environment is a real one; the package has metadata and a module that behaves as named:
sees, blind, cpu, refuses, fails, crashes, hangs, exits, quits, noisy, old, broken-metadata.
"""

import subprocess
import sys
from pathlib import Path

START = {
    "crashes": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "hangs": "import time; time.sleep(600)",
    "exits": "import os; os._exit(5)",
    "quits": "raise SystemExit(3)",
    "fails": "raise ImportError('libcudart.so.11.0: cannot open shared object file: "
             "No such file or directory')",
    "noisy": "import os, sys; print('{\"step\": \"end\"}'); sys.stdout.flush(); "
             "os.write(1, b'noise \\xff\\n'); os.write(2, b'\\x00' * 100000)",
}

TORCH = """
class version:
    cuda = CUDA
class _C:
    @staticmethod
    def _cuda_getArchFlags():
        return 'sm_50 sm_80 sm_90 compute_90'
class backends:
    class cudnn:
        @staticmethod
        def version():
            if BEHAVIOUR == 'refuses':
                raise RuntimeError('cuDNN version incompatibility: PyTorch was compiled  against '
                                   '(8, 3, 2) but found runtime version (8, 0, 3).')
            return 8700
class Number:
    def add(self, other): return self
    def item(self):
        if BEHAVIOUR == 'old':
            raise RuntimeError('CUDA error: no kernel image is available for execution on the device')
        return 2.0
def ones(size, device): return Number()
class cuda:
    @staticmethod
    def is_available(): return BEHAVIOUR in ('sees', 'refuses', 'noisy', 'old')
    @staticmethod
    def device_count(): return 1
    @staticmethod
    def get_device_name(index): return 'Fake H200'
    @staticmethod
    def get_device_capability(index): return (9, 0)
    @staticmethod
    def init():
        raise RuntimeError('The NVIDIA driver on your system is too old (found version 11040).')
"""

TENSORFLOW = """
class sysconfig:
    @staticmethod
    def get_build_info():
        return {'cuda_version': '11.8', 'cudnn_version': '8', 'is_cuda_build': BEHAVIOUR != 'cpu'}
class _Device:
    name = '/physical_device:GPU:0'
class config:
    @staticmethod
    def list_physical_devices(kind):
        if BEHAVIOUR == 'sees':
            return [_Device]
        import os
        os.write(2, b"Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: "
                    b"cannot open shared object file: No such file or directory\\n")
        return []
"""

JAX = """
class _Device:
    device_kind = 'Fake H200'
    compute_capability = '9.0'
def devices(kind):
    if BEHAVIOUR == 'sees':
        return [_Device]
    raise RuntimeError("Unknown backend: 'cuda' requested, but no platforms that are instances of "
                       "cuda are present.")
"""


def main(folder, framework, behaviour):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(Path(folder).glob("lib/python3*/site-packages"))
    version = {"torch": "2.1.2+cu118", "tensorflow": "2.13.1", "jax": "0.4.30"}[framework]
    body = {"torch": TORCH, "tensorflow": TENSORFLOW, "jax": JAX}[framework]
    module = packages / framework
    module.mkdir()
    cuda = None if behaviour == "cpu" else "11.8"
    (module / "__init__.py").write_text(
        f"BEHAVIOUR = {behaviour!r}\nCUDA = {cuda!r}\n__version__ = {version!r}\n"
        f"{START.get(behaviour, '')}\n{body}")
    names = [(framework, version)]
    if framework == "jax" and behaviour != "cpu":
        names.append(("jax-cuda12-plugin", version))
    for name, its_version in names:
        metadata = packages / f"{name.replace('-', '_')}-{its_version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {its_version}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
