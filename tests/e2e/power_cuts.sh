#!/usr/bin/env bash
# Whatever a power cut leaves of what was not synced: what counts is whole, the next run completes.

# The recording says what was synced; whether the disk then obeys is not what is tested here.
if [[ -d /dev/shm && -w /dev/shm ]]; then export TMPDIR=/dev/shm; fi
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/kill_support.sh
source "$suite_folder/kill_support.sh"

need_recorder
mkdir "$scratch/served"
start_mirror "$scratch/served"
python3 -B "$suite_folder/power_cuts.py" "$scratch" "$CUDAENV" "$CUDAENV_TEST_STEPS" "$mirror_url"
