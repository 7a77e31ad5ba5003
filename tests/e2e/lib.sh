# shellcheck shell=bash disable=SC2034
# What every suite here begins with: `source "$(dirname "$0")/lib.sh"`. Runs the suite again under
# an empty environment, in a scratch folder that is removed at the end and kept after a failure.
# Comes with a few assertions; the first that fails ends the suite.
#
# From outside: CUDAENV (the program), CUDAENV_TEST_MIRROR (the server), CUDAENV_TEST_STEPS (the
# recorder of system calls), CUDAENV_TEST_FAKES (drivers that fail on purpose), TMPDIR, and what pip needs to find its index: PIP_*, proxies,
# certificates.

set -euo pipefail

suite_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_folder=$(cd "$suite_folder/../.." && pwd)

# Between the two runs only this list crosses over.
restart_with_empty_environment() {
  local kept=(E2E_INSIDE=1 "PATH=$PATH" LC_ALL=C.UTF-8 "TMPDIR=${TMPDIR:-/tmp}") name
  while IFS= read -r name; do
    kept+=("$name=${!name}")
  done < <(compgen -e | grep -E '^(PIP_|SSL_CERT_|REQUESTS_CA_BUNDLE$|CURL_CA_BUNDLE$)|_(proxy|PROXY)$')
  for name in CUDAENV CUDAENV_TEST_MIRROR CUDAENV_TEST_STEPS CUDAENV_TEST_FAKES CUDAENV_PIP CUDAENV_CA_BUNDLE; do
    if [[ -n ${!name:-} ]]; then kept+=("$name=${!name}"); fi
  done
  # pip reads its user's configuration from the home that the suite doesn't see.
  for name in "${XDG_CONFIG_HOME:-${HOME:-}/.config}/pip/pip.conf" "${HOME:-}/.pip/pip.conf"; do
    if [[ -z ${PIP_CONFIG_FILE:-} && -f $name ]]; then kept+=("PIP_CONFIG_FILE=$name"); break; fi
  done
  exec env -i "${kept[@]}" bash "$0" "$@"
}

skip() {
  echo "SKIP: $*"
  skipped=1
  exit 77
}

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

step() { echo "-- $*"; }

# Runs a command; its status, stdout and stderr are then in $status, $out and $err.
run() {
  status=0
  "$@" >"$scratch/.out" 2>"$scratch/.err" || status=$?
  out=$(<"$scratch/.out")
  err=$(<"$scratch/.err")
}

# The command must succeed; what it printed is shown if it does not.
must() {
  run "$@"
  if [[ $status -ne 0 ]]; then
    printf '%s\n%s\n' "$out" "$err" >&2
    fail "status $status from: $*"
  fi
}

assert_equal() {  # what, expected, seen
  [[ $2 == "$3" ]] || fail "$1: expected '$2', seen '$3'"
}

assert_contains() {  # what, text, part
  [[ $2 == *"$3"* ]] || fail "$1 does not contain '$3': $2"
}

assert_exists() { [[ -e $1 ]] || fail "$1 does not exist"; }

# Serves a folder as NVIDIA's host would; the address is then in $mirror_url.
start_mirror() {  # folder, then more arguments for the server
  mkfifo "$scratch/.mirror"
  "$CUDAENV_TEST_MIRROR" --root "$@" >"$scratch/.mirror" 2>"$scratch/mirror.log" &
  background+=($!)
  read -r -t 20 mirror_url <"$scratch/.mirror" || fail "the test mirror did not start"
}

# Mounts a small filesystem of its own on a folder; what was there of an earlier one goes.
mount_small() {  # folder, options (size=1m,nr_inodes=100)
  mkdir -p "$1"
  if mountpoint -q "$1"; then umount "$1"; fi
  mount -t tmpfs -o "$2" cudaenv-test "$1" 2>/dev/null || skip "no filesystem can be mounted here"
  mounted+=("$1")
}

clean_up() {
  local status=$?
  for folder in "${mounted[@]}"; do umount -l "$folder" 2>/dev/null || true; done
  for process in "${background[@]}"; do kill "$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
  if [[ $status -eq 0 || -n ${skipped:-} ]]; then
    rm -rf "$scratch"
  else
    echo "left in $scratch" >&2
  fi
}

if [[ -z ${E2E_INSIDE:-} ]]; then restart_with_empty_environment "$@"; fi
[[ -x ${CUDAENV:-} ]] || { echo "SKIP: CUDAENV does not name the program"; exit 77; }

background=()
mounted=()
scratch=$(mktemp -d "$TMPDIR/cudaenv-e2e.XXXXXX")
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

export HOME=$scratch/home CUDAENV_ROOT=$scratch/root CUDAENV_ACCEPT_EULA=1
export CUDAENV_CACHE_DIR=$scratch/cache
mkdir -p "$HOME" "$CUDAENV_ROOT"
cd "$scratch"
