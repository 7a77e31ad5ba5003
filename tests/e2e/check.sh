#!/usr/bin/env bash
# `cudaenv check`: what a Python's frameworks find, with real environments and small packages that
# stand for the frameworks. Drivers, GPUs and compilers are the unit tests' of the rules.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
python3 -c 'import venv' 2>/dev/null || skip "this python3 makes no environments"

# The ids of the findings of a layer, and what they say.
cat >findings.py <<'END'
import json, sys
for layer in json.load(sys.stdin)["layers"]:
    if layer["layer"] == sys.argv[1]:
        print("verdict", layer["verdict"])
        for finding in layer["findings"]:
            print(finding["severity"], finding["id"], finding["seen"], *finding["why"],
                  *("help: " + each for each in finding["help"]), sep=" | ")
END

findings() { python3 findings.py "$1" <<<"$out"; }

environment() {  # framework, behaviour
  rm -rf env
  must python3 -B "$suite_folder/check_python_env.py" "$scratch/env" "$1" "$2"
}

check() { run "$CUDAENV" check --json "$@"; }

# Whether its driver and compiler fit is another layer's: the status is 3 for those, too.
expect_python() {  # framework, behaviour, ok|fails, parts of the python layer's findings...
  local part seen
  environment "$1" "$2"
  check --python "$scratch/env/bin/python" --timeout "${limit:-60}"
  seen=$(findings python)
  if [[ $3 == fails ]]; then
    assert_equal "status of $1 that $2" 3 "$status"
    assert_contains "$1 that $2" "$seen" "verdict fails"
  elif [[ $seen == *"verdict fails"* ]]; then
    fail "$1 that $2: $seen"
  fi
  for part in "${@:4}"; do assert_contains "$1 that $2" "$seen" "$part"; done
}

step "PyTorch"
expect_python torch sees ok "note | python.sees-gpus | torch 2.1.2+cu118, built for CUDA 11.8 sees 1 GPU"
expect_python torch blind fails "error | python.no-gpu" "is too old (found version 11040)" "update the driver"
expect_python torch cpu fails "error | python.cpu-build"
expect_python torch refuses fails "error | python.cudnn-refused" "built against cuDNN (8,3,2), loaded was (8,0,3)"
expect_python torch old fails "error | python.gpu-fails" "no code for this GPU"
expect_python torch noisy ok "python.sees-gpus"

step "an import that goes wrong"
expect_python torch fails fails "error | python.import-fails" "libcudart.so.11.0" "never link one name"
expect_python torch crashes fails "error | python.crashes" "signal 11 while it imported torch"
expect_python torch exits fails "error | python.exits" "ended with 5 while it imported torch"
expect_python torch quits fails "error | python.import-fails" "SystemExit"
limit=3 expect_python torch hangs fails "error | python.hangs" "while it imported torch"

step "what is around an import"
environment torch sees
packages=$(echo "$scratch"/env/lib/python3*/site-packages)
# Printed before the question: by a sitecustomize, and a child of it that stays.
printf 'import os, sys\nprint("hello")\nsys.stdout.flush()\nif os.fork() == 0:\n    %s\n' \
  'import time; time.sleep(50); os._exit(0)' >"$packages/sitecustomize.py"
check --python "$scratch/env" --timeout 20
assert_contains "a sitecustomize that prints and forks" "$(findings python)" "python.sees-gpus"
rm "$packages/sitecustomize.py"
# Metadata that is damaged, of the framework and of another package.
rm "$packages"/torch-*.dist-info/METADATA
mkdir "$packages/tensorflow_datasets-4.9.dist-info"
head -c 100 /dev/urandom >"$packages/tensorflow_datasets-4.9.dist-info/METADATA"
# What lies in the current folder is not the environment's.
mkdir -p here
for name in json io os torch; do echo 'open("ran", "w")' >"here/$name.py"; done
(cd here && "$CUDAENV" check --json --python "$scratch/env/bin/python" >../here.json) || true
out=$(<here.json)
assert_contains "damaged metadata, and a torch.py here" "$(findings python)" "python.sees-gpus"
[[ $(findings python) != *tensorflow* ]] || fail "a package that only goes with it was taken for it"
[[ ! -e here/ran ]] || fail "a file of the current folder was run"

