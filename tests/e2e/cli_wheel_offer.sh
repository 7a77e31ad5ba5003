#!/usr/bin/env bash
# Wheels before 13.0 have no compiler: on a terminal cudaenv offers what they do have.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/wheels.sh
source "$suite_folder/wheels.sh"

need_package_index
python3 -B "$suite_folder/pty_test.py" --wheel-offer "$CUDAENV" "$scratch"
