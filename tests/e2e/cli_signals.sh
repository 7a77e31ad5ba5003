#!/usr/bin/env bash
# Ctrl-C and SIGTERM in the middle of a download and of unpacking: the status tells, nothing counts
# as installed, and the next command leaves nothing over.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
build_tree
start_mirror "$scratch/served"
start_ruled_mirror "$scratch/served" '/compute/cuda/redist/cuda_nvcc/*=stall:300'

# Waits until a command says that the condition holds, for ten seconds at most.
wait_until() {  # what, command...
  local what=$1 i
  shift
  for ((i = 0; i < 200; ++i)); do
    if "$@"; then return; fi
    sleep 0.05
  done
  fail "$what did not happen: $(<"$scratch/.err")"
}

# All but the stalled archive are unpacked, and of that one a piece is here.
stalled() {
  [[ $(grep -c '^unpacked' "$scratch/.err") -eq 4 ]] &&
    [[ -n $(find "$CUDAENV_ROOT/.state" -name '*.partial' -size +0) ]]
}

left_over() {
  find "$CUDAENV_ROOT/.state" -path '*/staging/*' -o -path '*/trash/*' -o -path '*/downloads/*'
}

assert_nothing_installed() {  # after what

  must "$CUDAENV" list
  assert_equal "the list after $1" "" "$out"
  local left
  left=$(find "$CUDAENV_ROOT" -maxdepth 1 -name 'cuda*')
  assert_equal "what $1 left in the root" "" "$left"
}

# Non-interactive shells start background commands with SIGINT ignored, which cudaenv respects.
interrupt_install() {  # signal, status
  local process
  env --default-signal=INT "$CUDAENV" install 12.1 --profile minimal --platform linux-x86_64 \
    --mirror "$ruled_url" --trust-mirror >"$scratch/.out" 2>"$scratch/.err" &
  process=$!
  background+=("$process")
  wait_until "the stalled download" stalled
  kill "-$1" "$process"
  status=0
  wait "$process" || status=$?
  out=$(<"$scratch/.out")
  err=$(<"$scratch/.err")
  assert_status "$2" "SIG$1"
  assert_contains "what is said after SIG$1" "$err" interrupted
  assert_equal "stdout after SIG$1" "" "$out"
  assert_nothing_installed "SIG$1"
}

for signal in INT:130 TERM:143 HUP:129; do
  step "SIG${signal%:*} during a download"
  interrupt_install "${signal%:*}" "${signal#*:}"
  must "$CUDAENV" gc
  assert_equal "what SIG${signal%:*} left over" "" "$(left_over)"
  rm -rf "$CUDAENV_ROOT"
done

step "SIGKILL, then the same install again"
env "$CUDAENV" install 12.1 --profile minimal --platform linux-x86_64 \
  --mirror "$ruled_url" --trust-mirror >/dev/null 2>"$scratch/.err" &
process=$!
wait_until "the stalled download" stalled
kill -KILL "$process"
{ wait "$process" || true; } 2>/dev/null
assert_nothing_installed SIGKILL
install_toolkit 12.1
assert_contains "what goes on" "$err" "are here from"
[[ $err != *"unpacked cuda_cccl"* ]] || fail "what was unpacked before was unpacked again: $err"
assert_equal "what SIGKILL left over" "" "$(left_over)"
must "$CUDAENV" verify

step "a signal that was ignored from the start stays ignored"
start_ruled_mirror "$scratch/served" '/compute/cuda/redist/cuda_nvcc/*=delay:700'
env --ignore-signal=INT "$CUDAENV" install 12.2 --profile minimal --platform linux-x86_64 \
  --mirror "$ruled_url" --trust-mirror >/dev/null 2>"$scratch/.err" &
process=$!
wait_until "the download" grep -q '^fetching cuda' "$scratch/.err"
kill -INT "$process"
status=0
wait "$process" || status=$?
assert_equal "the status" 0 "$status"
must "$CUDAENV" verify 12.2