step "TensorFlow and JAX"
expect_python tensorflow sees ok "tensorflow 2.13.1, built for CUDA 11.8 sees 1 GPU"
expect_python tensorflow blind fails "error | python.no-gpu" "cuDNN 8"
expect_python tensorflow cpu fails "error | python.cpu-build"
expect_python jax sees ok "jax 0.4.30 sees 1 GPU"
expect_python jax blind fails "error | python.no-gpu" "no platforms"
expect_python jax cpu fails "error | python.cpu-build"

step "which Python"
environment torch sees
run env VIRTUAL_ENV="$scratch/env" "$CUDAENV" check --json 12.1
assert_contains "VIRTUAL_ENV" "$(findings python)" "python.sees-gpus"
assert_contains "its extensions" "$(findings python)" "warning | python.extension-major"
run env CONDA_PREFIX="$scratch/env" "$CUDAENV" check --json 11.8
assert_contains "CONDA_PREFIX" "$(findings python)" "python.sees-gpus"
check --for jax --python "$scratch/env/bin/python"
assert_contains "a framework that is not there" "$(findings python)" "warning | python.not-installed"
check --python "$scratch/nowhere/python"
assert_contains "no such Python" "$(findings python)" "error | python.missing"
assert_equal "status" 3 "$status"
printf '#!/bin/sh\necho hello\n' >not-python
chmod +x not-python
check --python "$scratch/not-python"
assert_contains "no Python" "$(findings python)" "error | python.garbage"
printf '#!/no/such/interpreter\n' >not-python
check --python "$scratch/not-python"
assert_contains "without its interpreter" "$(findings python)" "error | python.unusable"
assert_contains "without its interpreter" "$(findings python)" "the interpreter that it names is not there"
mkdir -p gone/bin
ln -s /no/such/python3.9 gone/bin/python3
ln -s python3 gone/bin/python
run env VIRTUAL_ENV="$scratch/gone" "$CUDAENV" check --json --for pytorch
assert_contains "a Python that is gone" "$(findings python)" "python.unusable"
assert_contains "a Python that is gone" "$(findings python)" "/no/such/python3.9"
printf '#!/bin/sh\nkill -9 $$\n' >not-python
check --python "$scratch/not-python"
assert_contains "killed" "$(findings python)" "error | python.crashes"

step "a framework with a toolkit"
check 11.8 --for tensorflow==2.13 --python "$scratch/env/bin/python"
assert_contains "the layer" "$(findings framework)" "verdict"
assert_contains "not installed" "$(findings toolkit)" "check.not-installed"
check 12.1 --for tensorflow==2.10 --python "$scratch/env/bin/python"
assert_contains "another CUDA" "$(findings framework)" "error | framework.cuda-mismatch"
assert_equal "status" 3 "$status"
check 12.1 --for frobnicate
assert_equal "no framework" 2 "$status"
check 10.77 --for jax
assert_equal "no release" 1 "$status"
[[ $err != *"cudaenv install"* ]] || fail "it says to install what there is not: $err"
check 10.2
[[ $out != *"cudaenv install"* ]] || fail "it says to install what cannot be: $out"
check auto --for tensorflow==2.13
assert_contains "auto with a framework" "$out" '"toolkit": "11.8.0"'

step "what LD_LIBRARY_PATH would shadow"
library=$(compgen -G '/usr/local/cuda/lib64/libcudart.so.[0-9]*' | head -1) || true
if [[ -z $library ]]; then
  echo "   no toolkit on this machine to take a library from: not looked at"
else
  own=$(echo "$scratch"/env/lib/python3*/site-packages)/nvidia/cuda_runtime/lib
  mkdir -p "$own" other
  cp "$library" "$own/libcudart.so.12"
  cp "$library" other/libcudart.so.12.1.105
  ln -s libcudart.so.12.1.105 other/libcudart.so.12
  run env LD_LIBRARY_PATH="$scratch/other" "$CUDAENV" check --json --python "$scratch/env/bin/python"
  assert_contains "F11" "$(findings python)" "loader.over-wheels"
  assert_contains "F11" "$(findings python)" "$scratch/other"
fi

step "as text"
run "$CUDAENV" check 12.1 --python "$scratch/env/bin/python"
assert_contains "layers" "$out" "python"
assert_contains "the tables' date" "$out" "tables of 20"
