#!/usr/bin/env bash
# `cudaenv explain`: arguments, logs of any size, commands whose streams, signals and status pass.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

# 1.2 MB each; the nightly run takes 100 MB and more.
blocks=${1:-16}

explain() { run "$CUDAENV" explain "$@"; }

step "numbers, names, texts"
for typed in 35 0x23 cudaErrorInsufficientDriver \
  "RuntimeError: CUDA driver version is insufficient for CUDA runtime version"; do
  must "$CUDAENV" explain "$typed"
  assert_contains "$typed" "$out" "the driver is older than the CUDA runtime"
  assert_contains "$typed" "$out" "help: "
  assert_contains "$typed" "$out" "here: "
done
must "$CUDAENV" explain CUDA failure 804
assert_contains "words without quotes" "$out" "forward compatibility was attempted"

step "what is not known"
explain "all is well"
assert_equal "status" 1 "$status"
assert_equal "stdout" "" "$out"
assert_contains "an unknown text" "$err" 'help: give the whole message'
explain cudaErorNoDevice
assert_contains "a name that is nearly one" "$err" "cudaenv explain cudaErrorNoDevice"
explain ''
assert_equal "an empty text" 2 "$status"
run "$CUDAENV" explain --json "all is well"
assert_equal "status with --json" 1 "$status"
assert_contains "json" "$out" '"errors": []'
: >empty
run "$CUDAENV" explain <empty
assert_equal "an empty log" 1 "$status"
explain empty
assert_contains "a file's name" "$err" 'cudaenv explain <empty'

step "a log"
printf 'make\n\033[31mnvcc fatal   : Unsupported gpu\r\narchitecture \xe2\x80\x98compute_90\xe2\x80\x99\033[0m\n' >log
run "$CUDAENV" explain <log
assert_equal "status" 0 "$status"
assert_contains "a log" "$out" "this nvcc does not compile for compute_90"
assert_contains "its line" "$out" "line 2:"
run "$CUDAENV" explain --json - <log
assert_contains "json" "$out" '"id": "nvcc-architecture"'
run bash -c 'printf "https://me:secret@host/x CUDA failure 35\n" | "$CUDAENV" explain'
[[ $out != *secret* ]] || fail "a password is shown: $out"

step "a long log in bounded memory"
must python3 -c '
import sys
line = "\x1b[2mepoch 3 \xff loss 0.3512 CUDA error step 17, cudaSuccess, libcudart\x1b[0m\n"
with open("big", "w", encoding="latin-1") as out:
    block = line * 16384
    for i in range(int(sys.argv[1])):
        out.write(block)
    out.write("E   RuntimeError: Cannot re-initialize CUDA in\n2024-05-06 07:08:09,1 forked subprocess\n")
    out.write(line * 4096)
' "$blocks"
must python3 -c '
import resource, subprocess, sys
with open("big", "rb") as log:
    done = subprocess.run([sys.argv[1], "explain"], stdin=log, stdout=subprocess.PIPE, check=True)
sys.stdout.buffer.write(done.stdout)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if most > 49152:
    raise SystemExit(f"it took {most} KiB of memory")
' "$CUDAENV"
assert_contains "the error at the end" "$out" "a worker was forked after CUDA had been used"
rm big

step "a command"
run "$CUDAENV" explain -- sh -c 'echo data; echo "libcuda.so.1: cannot open shared object file" >&2; exit 7'
assert_equal "its status" 7 "$status"
assert_equal "its stdout" data "$out"
assert_contains "its stderr" "$err" "libcuda.so.1: cannot open shared object file"
assert_contains "what it means" "$err" "cause: the driver is not installed"
run "$CUDAENV" explain -- sh -c 'cat; exit 3' <<<"from stdin"
assert_equal "its stdin" "from stdin" "$out"
assert_equal "its status" 3 "$status"
run "$CUDAENV" explain -- cat --no-such-option
assert_equal "options are the command's" 1 "$status"
run "$CUDAENV" explain -- true
assert_equal "nothing to say" "0" "$status$out$err"
run "$CUDAENV" explain -- sh -c 'kill -TERM $$'
assert_equal "killed by a signal" 143 "$status"
run "$CUDAENV" explain -- cudaenv-no-such-program
assert_equal "no such program" 1 "$status"
assert_contains "no such program" "$err" "is not a command"
run "$CUDAENV" explain 35 -- true
assert_equal "both" 2 "$status"
run "$CUDAENV" explain --json -- true
assert_equal "json of a command" 2 "$status"

step "stderr that nobody reads ends the command"
status=0
# shellcheck disable=SC2016
timeout 60 bash -c '"$CUDAENV" explain -- sh -c "exec yes >&2" 2> >(head -c 100 >/dev/null)' || status=$?
assert_equal "as SIGPIPE does it" 141 "$status"

step "signals pass"
mkfifo ready
"$CUDAENV" explain -- bash -c 'trap "exit 42" TERM; echo >ready; while :; do sleep 0.05; done' &
process=$!
background+=("$process")
read -r _ <ready
kill -TERM "$process"
status=0
wait "$process" || status=$?
assert_equal "the command's own end" 42 "$status"
