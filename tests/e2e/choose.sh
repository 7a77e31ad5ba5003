#!/usr/bin/env bash
# Which toolkit and cuDNN `install --for FRAMEWORK` and `install auto` choose, and what they say.
# Plans only, from the built-in index: nothing is fetched.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

plan() { run "$CUDAENV" install "$@" --dry-run --offline --json --platform linux-x86_64; }

# Whether the plan that was printed satisfies a Python expression in `cuda` and `cudnn`.
planned() {
  [[ $status -eq 0 ]] || fail "status $status: $err"
  python3 - "$scratch/.out" "$1" <<'PY' || fail "not so: $1"
import json, sys
plan = json.load(open(sys.argv[1], encoding="utf-8"))
cuda = plan["cuda"]
cudnn = [p["version"] for p in plan["parts"] if p["product"] == "cudnn"]
sys.exit(not eval(sys.argv[2]))
PY
}

# The driver of the machine would have its say.
[[ ! -e /proc/driver/nvidia/version ]] || skip "there is a driver here, which decides too"

step "a framework that takes the toolkit of the machine"
plan --for tensorflow==2.13
planned "cuda == '11.8.0' and cudnn == ['8.6.0.163']"
assert_contains "the reason" "$err" "tensorflow 2.13 is made for CUDA 11.8"
assert_contains "the cuDNN" "$err" "tensorflow 2.13 is made for cuDNN 8.6"
assert_contains "why none newer" "$err" "note: not 12.0.0 to 13.4.2: tensorflow 2.13 is made for CUDA 11.8"
assert_contains "the framework" "$err" 'pip install "tensorflow==2.13.*"'

step "a framework that brings CUDA"
plan --for torch==2.1
planned "cuda == '11.8.0' and not cudnn"
assert_contains "the line" "$err" \
  'pip install "torch==2.1.*" --index-url https://download.pytorch.org/whl/cu118'
assert_contains "the need" "$err" "needs a driver and no toolkit"

step "among the releases that the spec allows"
plan 12.1 --for torch==2.1
planned "cuda == '12.1.1'"
plan auto --for tensorflow==2.15
planned "cuda == '12.2.2' and cudnn == ['8.9.7.29']"
plan --for tensorflow==2.15 --with cudnn@8.9.5
planned "cudnn == ['8.9.5.30']"

step "nothing that can be had will do"
plan --for torch==1.8.1
assert_equal "the status" 1 "$status"
assert_contains "the way" "$err" "pip install torch==1.8.1+cu1"
plan 13.0 --for tensorflow==2.13
assert_equal "the status" 1 "$status"
assert_contains "the reason" "$err" "13.0.3: tensorflow 2.13 is made for CUDA 11.8, not 13.0.3"

step "words that mean nothing"
plan --for torch==9.9
assert_equal "the status" 1 "$status"
assert_contains "what is known" "$err" "known are: 2.15, 2.14"
plan --for pytorhc
assert_equal "the status" 2 "$status"
plan
assert_equal "the status" 2 "$status"
assert_contains "what is missing" "$err" "SPEC is required"

step "auto without a driver is the newest"
plan auto
planned "cuda == '13.4.2'"
assert_contains "the reason" "$err" "there is no driver to ask"
