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

step "what lies in the current folder is not run"
mkdir -p project
for name in json torch site_of_a_stranger; do echo "open('$scratch/ran', 'w')" >"project/$name.py"; done
cd project
check --python "$scratch/env/bin/python"
assert_contains "PyTorch of the environment" "$(cd .. && findings python)" "python.sees-gpus"
[[ ! -e $scratch/ran ]] || fail "a file of the current folder was run"
cd ..

step "another machine is assumed"
layer() {  # its name: verdict, what, assumed
  python3 -c '
import json, sys
for layer in json.load(sys.stdin)["layers"]:
    if layer["layer"] == sys.argv[1]:
        print(layer["verdict"], layer["what"], layer["assumed"], sep=" | ")' "$1" <<<"$out"
}
check 12.1 --driver 535.104.05 --gpu H100 --gpu 8.6 --glibc 2.35 --gcc 12.2
assert_equal "status" 0 "$status"
assert_equal "the driver" "native | 535.104.05 | True" "$(layer driver)"
assert_equal "the GPUs" "compiled | NVIDIA H100, sm_90 | True
compiled | a GPU, sm_86 | True" "$(layer gpu)"
assert_equal "the compiler" "fits | gcc 12.2 | True" "$(layer compiler)"
assert_equal "the C library" "fits | 2.35 | True" "$(layer glibc)"
check 12.1 --driver 470.57.02 --gcc 15
assert_equal "status for another machine" 3 "$status"
assert_contains "the driver" "$(findings driver)" "error | driver.too-old"
assert_contains "the compiler" "$(findings compiler)" "error | compiler.too-new"
check auto --driver 470.57.02 --gpu "Tesla K80" --glibc 2.31 --gcc 9.4
assert_contains "auto for an old machine" "$(layer toolkit)" " 11.4"
run "$CUDAENV" check 12.1 --driver 535.104.05
assert_contains "what is assumed" "$out" "535.104.05, assumed"
check 12.1 --for tensorflow==2.15 --driver 470.57.02
assert_contains "the framework" "$(findings framework)" "error | driver.too-old"
environment torch blind
check 11.8 --driver 535.104.05 --gpu H100 --python "$scratch/env/bin/python"
[[ $(findings python) != *python.no-gpu* ]] || fail "the GPUs of this machine count: $out"
for wrong in "--driver x" "--glibc y" "--gcc z" "--gpu RTX-9999" "--sysroot $scratch/none"; do
  # shellcheck disable=SC2086
  check 12.1 $wrong
  assert_equal "status of $wrong" 2 "$status"
done

step "a framework that came with its own CUDA"
environment tensorflow sees
packages=$(echo "$scratch"/env/lib/python3*/site-packages)
for package in nvidia_cudnn_cu11-8.7.0.84 nvidia_nccl_cu11-2.16.5 nvidia_cuda_runtime_cu11-11.8.89; do
  mkdir "$packages/$package.dist-info"
  printf 'Name: %s\nVersion: %s\n' "${package%-*}" "${package##*-}" >"$packages/$package.dist-info/METADATA"
done
check 13.0 --for tensorflow==2.14 --python "$scratch/env/bin/python"
assert_contains "the framework" "$(layer framework)" "fits | tensorflow==2.14, for CUDA 11.8, with its own 11.8"
assert_contains "its NCCL" "$(layer nccl)" "2.16.5 of nvidia-nccl-cu11, for CUDA 11.8"
assert_contains "its cuDNN" "$(layer cudnn)" "8.7.0 of nvidia-cudnn-cu11, for CUDA 11.8"

step "an image: nothing of it is run"
image=$scratch/image
cuda=$image/usr/local/cuda-12.1
packages=$image/opt/venv/lib/python3.11/site-packages
mkdir -p "$cuda"/{bin,lib} "$image"/{usr/bin,opt/venv/bin} "$packages"/torch
for program in "$cuda/bin/nvcc" "$image/usr/bin/python3.11" "$image/usr/bin/gcc-12"; do
  printf '#!/bin/sh\necho run >>%s/ran\n' "$scratch" >"$program"
  chmod 755 "$program"
done
ln -s gcc-12 "$image/usr/bin/gcc"
ln -s /usr/bin/python3.11 "$image/opt/venv/bin/python"
echo '{"cuda": {"version": "12.1.1"}}' >"$cuda/version.json"
touch "$cuda"/lib/libcudart.so.12.1.105 "$cuda"/lib/lib{cudnn.so.8.9.7,nccl.so.2.18.1} "$packages/torch/__init__.py"
ln -s libcudnn.so.8.9.7 "$cuda/lib/libcudnn.so.8"
ln -s libnccl.so.2.18.1 "$cuda/lib/libnccl.so.2"
for package in torch-2.1.2+cu121 nvidia_nccl_cu12-2.18.1 nvidia_cuda_runtime_cu12-12.1.105; do
  mkdir "$packages/$package.dist-info"
  printf 'Name: %s\nVersion: %s\n' "${package%-*}" "${package##*-}" >"$packages/$package.dist-info/METADATA"
done
check 12.1 --sysroot "$image" --for pytorch --python /opt/venv/bin/python --driver 535.104.05
assert_equal "status of an image" 0 "$status"
assert_equal "the toolkit" "installed | 12.1.1 in /usr/local/cuda-12.1 | False" "$(layer toolkit)"
assert_equal "cuDNN of the toolkit" "same-major | 8.9.7 | False" "$(layer cudnn)"
assert_equal "NCCL of both" "same-major | 2.18.1 | False
same-major | 2.18.1 of nvidia-nccl-cu12, for CUDA 12.1 | False" "$(layer nccl)"
assert_contains "the framework" "$(layer framework)" "fits | pytorch==2.1.2, for CUDA 12.1"
assert_contains "the Python" "$(layer python)" "not-run | /opt/venv/bin/python 3.11"
run env CUDAENV_SYSROOT="$image" VIRTUAL_ENV=/opt/venv "$CUDAENV" check --json /usr/local/cuda-12.1
assert_contains "CUDAENV_SYSROOT" "$(layer toolkit)" "installed"
assert_equal "no Python of this shell" "" "$(layer python)"
check --sysroot "$image" --env VIRTUAL_ENV=/opt/venv 12.9
assert_equal "another release" "not-installed" "$(layer toolkit | cut -d' ' -f1)"
assert_contains "the image's environment" "$(layer python)" "/opt/venv/bin/python"
check 12.1 --sysroot "$image" --python venv/bin/python
assert_equal "status of a relative Python" 2 "$status"
[[ ! -e $scratch/ran ]] || fail "a program of the image was run"
