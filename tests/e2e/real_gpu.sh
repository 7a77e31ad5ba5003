#!/usr/bin/env bash
# `cudaenv gpu` and `cudaenv diagnose` on a real GPU: the figures beside those of nvidia-smi, and the
# verdicts of loads that PyTorch makes, each with one known limit. Takes a minute and a half.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
command -v nvidia-smi >/dev/null || skip "there is no nvidia-smi"
nvidia-smi -L 2>/dev/null | grep -q '^GPU 0' || skip "there is no NVIDIA GPU"

step "what does not change is what nvidia-smi says"
must "$CUDAENV" gpu --json
nvidia-smi --format=csv,noheader,nounits \
  --query-gpu=index,uuid,name,memory.total,clocks.max.sm,pcie.link.gen.max,driver_version >smi.csv
python3 - "$out" <<'PY'
import json, sys
seen = json.loads(sys.argv[1])
lines = [line.strip().split(", ") for line in open("smi.csv") if line.strip()]
assert len(lines) == len(seen["gpus"]), (lines, seen)
for gpu, (index, uuid, name, memory, clock, generation, driver) in zip(seen["gpus"], lines):
    assert [str(gpu["index"]), gpu["uuid"], gpu["name"]] == [index, uuid, name], gpu
    assert gpu["memory"]["total"] >> 20 == int(memory), gpu
    assert str(gpu["max_clock_mhz"]) == clock and seen["driver"] == driver, gpu
    assert str(gpu["pcie"]["max_generation"]) == generation, gpu
    assert gpu["memory"]["used"] + gpu["memory"]["free"] <= gpu["memory"]["total"], gpu
PY

step "a moment costs little, the live view's included"
must "$CUDAENV" gpu --interval 0.2 --count 10
assert_contains "the lines" "$out" "gpu=0 util="
must "$CUDAENV" gpu --format prometheus
assert_contains "the metrics" "$out" "cudaenv_gpu_up"

python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null ||
  skip "the figures agree; there is no PyTorch with CUDA for the verdicts"

# load NAME SETUP BODY EXPECTED...: the body in a loop for ten seconds, and its verdicts.
load() {
  local name=$1 setup=$2 body=$3
  shift 3
  cat >"$name.py" <<PY
import time, torch
$setup
torch.cuda.synchronize()
end = time.monotonic() + 10
while time.monotonic() < end:
    $body
torch.cuda.synchronize()
PY
  must "$CUDAENV" diagnose --json --output "$name.json" --html "$name.html" -- python3 "$name.py"
  local verdict
  verdict=$(python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(r["verdict"]);
print({k: v for k, v in r["figures"].items() if v is not None}, file=sys.stderr)' "$name.json")
  echo "   $name: $verdict"
  local expected
  for expected in "$@"; do
    if [[ $verdict == "$expected" ]]; then return; fi
  done
  fail "the verdict of $name is $verdict, not one of: $*"
}

step "each load has its verdict"
load products 'a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)' \
  'for _ in range(20): b = a @ a
    torch.cuda.synchronize()' run.gpu run.power
load copies 'a = torch.empty(1 << 30, device="cuda", dtype=torch.uint8); b = torch.empty_like(a)' \
  'for _ in range(50): b.copy_(a)
    torch.cuda.synchronize()' run.gpu-memory
load launches 'a = torch.randn(64, device="cuda")' \
  'for _ in range(1000): a.add_(1)
    torch.cuda.synchronize()' run.launches
load transfers 'a = torch.empty(256 << 20, dtype=torch.uint8)' 'b = a.cuda()' run.transfers
load pinned 'a = torch.empty(256 << 20, dtype=torch.uint8).pin_memory()' 'b = a.cuda()' \
  run.transfers
load input 'a = torch.randn(2048, 2048, device="cuda")' \
  'x = sum(i * i for i in range(1000000))
    b = a @ a; torch.cuda.synchronize()' run.processor
