#!/usr/bin/env bash
# The self-test from outside, on GPUs that a library pretends: what it says, its JSON, its status,
# the real nvcc of this machine, and what an install writes down.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

command -v python3 >/dev/null || skip "no python3"
[[ -n ${CUDAENV_TEST_FAKES:-} ]] || skip "CUDAENV_TEST_FAKES does not name the fake drivers"
if compgen -G "/proc/driver/nvidia/gpus/*" >/dev/null; then skip "a real GPU is here"; fi

pretend() { LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu" "$@"; }

# The value of an expression of `result`, the JSON of the last run.
value() { python3 -c "import json, sys; result = json.loads(sys.argv[1]); print($1)" "$out"; }

# verdict and layer of the first failed check
first_failure() {
  value "next(c['name'] + ' ' + c['failure']['layer'] for l in result['levels'] for c in l['checks'] if 'failure' in c)"
}

mkdir -p "$scratch/toolkit/lib"
ln -s "$CUDAENV_TEST_FAKES"/runtime/libcudart.so.1 "$scratch/toolkit/lib/libcudart.so.13"

step "without a GPU everything is skipped"
run "$CUDAENV" selftest --level driver
assert_status 77 "no GPU"
assert_equal "stdout" "" "$out"
assert_contains "stderr" "$err" "SKIP: "
run "$CUDAENV" selftest --level driver --json
assert_status 77 "no GPU, as JSON"
assert_equal "the verdict" skipped "$(value "result['verdict']")"

step "a GPU that works"
run pretend "$CUDAENV" selftest "$scratch/toolkit" --level driver,runtime --json
assert_status 0 "a GPU that works"
assert_equal "the verdict" passed "$(value "result['verdict']")"
assert_equal "the GPU" "Pretended GPU 9.0 0" \
  "$(value "' '.join(str(result['gpus'][0][k]) for k in ('name', 'capability', 'number'))")"
assert_equal "the levels" "driver runtime" "$(value "' '.join(l['level'] for l in result['levels'])")"
assert_equal "a check" passed \
  "$(value "[c for c in result['levels'][1]['checks'] if c['name'] == 'cudart'][0]['verdict']")"
run pretend "$CUDAENV" selftest --level driver
assert_status 0 "a GPU that works, as a table"
assert_contains "the table" "$out" "Pretended GPU"
run pretend "$CUDAENV" selftest --level memory --verbose
assert_status 0 "the memory test"
assert_contains "the memory test" "$out" "walking_zero_48"

step "faults that are planted"
for fault in wrong:wrong_result crash:crash hang:hang; do
  run env CUDAENV_SELFTEST_FAULT="driver:${fault%%:*}" LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu" \
    "$CUDAENV" selftest --level driver --timeout 2 --json
  assert_status 1 "the fault $fault"
  assert_contains "the layer" "$(first_failure)" " ${fault##*:}"
done
assert_equal "a hang took the time it had" "True" \
  "$(value "abs(result['levels'][0]['milliseconds'] - 2000) < 1")"
run env CUDAENV_SELFTEST_FAULT=memory:wrong LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu" \
  "$CUDAENV" selftest --level memory
assert_status 1 "a bit that flips"
assert_contains "the failure" "$out" "zeros: hardware"
assert_contains "the advice" "$out" "help: "
run env CUDAENV_SELFTEST_FAULT=driver "$CUDAENV" selftest
assert_status 2 "a fault that is none"

step "a fault that the driver reports meanwhile"
report() { env FAKE_XID="$1" LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu:$CUDAENV_TEST_FAKES/ecc" \
  "$CUDAENV" selftest --level driver "${@:2}"; }
run report 79
assert_status 1 "an Xid of the GPU"
assert_contains "the failure" "$out" "GPU 0 driver xid: hardware"
assert_contains "the failure" "$out" "GPU has fallen off the bus"
assert_contains "the advice" "$out" "dmesg | grep Xid"
run report 31
assert_status 0 "an Xid of somebody's program"
assert_contains "the note" "$out$err" "Xid 31 (GPU memory page fault) of GPU-11111111"
echo "compat 1 broken" >"$scratch/broken.tsv"
CUDAENV_COMPAT="$scratch/broken.tsv" run report 31
assert_status 0 "the same where a table of the user's is broken"
assert_contains "the note all the same" "$out$err" "Xid 31 (GPU memory page fault)"
export CUDAENV_SELFTEST_FAULT=driver:crash
run report 31 --json
assert_status 1 "an Xid of the self-test's own program"
assert_equal "the layers" "crash kernel" \
  "$(value "' '.join(c['failure']['layer'] for c in result['levels'][0]['checks'] if 'failure' in c)")"
unset CUDAENV_SELFTEST_FAULT
run report crash
assert_status 0 "an NVML that crashes"

step "a driver that is broken"
run env FAKE_GPU=init_crashes LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu" \
  "$CUDAENV" selftest --level driver --json
assert_status 1 "a driver that crashes"
assert_equal "the layer" "driver crash" "$(first_failure)"

step "choosing GPUs"
export FAKE_GPU_COUNT=2
run pretend "$CUDAENV" selftest --level driver --json
assert_status 0 "two GPUs"
assert_equal "the levels" "driver driver peers" \
  "$(value "' '.join(l['level'] for l in result['levels'])")"
FAKE_GPU_NAME="NVIDIA H200 MIG 1g.18gb" run pretend "$CUDAENV" selftest --level driver --json
assert_equal "two MIG instances, which no process sees together" "driver driver" \
  "$(value "' '.join(l['level'] for l in result['levels'])")"
for fault in wrong:wrong_result crash:crash hang:hang; do
  CUDAENV_SELFTEST_FAULT="peers:${fault%%:*}" run pretend "$CUDAENV" selftest --level driver \
    --timeout 2 --json
  assert_contains "the fault $fault of what takes two" "$(first_failure)" " ${fault##*:}"
done
run pretend "$CUDAENV" selftest --level driver --gpu 1 --json
assert_equal "the second alone" "[1] 1" \
  "$(value "str([g['number'] for g in result['gpus']]) + ' ' + str(len(result['levels']))")"
run pretend "$CUDAENV" selftest --level driver --gpu GPU-2222 --json
assert_equal "the second by its UUID" "[1]" "$(value "[g['number'] for g in result['gpus']]")"
run pretend "$CUDAENV" selftest --level driver --gpu 7
assert_status 2 "a GPU that is not there"
unset FAKE_GPU_COUNT

step "wrong usage"
run "$CUDAENV" selftest --level drivers
assert_status 2 "a level that is none"
assert_contains "the advice" "$err" "did you mean \`driver\`"
run "$CUDAENV" selftest 12.9 --level runtime
assert_status 1 "a toolkit that is not there"
assert_contains "the advice" "$err" "help: install it with"
run "$CUDAENV" selftest "$scratch/nowhere" --level runtime
assert_status 1 "a folder that is not there"

step "an install writes down what it proved"
build_tree
start_mirror "$scratch/served"
run pretend "$CUDAENV" install 12.1 --profile minimal --platform linux-x86_64 \
  --mirror "$mirror_url" --trust-mirror
assert_status 0 "an install"
assert_contains "what it says" "$err" "self-test: passed"
must "$CUDAENV" prefix 12.1
prefix=$out
out=$(<"$prefix/.cudaenv/receipt.json")
assert_equal "the receipt" "passed ['Pretended GPU']" \
  "$(value "result['selftest']['verdict'] + ' ' + str(result['selftest']['gpus'])")"
must "$CUDAENV" verify 12.1
run pretend "$CUDAENV" install 12.1 --profile minimal --platform linux-x86_64 \
  --mirror "$mirror_url" --trust-mirror --force --no-selftest
assert_status 0 "an install without the self-test"
out=$(<"$prefix/.cudaenv/receipt.json")
assert_equal "the receipt" False "$(value "'selftest' in result")"

[[ -x /usr/local/cuda/bin/nvcc ]] || skip "the rest needs /usr/local/cuda/bin/nvcc"

step "compiling with the real nvcc: machine code and PTX"
# The program's own runtime wants more of a driver than the pretended one has.
run pretend "$CUDAENV" selftest /usr/local/cuda --level compiler --json
assert_status 1 "running on a pretended GPU"
compiled="[c['name'] + '=' + c['verdict'] for c in result['levels'][0]['checks']]"
for check in nvcc=passed sass/compile=passed ptx/compile=passed sass/run=failed; do
  assert_contains "the checks" "$(value "$compiled")" "$check"
done

step "a host compiler that nvcc refuses (F08), and one that is not there"
cat >"$scratch/g++" <<'SCRIPT'
#!/bin/sh
exec /usr/bin/g++ -U__GNUC__ -D__GNUC__=99 "$@"
SCRIPT
chmod +x "$scratch/g++"
for compiler in "$scratch/g++" "$scratch/none"; do
  run env NVCC_PREPEND_FLAGS="-ccbin $compiler" LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/gpu" \
    "$CUDAENV" selftest /usr/local/cuda --level compiler --json
  assert_status 1 "the compiler $compiler"
  assert_equal "who refused" "sass/compile host_compiler" "$(first_failure)"
done
