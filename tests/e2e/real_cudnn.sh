#!/usr/bin/env bash
# cuDNN 8.9 for CUDA 11 and 9 for CUDA 12, from real wheels, beside each other.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/wheels.sh
source "$suite_folder/wheels.sh"

need_package_index

check_cudnn() {  # spec, what its number matches
  must "$CUDAENV" prefix "$1"
  must python3 "$suite_folder/load_library.py" cudnn "$out"
  [[ $out =~ $2 ]] || fail "cuDNN of $1 says $out, expected $2"
}

step "11.8 with cuDNN 8.9"
check_runtime 11.8 11080 "11.8 ptx 7.8" --with cudnn@8.9
check_cudnn 11.8 '^89[0-9][0-9]$'

step "12.1 with cuDNN 9"
check_runtime 12.1 12010 "12.1 ptx 8.1" --with cudnn@9
check_cudnn 12.1 '^9[0-9]{4}$'

step "each still has its own"
check_cudnn 11.8 '^89[0-9][0-9]$'
for spec in 11.8 12.1; do must "$CUDAENV" verify "$spec"; done
must "$CUDAENV" list --json
assert_contains "list --json" "$out" cudnn
