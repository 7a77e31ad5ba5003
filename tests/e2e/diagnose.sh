#!/usr/bin/env bash
# `cudaenv diagnose` with a driver that does what it is told: the command keeps its output, status
# and signals; the report has the verdict that the figures call for.
# shellcheck disable=SC2016
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
driver=${CUDAENV_TEST_FAKES:-}/driver
[[ -e $driver/libnvidia-ml.so.1 ]] || skip "CUDAENV_TEST_FAKES names no drivers"

behaviour=
diagnose() {
  env LD_LIBRARY_PATH="$driver" FAKE_NVML="$behaviour" "$CUDAENV" diagnose "$@"
}
# The same beside us; $! is its process.
start_diagnose() {
  env LD_LIBRARY_PATH="$driver" FAKE_NVML="$behaviour" "$CUDAENV" diagnose "$@" &
  background+=($!)
}

# A field of a JSON report, as Python sees it.
field() { python3 -c "import json, sys; r = json.load(open(sys.argv[1])); print($2)" "$1"; }

step "the command's output and status are its own, the report goes to stderr"
run diagnose -- sh -c 'echo data; echo talk >&2; exit 7'
assert_equal "status" 7 "$status"
assert_equal "stdout" "data" "$out"
assert_contains "stderr" "$err" "talk"
assert_contains "stderr" "$err" "verdict: the run was too short to tell"
must diagnose -- cat <<<"what is typed"
assert_equal "stdin's way" "what is typed" "$out"
must diagnose --interval 0.2 -- printf '%s|' --interval -- --json
assert_equal "options of the command" "--interval|--|--json|" "$out"

step "a signal that kills the command is told on, one that we get is the command's"
run diagnose -- sh -c 'kill -KILL $$'
assert_equal "status" 137 "$status"
assert_contains "stderr" "$err" "verdict:"
start_diagnose --output "$scratch/term" -- \
  sh -c 'trap "exit 9" TERM; : >"$0"; while :; do sleep 0.05; done' "$scratch/ready"
until [[ -e $scratch/ready ]]; do kill -0 "${background[-1]}" || fail "it ended early"; done
kill -TERM "${background[-1]}"
run wait "${background[-1]}"
assert_equal "status of the command's own end" 9 "$status"
assert_contains "the report after a signal" "$(<"$scratch/term")" "verdict:"

step "each cause has its verdict"
declare -A told=(
  [gpu]="gpm=1" [launches]="gpm=1,sm=5" [gpu-memory]="gpm=1,dram=90"
  [transfers]="util=20,rx=30000000" [heat]="throttle=32,clock=900"
  [gpu-unused]="util=0" [power]="throttle=4,clock=1200"
)
jobs=()
for cause in "${!told[@]}"; do
  behaviour=${told[$cause]}
  start_diagnose --interval 0.3 --json --output "$scratch/$cause.json" \
    --html "$scratch/$cause.html" -- sleep 4
  jobs+=("${background[-1]}")
done
for job in "${jobs[@]}"; do wait "$job" || fail "a command that was watched failed"; done
for cause in "${!told[@]}"; do
  assert_equal "the verdict of ${told[$cause]}" "run.$cause" \
    "$(field "$scratch/$cause.json" 'r["verdict"]')"
done
assert_equal "status" 0 "$(field "$scratch/gpu.json" 'r["status"]')"
assert_equal "multiprocessors" 92.0 \
  "$(field "$scratch/gpu.json" 'r["samples"][-1]["gpus"][0]["busy_multiprocessors_percent"]')"

step "the page needs nothing else and is well formed"
python3 - "$scratch/gpu.html" <<'PY'
import re, sys
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "img", "iframe"), tag
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

text = open(sys.argv[1], encoding="utf-8").read()
page = Balance()
page.feed(text)
assert not page.open, page.open
assert "url(" not in text and "http" not in text, "it needs something else"
charts = re.findall(r"<svg.*?</svg>", text, re.S)
assert len(charts) >= 6, len(charts)
for chart in charts:
    paths = tree.fromstring(chart).findall("path")
    assert paths and all(re.fullmatch(r"(M[\d.]+ [\d.]+(L[\d.]+ [\d.]+)*)*|M\d+ 14h16", p.get("d"))
                         for p in paths), chart
assert "the GPU was the limit" in text
PY
behaviour=
must diagnose --html "$scratch/odd.html" -- sh -c ': "<script>&\"" '
if grep -q '<script' "$scratch/odd.html"; then fail "a command's words are no page"; fi

