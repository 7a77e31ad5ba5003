#!/usr/bin/env python3
"""Holds that the PTX of the self-test is what tools/kernels.py makes of the sources beside it.

    kernels.py ROOT

Each PTX is assembled for a new and, where the assembler still knows it, for the oldest chip. Where
NVRTC 11.8 is at hand (CUDAENV_TEST_NVRTC names it, or Python's packages have it) each is made anew and
compared; 77 where neither it nor an assembler is here.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import program


def nvrtc():
    named = os.environ.get("CUDAENV_TEST_NVRTC")
    if named:
        return Path(named)
    for folder in sys.path:
        for name in ("cuda_nvrtc/lib", "cu11/lib"):
            found = Path(folder) / "nvidia" / name / "libnvrtc.so.11.2"
            if found.exists():
                return found
    return None


def ptxas():
    for folder in [*os.environ.get("PATH", "").split(":"), "/usr/local/cuda/bin"]:
        if folder and os.access(Path(folder) / "ptxas", os.X_OK):
            return Path(folder) / "ptxas"
    return None


def chips(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    return sorted({int(number) for number in re.findall(r"'?sm_(\d+)'?", text)})


def assembled(program, ptx, chip):
    """What the assembler says against it; nothing where all is well."""
    with tempfile.NamedTemporaryFile() as out:
        result = subprocess.run([program, f"-arch=sm_{chip}", ptx, "-o", out.name],
                                capture_output=True, text=True)
    return result.stderr.strip() if result.returncode != 0 else ""


def assemble(program, ptx):
    """For the oldest chip that the assembler still knows, and the newest; the problems as lines."""
    target = int(re.search(r"^\.target sm_(\d+)", ptx.read_text(), re.MULTILINE).group(1))
    able = [chip for chip in chips(program) if chip >= target]
    problems = []
    for order in (able, able[::-1]):
        for chip in order:
            words = assembled(program, ptx, chip)
            if "is not defined for option" in words:
                continue  # the help names it, and it is gone
            if words:
                problems.append(f"src/gpu/kernels/{ptx.name}: not for sm_{chip}: {words}")
            break
    return problems


def main(root):
    root = Path(root)
    folder = root / "src/gpu/kernels"
    sys.path.insert(0, str(root / "tools"))
    sys.dont_write_bytecode = True
    import kernels

    problems = []
    done = []
    program = ptxas()
    if program:
        done.append("assembled")
        for name, *_ in kernels.MADE:
            problems += assemble(program, folder / name)
    library = nvrtc()
    if library:
        done.append("made anew")
        for name, ptx in kernels.make(kernels.Nvrtc(library)).items():
            if (folder / name).read_text(encoding="utf-8") != ptx:
                problems.append(f"src/gpu/kernels/{name}: not what tools/kernels.py makes of its source")
    for name, *_ in kernels.MADE:
        if not re.search(r"^\.version 7\.0$", (folder / name).read_text(), re.MULTILINE):
            problems.append(f"src/gpu/kernels/{name}: more than PTX 7.0: not for drivers from R450 on")
    if not done:
        print("SKIP: neither ptxas nor NVRTC 11.8 is here")
        return 77
    print("\n".join(problems + [f"{len(problems)} problems ({', '.join(done)})"]))
    return 1 if problems else 0


if __name__ == "__main__":
    program.run(__doc__, main)
