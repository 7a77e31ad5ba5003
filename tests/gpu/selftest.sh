#!/usr/bin/env bash
# The self-test on the GPUs of this machine: every toolkit that is named (or the one in /usr/local/cuda)
# passes, and faults that are planted are found.
#   CUDAENV=.../cudaenv selftest.sh [TOOLKIT...]
set -euo pipefail

[[ -x ${CUDAENV:-} ]] || { echo "SKIP: CUDAENV does not name the program"; exit 77; }
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
status=0
"$CUDAENV" selftest --level driver >/dev/null 2>&1 || status=$?
if [[ $status -eq 77 ]]; then echo "SKIP: no GPU"; exit 77; fi

toolkits=("$@")
if [[ ${#toolkits[@]} -eq 0 && -d /usr/local/cuda ]]; then toolkits=(/usr/local/cuda); fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Runs the self-test; the status, and a part of the first failure where there must be one.
expect() {  # status, layer or "", then arguments
  local wanted=$1 layer=$2 seen=0 found
  shift 2
  echo "-- ${CUDAENV_SELFTEST_FAULT:-no fault}: selftest $*"
  "$CUDAENV" selftest "$@" --json >"$scratch/out.json" 2>"$scratch/err" || seen=$?
  found=$(python3 - "$scratch/out.json" <<'LAYERS' || true
import json
import sys

result = json.load(open(sys.argv[1], encoding="utf-8"))
for level in result["levels"]:
    print(f"   {level['gpu']} {level['toolkit'] or '-'} {level['level']}: {level['verdict']}, "
          f"{level['milliseconds']:.0f} ms", file=sys.stderr)
    for check in level["checks"]:
        if "failure" in check:
            failure = check["failure"]
            print(f"      {check['name']}: {failure['layer']} {failure['what']}", file=sys.stderr)
            print(failure["layer"])
LAYERS
  )
  if [[ $seen -ne $wanted ]] || [[ -n $layer && $found != *"$layer"* ]]; then
    echo "FAIL: status $seen instead of $wanted, layers: $found" >&2
    cat "$scratch/err" >&2
    failed=1
  fi
}

expect 0 "" --level driver
for toolkit in "${toolkits[@]}"; do expect 0 "" "$toolkit" --level driver,runtime,compiler,libraries; done
expect 0 "" --level memory
for fault in wrong:wrong_result crash:crash hang:hang; do
  limit=60
  if [[ $fault == hang:* ]]; then limit=8; fi
  for level in driver runtime libraries; do
    if [[ $level != driver && ${#toolkits[@]} -eq 0 ]]; then continue; fi
    CUDAENV_SELFTEST_FAULT=$level:${fault%%:*} expect 1 "${fault##*:}" \
      ${toolkits[0]+"${toolkits[0]}"} --level "$level" --timeout "$limit"
  done
done
# What takes several GPUs.
if [[ $("$CUDAENV" gpu --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["gpus"]))') -gt 1 ]]; then
  for fault in wrong:wrong_result crash:crash hang:hang; do
    limit=60
    if [[ $fault == hang:* ]]; then limit=8; fi
    CUDAENV_SELFTEST_FAULT=peers:${fault%%:*} expect 1 "${fault##*:}" --level driver --timeout "$limit"
  done
else
  echo "SKIP: one GPU only: no fault of what takes two"
fi
CUDAENV_SELFTEST_FAULT=memory:wrong expect 1 hardware --level memory

# A library of the toolkit replaced by garbage: a copy of its folder made of links, but for one.
if [[ ${#toolkits[@]} -gt 0 ]]; then
  toolkit=${toolkits[0]}
  if [[ $toolkit != */* ]]; then toolkit=$("$CUDAENV" prefix "$toolkit"); fi
  mkdir -p "$scratch/broken/lib"
  for library in "$toolkit"/lib64/*.so.*; do
    ln -s "$library" "$scratch/broken/lib/${library##*/}"
  done
  rm -f "$scratch"/broken/lib/libcudart.so.*
  head -c 4096 /dev/urandom >"$scratch/broken/lib/libcudart.so.12"
  expect 1 library "$scratch/broken" --level runtime
fi
exit "$failed"
