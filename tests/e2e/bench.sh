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
  FAKE_GPU_MEMORY=1000 LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu" \
    "$CUDAENV" bench "$scratch/toolkit" --quick "$@"
}
mkdir -p "$scratch/toolkit/lib"

step "without a GPU everything is skipped"
run "$CUDAENV" bench "$scratch/toolkit" --json
assert_status 77 "no GPU"
assert_contains "stderr" "$err" "SKIP: "

step "figures as JSON and as a page"
run measure --json --html "$scratch/page.html"
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
assert gpu["facts"]["chip"] == "sm_90", gpu["facts"]
figures = gpu["figures"]
assert {figure["group"] for figure in figures} == {"latency", "bandwidth", "launch", "overlap"}
for figure in figures:
    assert 0 < figure["low"] <= figure["median"] <= figure["high"], figure
page = open(f"{sys.argv[1]}/page.html", encoding="utf-8").read()
drawings = page.split("<svg")[1:]
assert len(drawings) == 4, len(drawings)
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
FAKE_GPU_GRAPHS_FAIL=1 run measure --compare "$scratch/first.json"
assert_status 1 "a part that fails"
assert_contains "the table" "$out" "host to device, pinned, 64 KiB"
assert_contains "the ratio" "$out" " of 0."
assert_contains "the failure" "$err" "launch failed"
assert_contains "what comes after it" "$out" "copy, kernel and copy of 16 chunks over 4 streams"
echo '{"gpus": [{"figures": [{"name": 1}]}]}' >"$scratch/other.json"
run measure --compare "$scratch/other.json"
assert_status 1 "a file of something else"
assert_contains "stderr" "$err" "is not what \`bench --json\` prints"
