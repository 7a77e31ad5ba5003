#!/usr/bin/env python3
"""Measures one GPU with cudaenv and with PyTorch in one run, and prints the figures side by side.

    figures.py CUDAENV TOOLKIT [GPU [OTHER]]

With OTHER also copies between the two. Needs PyTorch; ends with 77 without it or without a GPU. The
last column says what is aimed at.
"""

import json
import statistics
import subprocess
import sys
import time


def run_json(program, *words):
    result = subprocess.run([program, *words, "--json"], capture_output=True, text=True)
    if result.returncode == 77:
        print("SKIP: no GPU")
        sys.exit(77)
    print(result.stderr, file=sys.stderr, end="")
    return json.loads(result.stdout)


def gpu_seconds(torch, work, repeats=1, rounds=20):
    for _ in range(5):
        work()
    torch.cuda.synchronize()
    seconds = []
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(repeats):
            work()
        end.record()
        end.synchronize()
        seconds.append(start.elapsed_time(end) / 1000 / repeats)
    return statistics.median(seconds)


def pytorch_figures(torch, device):
    figures = {}
    size = 2 << 30
    one, other = (torch.ones(size, dtype=torch.uint8, device=device) for _ in range(2))
    figures["device to device, 2048 MiB"] = 2 * size / gpu_seconds(torch, lambda: one.copy_(other)) / 1e9
    del one, other
    size = 256 << 20
    host = torch.ones(size, dtype=torch.uint8, pin_memory=True)
    there = torch.ones(size, dtype=torch.uint8, device=device)
    figures["host to device, pinned, 256 MiB"] = (
        size / gpu_seconds(torch, lambda: there.copy_(host, non_blocking=True)) / 1e9)
    figures["device to host, pinned, 256 MiB"] = (
        size / gpu_seconds(torch, lambda: host.copy_(there, non_blocking=True)) / 1e9)
    for name, dtype, tf32 in (("fp32", torch.float32, False), ("tf32", torch.float32, True),
                              ("bf16", torch.bfloat16, False)):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        for side in (1024, 2048, 4096, 8192):
            a, b = (torch.rand(side, side, device=device).sub_(0.5).mul_(2).to(dtype) for _ in range(2))
            c = torch.empty_like(a)
            operations = 2 * side ** 3
            repeats = max(1, min(100, int(1e12 / operations)))
            seconds = gpu_seconds(torch, lambda: torch.mm(a, b, out=c), repeats)
            figures[f"{name}, {side} x {side} x {side}"] = operations / seconds / 1e12
    small = torch.zeros(32, device=device)

    def launches():
        for _ in range(1000):
            small.zero_()
        torch.cuda.synchronize()

    times = []
    for _ in range(25):
        start = time.perf_counter()
        launches()
        times.append((time.perf_counter() - start) * 1e6 / 1000)
    figures["kernels back to back, each"] = statistics.median(times)
    return figures


def seconds_of_rounds(work, rounds=25):
    for _ in range(5):
        work()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def pytorch_copies_between(torch, gpu, other):
    """As `bench` copies between GPUs: one way, four each way at once, and 4 B waited for."""
    size = 256 << 20
    devices = [f"cuda:{gpu}", f"cuda:{other}"]
    ways = [(torch.ones(size, dtype=torch.uint8, device=start),
             torch.empty(size, dtype=torch.uint8, device=end), torch.cuda.Stream(start))
            for start, end in (devices, devices[::-1])]
    here, there, _ = ways[0]
    few_here, few_there = here[:4], there[:4]

    def both_ways():
        for _ in range(4):
            for start, end, stream in ways:
                with torch.cuda.stream(stream):
                    end.copy_(start, non_blocking=True)
        for *_, stream in ways:
            stream.synchronize()

    def small():
        for _ in range(200):
            few_there.copy_(few_here, non_blocking=True)
            torch.cuda.current_stream(gpu).synchronize()

    with torch.cuda.device(gpu):
        one_way = gpu_seconds(torch, lambda: there.copy_(here, non_blocking=True))
        return {f"to GPU {other}, 256 MiB": size / one_way / 1e9,
                f"to and from GPU {other}, 256 MiB": 8 * size / seconds_of_rounds(both_ways) / 1e9,
                f"to GPU {other}, 4 B": seconds_of_rounds(small) / 200 * 1e6}


AIMS = [("device to device", 0.95), ("host to device, pinned", 0.98), ("device to host, pinned", 0.98),
        ("fp32", 0.98), ("bf16", 0.98), ("to ", 0.98)]


def main(arguments):
    if len(arguments) not in (2, 3, 4):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, toolkit = arguments[:2]
    gpu = arguments[2] if len(arguments) > 2 else "0"
    other = arguments[3] if len(arguments) > 3 else ""
    try:
        import torch
    except ImportError:
        print("SKIP: no PyTorch")
        return 77
    ours = {figure["name"]: figure
            for figure in run_json(program, "bench", toolkit, "--gpu",
                                   ",".join(filter(None, (gpu, other))))["gpus"][0]["figures"]}
    theirs = pytorch_figures(torch, f"cuda:{gpu}")
    if other:
        theirs.update(pytorch_copies_between(torch, int(gpu), int(other)))
    torch.cuda.empty_cache()
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name(int(gpu))}\n")
    print("| what | cudaenv | PyTorch | ratio | aim |\n| --- | ---: | ---: | ---: | ---: |")
    for name, value in theirs.items():
        figure = ours[name]
        aim = next((f">= {share}" for start, share in AIMS if name.startswith(start)), "")
        if figure["unit"] == "us":
            aim = "<= 1"
        print(f"| {name} ({figure['unit']}) | {figure['median']:.4g} | {value:.4g} "
              f"| {figure['median'] / value:.3f} | {aim} |")

    level = run_json(program, "selftest", "--level", "driver", "--gpu", gpu)["levels"][0]
    start = sum(check["milliseconds"] for check in level["checks"] if check["name"] in ("driver", "context"))
    print(f"\nself-test, driver level: {level['milliseconds']:.0f} ms, of which cuInit and context "
          f"{start:.0f} ms (aim: at most 1000 ms more)")
    memory = run_json(program, "selftest", "--level", "memory", "--gpu", gpu)["levels"][0]
    copy = ours["device to device, 2048 MiB"]["median"]
    for check in memory["checks"]:
        if check["name"] == "all":
            rate = float(check["detail"].split(", ")[-1].split(" ")[0])
            print(f"memory test: {check['detail']}, {rate / copy:.2f} of the device copy (aim: 0.6)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
