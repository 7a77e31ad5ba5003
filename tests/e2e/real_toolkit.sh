#!/usr/bin/env bash
# This machine's own toolkit, packed as NVIDIA packs it and served over HTTP, is installed and used.
#   real_toolkit.sh [full]     full: every component of it; else what compiling and linking takes
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/programs.sh
source "$suite_folder/programs.sh"

toolkit=/usr/local/cuda-13.0
compgen -G "$toolkit/dist-info/*/RECORD" >/dev/null ||
  skip "$toolkit is not a toolkit with dist-info/*/RECORD"
command -v python3 >/dev/null || skip "no python3"

packed=()
chosen=(--profile dev)
if [[ ${1:-} != full ]]; then
  # All but the four large math libraries that nothing below links; packing them takes minutes.
  set=cuda_cccl,cuda_crt,cuda_cudart,cuda_culibos,cuda_cupti,cuda_nvcc,cuda_nvrtc,cuda_nvtx
  set+=,cuda_profiler_api,libcublas,libnvjitlink,libnvvm
  packed=(--components "$set")
  chosen=(--profile dev --without "libcufft,libcurand,libcusolver,libcusparse")
fi

step "packing $toolkit"
must python3 "$source_folder/tests/support/pack_toolkit.py" "$toolkit" "$scratch/served" \
  "${packed[@]}" --version 13.0.2
start_mirror "$scratch/served"

# cuDNN, where it was packed, is a release of its own and goes into the same prefix.
extra=()
cudnn=$(compgen -G "$scratch/served/compute/cudnn/redist/redistrib_*.json" || true)
if [[ -n $cudnn ]]; then
  cudnn=${cudnn##*redistrib_}
  extra=(--with "cudnn@${cudnn%.json}")
fi

step "installing it from $mirror_url"
must "$CUDAENV" install 13.0 "${chosen[@]}" --mirror "$mirror_url" --trust-mirror \
  "${extra[@]}"
must "$CUDAENV" prefix 13.0
prefix=$out
assert_equal "the prefix" "$CUDAENV_ROOT/cuda-13.0.2" "$prefix"

step "comparing files and bytes"
must python3 "$suite_folder/compare_prefix.py" "$scratch/served/expected.tsv" "$prefix"
echo "$out"
must "$CUDAENV" verify 13.0

step "compiling with it"
write_programs
must "$prefix/bin/nvcc" --version
assert_contains "nvcc --version" "$out" "release 13.0"
check_nvcc "$prefix" 13000
check_libraries "$prefix" "cudart 13000 cublas 13 nvrtc 13.0"
check_cmake "$prefix" 13.0 13000

step "compiling through the default link"
must "$CUDAENV" default 13.0
assert_equal "the default link" cuda-13.0.2 "$(readlink "$CUDAENV_ROOT/cuda")"
check_nvcc "$CUDAENV_ROOT/cuda" 13000
check_libraries "$CUDAENV_ROOT/cuda" "cudart 13000 cublas 13 nvrtc 13.0"
check_cmake "$CUDAENV_ROOT/cuda" 13.0 13000

step "compiling with it after it moved"
mkdir -p "$scratch/elsewhere"
mv "$prefix" "$scratch/elsewhere/toolkit"
check_nvcc "$scratch/elsewhere/toolkit" 13000
check_libraries "$scratch/elsewhere/toolkit" "cudart 13000 cublas 13 nvrtc 13.0"
check_cmake "$scratch/elsewhere/toolkit" 13.0 13000
