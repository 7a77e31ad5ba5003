#!/usr/bin/env bash
# Three real toolkits side by side from the package index: a compiler of 13.0, and the runtime and
# NVRTC of 11.8 and 12.1.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/programs.sh
source "$suite_folder/programs.sh"
# shellcheck source=tests/e2e/wheels.sh
source "$suite_folder/wheels.sh"

need_package_index

step "13.0 compiles and links"
must "$CUDAENV" install 13.0 --source wheels --profile minimal
must "$CUDAENV" prefix 13.0
prefix=$out
write_programs
must "$prefix/bin/nvcc" --version
assert_contains "nvcc --version" "$out" "release 13.0"
check_nvcc "$prefix" 13000
check_cmake "$prefix" 13.0 13000

step "11.8 and 12.1 are loaded and compile a kernel"
check_runtime 11.8 11080 "11.8 ptx 7.8"
check_runtime 12.1 12010 "12.1 ptx 8.1"

step "the default moves between the three"
check_default 11.8 cuda-11.8.0
check_default 12.1 cuda-12.1.1
check_default 13.0 "$(basename "$prefix")"
check_nvcc "$CUDAENV_ROOT/cuda" 13000

step "list shows the three"
must "$CUDAENV" list --json
must python3 -c '
import json, sys
shown = json.loads(sys.argv[1])
rows = shown["prefixes"] if isinstance(shown, dict) else shown
names = sorted(row["name"] for row in rows)
assert names == sorted(sys.argv[2:]), names
defaults = [row["name"] for row in rows if row.get("default")]
assert defaults == [sys.argv[2]], defaults
' "$out" "$(basename "$prefix")" cuda-12.1.1 cuda-11.8.0

step "nothing is damaged, and a second install has nothing to do"
for spec in 11.8 12.1 13.0; do must "$CUDAENV" verify "$spec"; done
must "$CUDAENV" install 12.1 --source wheels --component cuda_nvrtc,cuda_cudart --check
