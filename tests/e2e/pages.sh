#!/usr/bin/env bash
# Every page that cudaenv writes, opened in a real browser. `pages.sh pictures FOLDER` keeps them
# there with pictures of what the browser made of them.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
fakes=${CUDAENV_TEST_FAKES:-}
[[ -e $fakes/toolkit/libcublas.so.1 ]] || skip "CUDAENV_TEST_FAKES does not name the fake drivers"
if compgen -G "/proc/driver/nvidia/gpus/*" >/dev/null; then skip "a real GPU is here"; fi
browser=
for name in chromium chromium-browser google-chrome; do
  browser=$(command -v "$name") && break
done
[[ -n $browser ]] || skip "no Chromium: the pages are not opened"
pictures=()
folder=$scratch
if [[ ${1:-} == pictures ]]; then pictures=(--pictures) folder=$2; fi

step "the pages are written"
mkdir -p "$scratch/toolkit/lib"
cp "$fakes/toolkit/libcublas.so.1" "$scratch/toolkit/lib/"
watch_run() {  # page, behaviour, command: a run that is watched beside us
  env LD_LIBRARY_PATH="$fakes/driver" FAKE_NVML="$2" "$CUDAENV" diagnose --interval 0.2 \
    --html "$folder/$1" -- "${@:3}" >/dev/null 2>&1 &
  background+=($!)
}
watch_run diagnose.html "gpm=1,devices=2,dram=90" sleep 4
watch_run diagnose-odd.html "" sh -c ': "<script>&\"" a-very-long-word-without-a-blank-that-no-narrow-window-can-hold-in-one-line-or-in-two'
must env FAKE_GPU_MEMORY=1000 FAKE_GPU_NAME="NVIDIA H200" LD_LIBRARY_PATH="$fakes/gpu" \
  "$CUDAENV" bench "$scratch/toolkit" --quick --baseline --json --html "$folder/bench.html"
must "$CUDAENV" compat --html "$folder/compat.html"
must "$CUDAENV" compat pytorch==2.1 --driver 450.1 --html "$folder/compat-verdict.html"
for job in "${background[@]}"; do wait "$job" || fail "a run that was watched failed"; done
background=()

step "each is fit to be read in a browser, wide and narrow, light and dark"
must python3 -B "$suite_folder/pages.py" "$browser" "$scratch" "${pictures[@]}" \
  "$folder/bench.html" 3 "GPU 0: NVIDIA H200" "device to host, pinned, 64 KiB" "µs" "bf16" \
    "highest clock, MHz 1980" "Sources NVIDIA H200 Tensor Core GPU datasheet" -- \
  "$folder/diagnose.html" 9 "sleep 4" "limit" -- \
  "$folder/diagnose-odd.html" 0 '<script>&' "in-one-line-or-in-two" -- \
  "$folder/compat.html" 0 "CUDA toolkits" "550.54.14" "Frameworks" "NVIDIA A100 80GB PCIe 1935" -- \
  "$folder/compat-verdict.html" 0 "error" "450.1" "pip install"
echo "$out"
