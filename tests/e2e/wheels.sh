# shellcheck shell=bash disable=SC2154
# What the suites that install NVIDIA's wheels share.

# Skips where this machine's pip cannot reach an index that has them.
need_package_index() {
  command -v python3 >/dev/null || skip "no python3"
  run python3 -m pip install --dry-run --quiet --ignore-installed --no-deps --only-binary=:all: \
    --disable-pip-version-check --report "$scratch/probe.json" cuda-toolkit==13.0.2
  if [[ $status -ne 0 ]]; then
    skip "pip finds no NVIDIA wheels: $(grep -v '^ *$' <<<"$err" | tail -n 1 | cut -c 1-150)"
  fi
}

# Installs a release's NVRTC and runtime, loads both and compares what they say.
check_runtime() {  # spec, runtime's number, NVRTC's answer; then more arguments for install
  local spec=$1 number=$2 answer=$3 prefix
  shift 3
  must "$CUDAENV" install "$spec" --source wheels --component cuda_nvrtc,cuda_cudart "$@"
  must "$CUDAENV" prefix "$spec"
  prefix=$out
  must python3 "$suite_folder/load_library.py" cudart "$prefix"
  assert_equal "the runtime of $spec" "$number" "$out"
  must python3 "$suite_folder/load_library.py" nvrtc "$prefix"
  assert_equal "NVRTC of $spec" "$answer" "$out"
}

# Moves the default link and looks at it from both sides.
check_default() {  # spec, name of the prefix
  must "$CUDAENV" default "$1"
  assert_equal "the default link" "$2" "$(readlink "$CUDAENV_ROOT/cuda")"
  assert_exists "$CUDAENV_ROOT/cuda/include/cuda_runtime_api.h"
}
