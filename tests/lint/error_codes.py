#!/usr/bin/env python3
"""Holds that the errors' numbers and names are those of NVIDIA's headers.

    error_codes.py ROOT [INCLUDE]
    error_codes.py --self-test

INCLUDE is a toolkit's folder of headers, /usr/local/cuda/include without it; 77 where it is not
there. A name that is in the header has the header's number, and every error of the CUDA runtime
and the driver that the header has is in the table.
"""

import re
from pathlib import Path

import program

# family: header, names, and whether the table has to have all of them
HEADERS = {
    "runtime": ("driver_types.h", r"cudaError[A-Z]\w+", True),
    "driver": ("cuda.h", r"CUDA_ERROR_\w+", True),
    "nvrtc": ("nvrtc.h", r"NVRTC_ERROR_\w+", False),
    "cublas": ("cublas_api.h", r"CUBLAS_STATUS_\w+", False),
    "cudnn": ("cudnn_graph.h", r"CUDNN_STATUS_\w+", False),
    "nccl": ("nccl.h", r"nccl\w+", False),
    "cufft": ("cufft.h", r"CUFFT_\w+", False),
    "cusolver": ("cusolver_common.h", r"CUSOLVER_STATUS_\w+", False),
    "cusparse": ("cusparse.h", r"CUSPARSE_STATUS_\w+", False),
    "curand": ("curand.h", r"CURAND_STATUS_\w+", True),
    "nvjitlink": ("nvJitLink.h", r"NVJITLINK_(?:SUCCESS|ERROR_[A-Z_]+)", True),
    "nvml": ("nvml.h", r"NVML_ERROR_\w+", True),
}
# No error that a call returns.
NO_ERRORS = {"cudaErrorApiFailureBase"}


def numbers(text, names):
    """The enumerators; one without a number has the next one."""
    found, last = {}, None
    for name, number in re.findall(
            rf"^\s*({names})\s*(?:=\s*(0x[0-9A-Fa-f]+|\d+))?\s*(?:,|/|$)", text, re.MULTILINE):
        if name not in found and (number or last is not None):
            last = int(number, 0) if number else last + 1
            found[name] = last
    return found


def compare(rows, family, header, complete):
    """Rows are (place, number, name); gives problems as (place, text)."""
    problems = []
    for place, number, name in rows:
        if name in header and header[name] != number:
            problems.append((place, f"{name} is {header[name]} in the header, not {number}"))
    if complete:
        known = {name for _, _, name in rows}
        problems += [("errors_codes.tsv:1", f"no row for {name} of {family}")
                     for name in header if name not in known | NO_ERRORS and header[name]]
    return problems


def table_rows(text):
    rows = {}
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split("\t")
        if fields[0] == "code":
            place = f"errors_codes.tsv:{number}"
            rows.setdefault(fields[1], []).append((place, int(fields[2]), fields[3]))
    return rows


def self_test():
    header = numbers("  cudaErrorOne = 1,\n  cudaErrorTwo   =   0x2,\n", HEADERS["runtime"][1])
    assert header == {"cudaErrorOne": 1, "cudaErrorTwo": 2}, header
    header = numbers("{\n A_OK = 0,\n A_BAD, /**< Bad */\n A_WORSE\n};\n", r"A_\w+")
    assert header == {"A_OK": 0, "A_BAD": 1, "A_WORSE": 2}, header
    header = numbers("  cudaErrorOne = 1,\n  cudaErrorTwo   =   0x2,\n", HEADERS["runtime"][1])
    good = table_rows("code\truntime\t1\tcudaErrorOne\tx\t\ts\ncode\truntime\t2\tcudaErrorTwo\tx\t\ts")
    assert not compare(good["runtime"], "runtime", header, True)
    wrong = table_rows("code\truntime\t3\tcudaErrorOne\tx\t\ts")
    assert len(compare(wrong["runtime"], "runtime", header, True)) == 2
    assert len(compare(wrong["runtime"], "runtime", header, False)) == 1
    print("5 of 5 cases hold")
    return 0


def main(root, include="/usr/local/cuda/include"):
    include = Path(include)
    if not (include / "driver_types.h").is_file():
        print(f"SKIP: {include} has no headers of CUDA")
        return 77
    rows = table_rows((Path(root) / "manifests/compat/errors_codes.tsv").read_text())
    problems, seen = [], 0
    for family, (name, names, complete) in HEADERS.items():
        path = include / name
        if path.is_file():
            header = numbers(path.read_text(errors="replace"), names)
            problems += compare(rows.get(family, []), family, header, complete)
            seen += sum(row[2] in header for row in rows.get(family, []))
    for place, problem in problems:
        print(f"manifests/compat/{place}: {problem}")
    print(f"{seen} names compared, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    program.run(__doc__, main, self_test, arguments=(1, 2))