step "children are part of the run"
behaviour="gpm=1"
diagnose --json --output "$scratch/spin.json" --interval 0.2 -- \
  sh -c '(while :; do :; done) & spinner=$!; sleep 2; kill $spinner'
busy=$(field "$scratch/spin.json" 'sum(s["processors"] * (s["end"] - s["begin"]) for s in r["samples"]) > 0.02')
assert_equal "CPU time of a child" True "$busy"
assert_equal "processes" True "$(field "$scratch/spin.json" 'max(s["processes"] for s in r["samples"]) >= 3')"

step "the GPUs of the run are those that list one of its processes"
printf 'devices=2,util=50\n' >"$scratch/behaviour"
behaviour=@$scratch/behaviour
diagnose --json --output "$scratch/mine.json" --interval 0.1 -- \
  sh -c 'echo "devices=2,util=50,pids_on=1,pids=$$" >"$0.new"; mv "$0.new" "$0"; sleep 1' "$scratch/behaviour"
assert_equal "GPUs" "[1]" "$(field "$scratch/mine.json" 'r["figures"]["gpus"]')"

step "a process that runs already is watched, and the report is data"
sleep 60 &
background+=($!)
behaviour=
must diagnose --pid "${background[-1]}" --duration 0.5 --interval 0.1
assert_contains "stdout" "$out" "verdict:"
assert_equal "stderr" "" "$err"
must diagnose --pid "${background[-1]}" --duration 0.3 --json
assert_contains "stdout" "$out" '"command": "sleep 60"'
sleep 1 &
ends_soon=$!
must diagnose --pid "$ends_soon" --interval 0.1
assert_contains "the report when the process ended" "$out" "verdict:"
wait "$ends_soon"
run diagnose --pid "$ends_soon"
assert_equal "status without such a process" 1 "$status"
assert_contains "stderr" "$err" "there is no process $ends_soon"

step "a driver that is missing, crashes or hangs never costs the command"
behaviour="init=9"
run diagnose -- sh -c 'exit 5'
assert_equal "status without a driver" 5 "$status"
assert_contains "stderr" "$err" "its kernel module is not loaded"
behaviour="crash=nvmlDeviceGetPowerUsage"
run diagnose --interval 0.1 -- sh -c 'sleep 0.5; exit 6'
assert_equal "status with a driver that crashes" 6 "$status"
assert_contains "stderr" "$err" "crashed in nvmlDeviceGetPowerUsage"
behaviour="hang=nvmlDeviceGetPowerUsage"
CUDAENV_DRIVER_TIMEOUT=1 run diagnose -- sh -c 'sleep 0.2; exit 4'
assert_equal "status with a driver that hangs" 4 "$status"
assert_contains "stderr" "$err" "did not come back from nvmlDeviceGetPowerUsage"

step "what cannot be done is told before the command runs"
run diagnose
assert_equal "status without a command" 2 "$status"
run diagnose --pid 1 -- true
assert_equal "status of both" 2 "$status"
run diagnose --html "$scratch/nowhere/x.html" -- touch "$scratch/ran"
assert_equal "status of a page in no folder" 1 "$status"
if [[ -e $scratch/ran ]]; then fail "the command ran"; fi
run diagnose --output /dev/null -- touch "$scratch/ran"
assert_equal "status of a device" 2 "$status"
assert_exists /dev/null
run diagnose -- no-such-command-here
assert_equal "status of a command that is none" 1 "$status"

step "ctrl-c reaches the command once, and the report comes"
cat >"$scratch/on_terminal.py" <<'PY'
import os, pty, select, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(LD_LIBRARY_PATH=sys.argv[2], TERM="xterm")
    script = "n=0; trap 'n=$((n+1))' INT; echo up; sleep 1; sleep 1; echo interrupts: $n; exit 3"
    os.execv(sys.argv[1], [sys.argv[1], "diagnose", "--interval", "0.1", "--", "sh", "-c", script])
text, end, sent = "", time.monotonic() + 30, False
while time.monotonic() < end:
    if not select.select([terminal], [], [], 1)[0]:
        continue
    try:
        text += os.read(terminal, 65536).decode()
    except OSError:
        break
    if "up" in text and not sent:
        sent = True
        os.write(terminal, b"\x03")
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert status == 3 and "interrupts: 1\r\n" in text and "verdict:" in text, (status, text)
PY
python3 "$scratch/on_terminal.py" "$CUDAENV" "$driver"
