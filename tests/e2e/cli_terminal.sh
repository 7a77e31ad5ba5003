#!/usr/bin/env bash
# Installs on a terminal, from a server that sends byte by byte. See pty_test.py.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
build_tree
start_mirror "$scratch/served"
start_ruled_mirror "$scratch/served" '/compute/cuda/redist/cuda_cudart/*=trickle:1' \
  '/compute/cuda/redist/cuda_nvrtc/linux-x86_64/cuda_nvrtc-linux-x86_64-12.2.0*=stall:300'
python3 -B "$suite_folder/pty_test.py" "$CUDAENV" "$ruled_url" "$mirror_url" "$scratch"
