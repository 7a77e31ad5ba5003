#!/usr/bin/env bash
# compute-sanitizer from real wheels of both layouts: spread over bin, include and lib (until
# 13.3), and in a folder of its own (since 13.4). Beside CUPTI, which has headers of its names.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/wheels.sh
source "$suite_folder/wheels.sh"

need_package_index

for spec in 13.0 13.4; do
  step "$spec"
  must "$CUDAENV" install "$spec" --source wheels --component cuda_sanitizer_api,cuda_cupti
  must "$CUDAENV" prefix "$spec"
  prefix=$out
  must "$prefix/bin/compute-sanitizer" --version
  assert_contains "its version" "$out" "Compute Sanitizer"
  for header in generated_cuda_meta.h generated_cuda_runtime_api_meta.h; do
    assert_exists "$prefix/extras/CUPTI/include/$header"
    assert_exists "$prefix/compute-sanitizer/include/$header"
    ! cmp -s "$prefix/include/$header" "$prefix/compute-sanitizer/include/$header" ||
      fail "$header of CUPTI and of the sanitizer are one file"
  done
done
