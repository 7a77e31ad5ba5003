#!/usr/bin/env bash
# `cudaenv gpu` with a driver that does what it is told: figures, several GPUs, lost ones, MIG,
# chips that lack things, drivers that crash and hang, and the live view on a terminal.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
[[ -e ${CUDAENV_TEST_FAKES:-}/driver/libnvidia-ml.so.1 ]] || skip "CUDAENV_TEST_FAKES names no drivers"

# The driver is known to the program by the loader's path, as on a real machine.
gpu() {
  env LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/driver" FAKE_NVML="$behaviour" "$CUDAENV" gpu "$@"
}

step "without a driver it is skipped, with one line that says what is missing"
if [[ -z $(ldconfig -p 2>/dev/null | grep libnvidia-ml.so.1 || true) && ! -e /usr/lib/wsl/lib ]]; then
  run "$CUDAENV" gpu
  assert_equal "status" 77 "$status"
  assert_equal "stderr" "note: no NVIDIA driver is here: libnvidia-ml.so.1 was not found" "$err"
  assert_equal "stdout" "" "$out"
fi
for behaviour in "init=9" "devices=0"; do
  run gpu --json
  assert_equal "status with $behaviour" 77 "$status"
  assert_equal "stdout with $behaviour" "" "$out"
  assert_equal "lines with $behaviour" 1 "$(wc -l <<<"$err")"
done

step "the figures of each GPU, as text, JSON and metrics"
behaviour="devices=2,pids=$$,used=40,throttle=36,ecc=2"
must gpu
for part in "driver" "580.95.05" "GPU 1" "40.0 GiB used of 141.0 GiB, 101.0 GiB free" \
  "97 %, memory 40 %" "61 C" "650 of 700 W" "1830 of 1980 MHz" "power cap, too hot" \
  "0 corrected, 2 uncorrected" "generation 5 of 5, width 16 of 16" "off" "$$ $(id -un) bash"; do
  assert_contains "the blocks" "$out" "$part"
done
must gpu --json
python3 - "$out" $$ <<'PY'
import json, sys
seen = json.loads(sys.argv[1])
assert seen["schema"] == 1 and seen["driver"] == "580.95.05" and len(seen["gpus"]) == 2, seen
gpu = seen["gpus"][1]
assert gpu["index"] == 1 and gpu["name"] == "NVIDIA H200", gpu
assert gpu["memory"] == {"total": 141 << 30, "used": 40 << 30, "free": 101 << 30}, gpu
assert gpu["power_watts"] == 650 and gpu["throttle"] == ["power cap", "too hot"], gpu
assert gpu["ecc"]["uncorrected"] == 2 and gpu["mig"] is False, gpu
assert gpu["pcie"] == {"generation": 5, "width": 16, "max_generation": 5, "max_width": 16}, gpu
process = gpu["processes"][0]
assert process["pid"] == int(sys.argv[2]) and process["memory"] == 1 << 30, process
assert process["command"].startswith("bash"), process
PY
must gpu --format prometheus
assert_contains "the metrics" "$out" 'cudaenv_gpu_power_watts{gpu="1",'
assert_contains "the metrics" "$out" 'reason="too hot"} 1'
duplicates=$(grep -v '^#' <<<"$out" | sed 's/ [^ ]*$//' | sort | uniq -d)
assert_equal "series that are told twice" "" "$duplicates"

step "more processes than were expected are all listed"
behaviour="pids=$(seq -s+ 100000 100150)"
must gpu --json
assert_equal "processes" 151 "$(grep -c '"pid"' <<<"$out")"

step "what a chip does not have is N/A"
behaviour="na=1"
must gpu
assert_contains "the blocks" "$out" "N/A of N/A W"
must gpu --json
assert_contains "the object" "$out" '"temperature_celsius": null'

step "MIG instances with their processes"
behaviour="instances=2,pids=$$"
must gpu --json
python3 - "$out" <<'PY'
import json, sys
gpu = json.loads(sys.argv[1])["gpus"][0]
assert gpu["mig"] is True and [i["gpu_instance"] for i in gpu["instances"]] == [7, 8], gpu
assert [p["gpu_instance"] for p in gpu["processes"]] == [7, 8], gpu
PY

step "a GPU that falls off the bus is said, with its name, and the other goes on"
printf 'devices=2\n' >"$scratch/behaviour"
behaviour=@$scratch/behaviour
env LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/driver" FAKE_NVML="$behaviour" \
  "$CUDAENV" gpu --json --interval 0.1 >"$scratch/samples" 2>"$scratch/notes" &
background+=($!)
sampler=$!
until [[ $(wc -l <"$scratch/samples") -ge 2 ]]; do
  kill -0 "$sampler" || fail "$(<"$scratch/notes")"
done
printf 'devices=2,gone=0\n' >"$scratch/new" && mv "$scratch/new" "$scratch/behaviour"
until grep -q '"lost":15' "$scratch/samples"; do kill -0 "$sampler" || fail "never lost"; done
kill -TERM "$sampler"
run wait "$sampler"
assert_equal "status after SIGTERM" 143 "$status"
python3 - "$scratch/samples" <<'PY'
import json, sys
lines = open(sys.argv[1]).read().split("\n")[:-1]
lost = next(s for s in map(json.loads, lines) if s["gpus"][0]["lost"] == 15)
assert lost["gpus"][0]["name"] == "NVIDIA H200" and lost["gpus"][0]["power_watts"] is None, lost
assert lost["gpus"][1]["lost"] is None and lost["gpus"][1]["power_watts"] == 650, lost
PY

step "a driver that crashes or ends the process costs one sample"
for how in crash exit; do
  touch "$scratch/once"
  behaviour="$how=nvmlDeviceGetPowerUsage,once=$scratch/once"
  must gpu --interval 0.1 --count 3
  assert_equal "samples in spite of $how" 2 "$(wc -l <<<"$out")"
  assert_contains "the note" "$err" "in nvmlDeviceGetPowerUsage"
done

step "a driver that hangs costs its time and is said"
behaviour="hang=nvmlDeviceGetUtilizationRates"
CUDAENV_DRIVER_TIMEOUT=1 run gpu
assert_equal "status" 1 "$status"
assert_contains "the error" "$err" "error: the driver did not come back from nvmlDeviceGetUtilizationRates"
assert_contains "the help" "$err" "cudaenv doctor"

step "a driver of two versions is no missing one"
behaviour="init=18"
run gpu
assert_equal "status" 1 "$status"
assert_contains "the error" "$err" "of another version"

step "one line a sample, ended by whoever reads"
behaviour="devices=2"
must gpu --watch --interval 0.1 --count 2
assert_equal "lines" 4 "$(wc -l <<<"$out")"
assert_contains "a line" "$out" 'gpu=1 util=97 mem_util=40 mem_mib=1024 mem_total_mib=144384 temp_c=61'
gpu --interval 0.1 2>/dev/null | head -1 >"$scratch/first" || true
assert_contains "the first line" "$(<"$scratch/first")" "gpu=0"
run gpu --format prometheus --watch
assert_equal "status of metrics without end" 2 "$status"
run gpu --interval 0
assert_equal "status of no interval" 2 "$status"

step "the live view on a terminal"
python3 "$suite_folder/gpu_pty.py" "$CUDAENV" "$CUDAENV_TEST_FAKES/driver" "$scratch"
