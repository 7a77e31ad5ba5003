#!/usr/bin/env bash
# Sixteen installs at once, removals beside them, a holder that dies or sleeps, two users.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
mkdir "$scratch/served"
start_mirror "$scratch/served" --log "$scratch/requests.log"
start_ruled_mirror "$scratch/served" '/compute/cuda/redist/cuda_nvrtc/*=1*stall:40000' \
  '/compute/cuda/redist/cuda_cccl/*=1*stall:40000'
python3 -B "$suite_folder/many_at_once.py" "$scratch" "$CUDAENV" "$mirror_url" \
  "$scratch/requests.log" "$ruled_url" "$ruled_log"
