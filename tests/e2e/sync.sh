#!/usr/bin/env bash
# sync and lock: a project's toolkit is brought, checked and pinned.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
build_tree
start_mirror "$scratch/served"
secret_url=${mirror_url/:\/\//://me:hush@}
from=(--mirror "$secret_url" --trust-mirror --platform linux-x86_64)
export CUDAENV_CEILING=$scratch
mkdir -p "$scratch/p/sub"
cd "$scratch/p/sub"

step "without a project"
run "$CUDAENV" sync
assert_status 1 "sync without a file"
assert_contains "the help" "$err" "cudaenv local 12.1"

step "sync brings what is asked, once"
printf 'cuda = "12.1"\nprofile = "minimal"\n' >../.cudaenv
run "$CUDAENV" sync --check
assert_status 3 "sync --check before"
[[ -z $(find "$CUDAENV_ROOT" -name 'cuda*') ]] || fail "--check has changed something"
must "$CUDAENV" sync "${from[@]}" -q
assert_exists "$CUDAENV_ROOT/cuda-12.1.1/bin/nvcc"
must "$CUDAENV" sync --check
must "$CUDAENV" sync --offline
assert_contains "nothing to do" "$err" "CUDA 12.1.1 is installed"
printf 'cuda = "12.2"\nprofile = "minimal"\n' >../.cudaenv
run "$CUDAENV" sync --check
assert_status 3 "sync --check after a change"

step "a lock says what an install would take, and no password"
printf 'cuda = "12.1"\nprofile = "minimal"\n' >../.cudaenv
run "$CUDAENV" sync --locked --check
assert_status 1 "no lock"
assert_contains "the help" "$err" "cudaenv lock"
must "$CUDAENV" lock "${from[@]}"
lock=$(<../.cudaenv.lock)
[[ $lock != *hush* ]] || fail "a password in the lock: $lock"
must python3 -c '
import json, sys
lock = json.loads(sys.argv[1])
assert lock["cuda"] == "12.1.1", lock
archives = lock["platforms"]["linux-x86_64"]
receipt = json.load(open(sys.argv[2]))
pairs = lambda rows, name: {(row[name], row["sha256"], row["size"]) for row in rows}
assert pairs(archives, "component") == pairs(receipt["components"], "name"), archives
assert all(row["url"].startswith("http") for row in archives)' \
  "$lock" "$CUDAENV_ROOT/cuda-12.1.1/.cudaenv/receipt.json"
must "$CUDAENV" lock "${from[@]}"
assert_contains "lock again" "$err" "pins already"

step "sync --locked installs exactly that"
must "$CUDAENV" sync --locked --check --platform linux-x86_64
must "$CUDAENV" uninstall 12.1 --force -q
run "$CUDAENV" sync --locked --check --platform linux-x86_64
assert_status 3 "sync --locked --check before"
must "$CUDAENV" sync --locked "${from[@]}" -q
must "$CUDAENV" sync --locked --check --platform linux-x86_64
must "$CUDAENV" verify 12.1

step "it refuses where the file, the platform or the archives are others"
must "$CUDAENV" uninstall 12.1 --force -q
printf 'cuda = "12.2"\nprofile = "minimal"\n' >../.cudaenv
run "$CUDAENV" sync --locked "${from[@]}"
assert_status 1 "another file"
assert_contains "the error" "$err" "\`.cudaenv\` and \`.cudaenv.lock\` disagree"
printf '# the same\ncuda = "12.1"\n\nprofile = "minimal"' >../.cudaenv
run "$CUDAENV" sync --locked "${from[@]:0:3}" --platform linux-ppc64le
assert_status 1 "a platform that is not locked"
assert_contains "the help" "$err" "cudaenv lock --platform linux-ppc64le"
sed -i 's/"sha256":"[0-9a-f]\{4\}/"sha256":"0000/' ../.cudaenv.lock
run "$CUDAENV" sync --locked "${from[@]}"
assert_status 1 "other archives"
assert_contains "the error" "$err" "has other archives than \`.cudaenv.lock\`"
[[ ! -e $CUDAENV_ROOT/cuda-12.1.1 ]] || fail "it was installed nevertheless"
echo '{"schema": 1}' >../.cudaenv.lock
run "$CUDAENV" sync --locked "${from[@]}"
assert_status 1 "a damaged lock"
assert_contains "the error" "$err" "$scratch/p/.cudaenv.lock"

[[ ! -e /proc/driver/nvidia/version ]] || skip "there is a driver here, which chooses too"

step "a framework chooses release and cuDNN of those that \`cuda\` allows"
project() { printf 'cuda = "%s"\nfor = "%s"\nprofile = "minimal"\n' "$1" "$2" >../.cudaenv; }
rm -f ../.cudaenv.lock
must "$CUDAENV" install 12.1 --profile minimal "${from[@]}" -q
must "$CUDAENV" install 12.2 --profile minimal "${from[@]}" -q
project latest pytorch==2.1
must "$CUDAENV" sync --check
must "$CUDAENV" prefix
assert_equal "the toolkit for PyTorch 2.1" "$CUDAENV_ROOT/cuda-12.1.1" "$out"
project 12 tensorflow==2.15
run "$CUDAENV" sync --check
assert_status 3 "a toolkit without the framework's cuDNN"
must "$CUDAENV" sync "${from[@]}"
assert_contains "the reason" "$err" "tensorflow 2.15 is made for CUDA 12.2"
assert_exists "$CUDAENV_ROOT/cuda-12.2.0/share/licenses/cudnn"
[[ ! -e $CUDAENV_ROOT/cuda-12.1.1/share/licenses/cudnn ]] || fail "the other toolkit was changed"
must "$CUDAENV" sync --check
must "$CUDAENV" prefix
assert_equal "the toolkit for TensorFlow 2.15" "$CUDAENV_ROOT/cuda-12.2.0" "$out"

step "what was chosen is locked, with the cuDNN that nobody named"
must "$CUDAENV" lock "${from[@]}"
must python3 -c '
import json, sys
lock = json.load(open(sys.argv[1]))
assert lock["asked"]["for"] == "tensorflow==2.15" and lock["cuda"] == "12.2.0", lock
assert any(row["component"] == "cudnn" for row in lock["platforms"]["linux-x86_64"]), lock' \
  ../.cudaenv.lock
must "$CUDAENV" uninstall 12.2 --force -q
must "$CUDAENV" sync --locked "${from[@]}" -q
assert_exists "$CUDAENV_ROOT/cuda-12.2.0/share/licenses/cudnn"
must "$CUDAENV" sync --locked --check --platform linux-x86_64
project 12 pytorch==2.1
run "$CUDAENV" sync --locked --check --platform linux-x86_64
assert_status 1 "another framework than was locked"
assert_contains "the error" "$err" "disagree"

step "a framework and a release that do not go together"
project 12 tensorflow==2.13
for command in sync lock; do
  run "$CUDAENV" "$command" "${from[@]}"
  assert_status 1 "$command with a conflict"
  assert_contains "the two" "$err" "asks for CUDA 12 and for tensorflow==2.13"
  assert_contains "the reason" "$err" "tensorflow 2.13 is made for CUDA 11.8, not 12.2.0"
  assert_contains "what goes" "$err" "help: it is made for CUDA 11.8"
done
run "$CUDAENV" prefix
assert_status 1 "no toolkit for it"
assert_contains "the error" "$err" "no installed toolkit matches \`12\` for tensorflow==2.13"
project 12 tensorflwo
run "$CUDAENV" sync "${from[@]}"
assert_status 2 "a word that is no framework"
assert_contains "the suggestion" "$err" "tensorflow"
printf 'cuda = "12"\nfor = "tensorflow==2.15"\ncudnn = "8.9.2"\n' >../.cudaenv
must "$CUDAENV" sync --check
