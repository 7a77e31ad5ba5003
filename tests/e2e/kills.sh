#!/usr/bin/env bash
# Whatever command is killed at whatever moment, no prefix is broken and the next run completes.
#   kills.sh [all]    all: every step and 1,000 random moments instead of the telling steps and 200

# A killed process loses nothing that the kernel has, so memory serves, where syncs cost nothing.
if [[ ${1:-} != all && -d /dev/shm && -w /dev/shm ]]; then export TMPDIR=/dev/shm; fi
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/kill_support.sh
source "$suite_folder/kill_support.sh"

need_recorder
if [[ ${1:-} == all ]]; then how=(--all --random 1000); else how=(--random 200); fi
mkdir "$scratch/served"
start_mirror "$scratch/served" --log "$scratch/requests.log"
python3 -B "$suite_folder/kills.py" "$scratch" "$CUDAENV" "$CUDAENV_TEST_STEPS" "$mirror_url" \
  "$scratch/requests.log" "${how[@]}"
