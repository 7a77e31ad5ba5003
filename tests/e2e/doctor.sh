#!/usr/bin/env bash
# `doctor` as a user meets it: on trees that stand for machines, on this machine, and with drivers
# that fail on purpose.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

tree=$scratch/tree

# A machine with one toolkit, whose CUDA_HOME is right.
make_tree() {
  rm -rf "$tree"
  local prefix=$tree/usr/local/cuda-12.1
  mkdir -p "$prefix"/{bin,include,lib,nvvm/libdevice} "$tree"/{usr/bin,etc}
  printf '#!/bin/sh\necho run >>%s/ran\n' "$scratch" >"$prefix/bin/nvcc"
  chmod 755 "$prefix/bin/nvcc"
  cp "$prefix/bin/nvcc" "$prefix/bin/ptxas"
  cp "$prefix/bin/nvcc" "$tree/usr/bin/gcc-12"
  cp "$prefix/bin/nvcc" "$tree/usr/bin/nvidia-smi"
  ln -s gcc-12 "$tree/usr/bin/gcc"
  echo '{"cuda": {"version": "12.1.1"}}' >"$prefix/version.json"
  touch "$prefix/include/cuda_runtime_api.h" "$prefix/lib/libcudart.so.12.1.105" \
    "$prefix/nvvm/libdevice/libdevice.10.bc"
  ln -s lib "$prefix/lib64"
  ln -s cuda-12.1 "$tree/usr/local/cuda"
  chmod -R a+rX "$tree"
}

doctor() { run "$CUDAENV" doctor --sysroot "$tree" --env PATH=/usr/local/cuda/bin:/usr/bin "$@"; }

step "a tree in which all is well ends with 0"
make_tree
doctor
assert_equal "status" 0 "$status"
assert_contains "the summary" "$out" "12.1.1 in /usr/local/cuda-12.1, active"
assert_contains "the finding" "$out" "[driver.absent]"
assert_contains "the last line" "$err" "keeps CUDA from working where the host has a driver"
doctor --driver 535.104.05
assert_contains "the last line with a driver" "$err" "nothing is wrong"

step "an error ends with 3, a warning only with --strict"
doctor --driver 470.57.02
assert_equal "status for an old driver" 3 "$status"
assert_contains "the finding" "$out" "[driver.too-old]"
doctor --env LD_LIBRARY_PATH=/usr/lib:
assert_equal "status for a warning" 0 "$status"
doctor --env LD_LIBRARY_PATH=/usr/lib: --strict
assert_equal "status for a warning, strictly" 3 "$status"
doctor --gcc 13
assert_equal "status for a new compiler" 3 "$status"
assert_contains "the compiler" "$out" "[compiler.too-new]"

step "JSON and Prometheus say the same"
doctor --json --driver 535.104.05 --gpu H100 --gpu 8.6
python3 - "$out" <<'EOF' || fail "the JSON is not as it should be"
import json, sys
seen = json.loads(sys.argv[1])
assert seen["schema"] == 1 and seen["errors"] == 0, seen
assert seen["toolkits"][0]["version"] == "12.1.1" and seen["toolkits"][0]["active"], seen
assert seen["driver"]["module"] == "535.104.05" and seen["driver"]["assumed"], seen
assert [gpu["capability"] for gpu in seen["gpus"]] == ["9.0", "8.6"], seen
assert all(set(one) == {"id", "severity", "seen", "why", "help"} for one in seen["findings"])
EOF
doctor --format prometheus --driver 470.57.02
assert_equal "status" 3 "$status"
assert_contains "the metric" "$out" 'cudaenv_doctor_finding{id="driver.too-old",severity="error"} 1'
assert_contains "the toolkit" "$out" 'cudaenv_toolkit_info{path="/usr/local/cuda-12.1",version="12.1.1"'

step "CUDAENV_SYSROOT is the same as --sysroot, and wrong ones are usage errors"
must env CUDAENV_SYSROOT="$tree" "$CUDAENV" doctor --json
assert_contains "the root" "$out" "$tree"
run "$CUDAENV" doctor --sysroot "$scratch/none"
assert_equal "status" 2 "$status"
run "$CUDAENV" doctor --sysroot "$tree" 12.1
assert_equal "status of a spec" 2 "$status"
doctor /usr/local/cuda-12.1
assert_equal "status of a path" 0 "$status"
doctor /usr/local/cuda-9
assert_equal "status of a missing path" 1 "$status"
doctor --driver x
assert_equal "status of a wrong version" 2 "$status"
doctor --gpu 4090
assert_equal "status of a GPU that is not known" 2 "$status"

step "nothing of a tree was run"
[[ ! -e $scratch/ran ]] || fail "a program of the tree was run"

step "a hostile tree ends soon and shows nothing from outside"
make_tree
echo '{"cuda": {"version": "9.9.9"}}' >"$scratch/secret.json"
rm "$tree/usr/local/cuda-12.1/version.json"
ln -s ../../../../secret.json "$tree/usr/local/cuda-12.1/version.json"
mkfifo "$tree/etc/ld.so.cache"
mkdir -p "$tree/usr/local/cuda-10"
ln -s "$scratch" "$tree/usr/local/cuda-10/include"
ln -s /dev/zero "$tree/usr/local/cuda-10/version.txt"
truncate -s 1T "$tree/usr/local/cuda-10/nvcc.profile"
run timeout 60 "$CUDAENV" doctor --sysroot "$tree" --all
[[ $status -ne 124 ]] || fail "it hangs"
[[ $out != *9.9.9* ]] || fail "it read a file outside the tree"

