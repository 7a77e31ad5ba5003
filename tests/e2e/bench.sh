#!/usr/bin/env bash
# The benchmark from outside, on a GPU that a library pretends: its table, JSON and page, an earlier
# run beside it, and a part that fails. The figures themselves mean nothing here.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

command -v python3 >/dev/null || skip "no python3"
[[ -n ${CUDAENV_TEST_FAKES:-} ]] || skip "CUDAENV_TEST_FAKES does not name the fake drivers"
if compgen -G "/proc/driver/nvidia/gpus/*" >/dev/null; then skip "a real GPU is here"; fi

measure() {
  FAKE_GPU_MEMORY=1000 LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu:$CUDAENV_TEST_FAKES/ecc" \
    "$CUDAENV" bench "$scratch/toolkit" --quick "$@"
}
mkdir -p "$scratch/toolkit/lib"

step "without a GPU everything is skipped"
run "$CUDAENV" bench "$scratch/toolkit" --json
assert_status 77 "no GPU"
assert_contains "stderr" "$err" "SKIP: "

step "figures as JSON and as a page, beside what the board is known for"
FAKE_GPU_NAME="NVIDIA H200" run measure --baseline --json --html "$scratch/page.html"
assert_status 0 "a run"
assert_contains "what was left out" "$err" "products: there is no toolkit with cuBLAS"
printf '%s' "$out" >"$scratch/first.json"
python3 - "$scratch" <<'CHECK'
import json
import sys
import xml.dom.minidom
from html.parser import HTMLParser

result = json.load(open(f"{sys.argv[1]}/first.json", encoding="utf-8"))
gpu = result["gpus"][0]
facts = gpu["facts"]
assert facts["chip"] == "sm_90", facts
# What NVML tells, each out of what is possible.
assert (facts["sm_mhz"], facts["memory_mhz"]) == ("345 of 1980", "2619 of 3201"), facts
assert (facts["pcie_generation"], facts["pcie_lanes"]) == ("4 of 5", "8 of 16"), facts
assert facts["nvlinks"] == "4 of 6, NVLink 5.0", facts
figures = gpu["figures"]
assert {figure["group"] for figure in figures} == {"latency", "bandwidth", "launch", "overlap"}
for figure in figures:
    assert 0 < figure["low"] <= figure["median"] <= figure["high"], figure
assert gpu["board"] == "NVIDIA H200", gpu["board"]
found = {figure["name"]: (figure["median"], figure["baselines"]) for figure in figures}
median, (peak,) = found["device to device, 256 MiB"]
assert (peak["kind"], peak["value"]) == ("peak", 4800), peak
assert abs(peak["ratio"] - median / 4800) < 1e-9, peak
assert "datasheet" in peak["source"], peak
median, (seen,) = found["kernels back to back, each"]
assert seen["kind"] == "measured" and seen["source"].startswith("cudaenv bench"), seen
assert found["waiting for an idle device"][1] == []
page = open(f"{sys.argv[1]}/page.html", encoding="utf-8").read()
drawings = page.split("<svg")[1:]
assert len(drawings) == len(figures) + 1, len(drawings)  # a bar each, and a curve
for drawing in drawings:
    xml.dom.minidom.parseString("<svg" + drawing.split("</svg>")[0] + "</svg>")
for word in ("http:", "https:", "<script", "src="):
    assert word not in page, word


class Tables(HTMLParser):
    rows = 0

    def handle_starttag(self, tag, attributes):
        self.rows += tag == "tr"


tables = Tables()
tables.feed(page)
assert tables.rows == len(figures) + 4, tables.rows
CHECK

step "an earlier run beside it, and a part that fails"
FAKE_GPU_GRAPHS_FAIL=1 run measure --compare "$scratch/first.json" --against "l40s"
assert_status 1 "a part that fails"
assert_contains "the table" "$out" "host to device, pinned, 64 KiB"
assert_contains "the ratio" "$out" " of 0."
assert_contains "another board" "$out" "of NVIDIA L40S"
assert_contains "its ratio" "$out" " of 864 [1]"
assert_contains "its source" "$out" "[1] NVIDIA L40S"
assert_contains "the failure" "$err" "launch failed"
assert_contains "what comes after it" "$out" "copy, kernel and copy of 16 chunks over 4 streams"
echo '{"gpus": [{"figures": [{"name": 1}]}]}' >"$scratch/other.json"
run measure --compare "$scratch/other.json"
assert_status 1 "a file of something else"
assert_contains "stderr" "$err" "is not what \`bench --json\` prints"

step "copies between two GPUs"
FAKE_GPU_COUNT=2 FAKE_GPU_NAME="NVIDIA H200" run measure --baseline --json --html "$scratch/two.html"
assert_status 0 "two GPUs"
printf '%s' "$out" >"$scratch/two.json"
python3 - "$scratch" <<'CHECK'
import json
import sys

gpus = json.load(open(f"{sys.argv[1]}/two.json", encoding="utf-8"))["gpus"]
assert [gpu["number"] for gpu in gpus] == [0, 1], gpus
for gpu in gpus:
    other = 1 - gpu["number"]
    assert gpu["facts"]["reaches"] == f"GPU {other}", gpu["facts"]
    between = {figure["name"]: figure for figure in gpu["figures"]
               if figure["group"] == "between GPUs"}
    assert set(between) == {f"to GPU {other}, 64 MiB", f"to and from GPU {other}, 64 MiB",
                            f"to GPU {other}, 4 B"}, between
    assert between[f"to GPU {other}, 64 MiB"]["baselines"][0]["value"] == 450
page = open(f"{sys.argv[1]}/two.html", encoding="utf-8").read()
assert page.count("Copies to the other GPUs") == 2
CHECK
FAKE_GPU_COUNT=2 FAKE_GPU=no_peers run measure --json
assert_contains "no peer access" "$out" '"reaches": "no other"'
assert_contains "copies all the same" "$out" "to GPU 1, 64 MiB"
FAKE_GPU_COUNT=2 FAKE_GPU_NAME="NVIDIA H200 MIG 1g.18gb" run measure --json
assert_status 0 "two MIG instances"
[[ $out != *"between GPUs"* ]] || fail "a process sees one MIG instance"

step "boards that are not known, or may be several"
run measure --baseline --timeout 1
assert_contains "stderr" "$err" "no figures of a board \`Pretended GPU\` are known"
run "$CUDAENV" bench --against A100
assert_status 2 "which A100?"
assert_contains "stderr" "$err" "NVIDIA A100-SXM4-80GB, NVIDIA A100-PCIE-40GB"
run "$CUDAENV" compat --by board --gpu "RTX 4090"
assert_contains "the boards, without a GPU" "$out" "1008"