step "names that move the cursor are shown, and break no format"
make_tree
mv "$tree/usr/local/cuda-12.1" "$tree/usr/local/cuda-"$'\e[31m\xff'
ln -sfn "cuda-"$'\e[31m\xff' "$tree/usr/local/cuda"
if [[ -n ${CUDAENV_TEST_FAKES:-} ]]; then
  # Its soname is libcuda.so.1: called 2 it is forged, and told by its name.
  mkdir -p "$tree/"$'l\e[1m'
  cp "$CUDAENV_TEST_FAKES"/driver/libcuda.so.1 "$tree/"$'l\e[1m/libcuda.so.2'
fi
for format in text json prometheus; do
  doctor --format "$format" --env LD_LIBRARY_PATH=$'/l\e[1m:/usr/local/cuda/lib:/x\e\xfe' \
    --env CUDA_HOME=$'/y\e[0m\n'
  assert_equal "status" 3 "$status"
  [[ $out != *$'\e'* ]] || fail "an escape in $format: $out"
  case $format in
    json) python3 -c 'import json, sys; json.loads(sys.argv[1])' "$out" || fail "no JSON" ;;
    prometheus)
      grep -vE '^(#|[a-z_]+(\{([a-z]+="([^"\\]|\\["\\n])*",?)+\})? [0-9]+$)' <<<"$out" &&
        fail "no metrics" ;;
  esac
done

step "this machine is judged without a failure"
run timeout 120 "$CUDAENV" doctor --json
[[ $status -eq 0 || $status -eq 3 ]] || fail "status $status: $err"
python3 -c 'import json, sys; json.loads(sys.argv[1])' "$out" || fail "no JSON"
if [[ $out == *'"state": "absent"'* && $status -eq 0 ]]; then
  must "$CUDAENV" doctor
  assert_contains "without a driver" "$err" "nothing of CUDA runs here without a working driver"
  must "$CUDAENV" doctor --for-image
  assert_contains "in an image" "$err" "where the host has a driver"
fi

step "a HOME that is another user's"
mkdir closed
chmod 0 closed
as_user=()
[[ $(id -u) -ne 0 ]] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${as_user[@]}" test -x "$CUDAENV" 2>/dev/null; then
  run "${as_user[@]}" env -u CUDAENV_ROOT HOME="$scratch/closed/home" "$CUDAENV" doctor --json
  [[ $status -eq 0 || $status -eq 3 ]] || fail "status $status: $err"
  run "${as_user[@]}" env -u CUDAENV_ROOT HOME="$scratch/closed/home" "$CUDAENV" list
  assert_equal "list: $err" 0 "$status"
else
  echo "   no other user can run the program here: not looked at"
fi
chmod 755 closed

if [[ -z ${CUDAENV_TEST_FAKES:-} ]]; then exit 0; fi

step "drivers that fail on purpose are told"
with_driver() {  # behaviour of libcuda
  run env LD_LIBRARY_PATH="$CUDAENV_TEST_FAKES/driver" FAKE_CUDA="$1" "$CUDAENV" doctor --json
}
with_driver init=0
assert_contains "a working driver" "$out" '"state": "working"'
assert_contains "its GPU" "$out" '"name": "NVIDIA H200"'
for pair in 3:driver.not-initialised 802:driver.fabric-manager 804:driver.compat-unsupported; do
  with_driver "init=${pair%%:*}"
  # Without the kernel module of a real driver libcuda's failure has that reason.
  if [[ -e /proc/driver/nvidia/version ]]; then
    assert_contains "cuInit returns ${pair%%:*}" "$out" "${pair#*:}"
    assert_equal "status" 3 "$status"
  else
    assert_contains "cuInit returns ${pair%%:*}" "$out" '"state": "no-module"'
  fi
done
with_driver crash=cuInit
assert_contains "a crash" "$out" driver.crashes
assert_equal "status of a crash" 3 "$status"
export CUDAENV_DRIVER_TIMEOUT=1
with_driver hang=cuInit
assert_contains "a hang, with a limit of the user's" "$out" driver.hangs
unset CUDAENV_DRIVER_TIMEOUT

step "programs on PATH that cannot be run, or leave others behind, do not end it"
mkdir -p tools
printf '#!/no/such/interpreter\n' >tools/gcc
printf '\177ELF' >tools/nvidia-smi
chmod 755 tools/*
run env PATH="$scratch/tools:$PATH" timeout 60 "$CUDAENV" doctor --json
[[ $status -eq 0 || $status -eq 3 ]] || fail "status $status: $err"
printf '#!/bin/sh\nsleep 50 &\necho $! >%s/left\necho 12.2.0\n' "$scratch" >tools/gcc
run env PATH="$scratch/tools:$PATH" timeout 30 "$CUDAENV" doctor --json
[[ $status -eq 0 || $status -eq 3 ]] || fail "status $status: $err"
assert_contains "its compiler" "$out" "$scratch/tools/gcc"
kill "$(cat left)"

step "a chroot without /proc"
# shellcheck disable=SC2016
no_proc='mount -t tmpfs none /proc && exec "$CUDAENV" doctor --json --sysroot "$1" --all'
make_tree
if unshare -rm sh -c 'mount -t tmpfs none /proc' 2>/dev/null; then
  run env CUDAENV="$CUDAENV" unshare -rm sh -c "$no_proc" sh "$tree"
  assert_equal "status: $err" 0 "$status"
  assert_contains "the toolkit's version" "$out" '"version": "12.1.1"'
else
  echo "   no namespaces to hide /proc in: not looked at"
fi
