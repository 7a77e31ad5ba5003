#!/usr/bin/env bash
# An install from a mirror that is trusted, or from a folder of wheels, with one hostile archive in
# it: it fails with the archive and the entry named, and leaves nothing behind, nor touches
# anything outside.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"

# All that lies in the sandbox beside the root and what the suite itself writes.
outside() {
  find . -path ./root -prune -o -path ./served -prune -o -path ./cache -prune -o \
    ! -name '.*' ! -name mirror.log -printf '%y %m %s %p %l\n' | sort
}

check_nothing_left() {  # kind
  local left
  left=$(find root ! -type d ! -name '*.lock' ! -name lock ! -path 'root/.state/locks/*' \
    ! -path 'root/.state/downloads/*' | sort)
  assert_equal "files left by $1" "" "$(grep -v '/store/[0-9a-f]\{64\}[^/]*/' <<<"$left" || true)"
  assert_equal "staging left by $1" "" "$(find root/.state/staging -mindepth 1 -type d)"
  [[ ! -e root/cuda && ! -e root/cuda-12.1.1 ]] || fail "$1 was published"
  run "$CUDAENV" list
  [[ $out != *12.1.1* ]] || fail "$1 is listed"
  if [[ -e /evil ]]; then fail "$1 wrote /evil"; fi
}

# The store may hold the good components that were done before; never the hostile one.
check_store() {  # kind, digest of the hostile archive
  assert_equal "$1 in the store" "" "$(find root/.state -path "*/store/$2*")"
}

check_kind() {  # kind, archive or wheel, words of the error ...
  local kind=$1 form=$2 file digest before word
  shift 2
  rm -rf root cache
  mkdir root
  before=$(outside)
  if [[ $form == archive ]]; then
    file=$(find "served/$kind" -name 'cuda_cudart-*')
    run "$CUDAENV" install 12.1.1 --profile minimal --platform linux-x86_64 \
      --mirror "$mirror_url/$kind" --trust-mirror
  else
    file=$(find "served/$kind" -name '*.whl')
    run "$CUDAENV" install 12.1.1 --component cuda_cudart --platform linux-x86_64 \
      --source "wheels:$scratch/served/$kind"
  fi
  assert_equal "the status of $kind ($err)" 1 "$status"
  err=error:${err#*error:}
  assert_contains "the error of $kind" "$err" "$(basename "$file")"
  for word in "$@"; do assert_contains "the error of $kind" "$err" "$word"; done
  digest=$(sha256sum "$file")
  check_store "$kind" "${digest%% *}"
  [[ ! -e root/.state/downloads/${digest%% *} ]] || fail "the download of $kind is kept"
  check_nothing_left "$kind"
  assert_equal "what lies outside after $kind" "$before" "$(outside)"
}

mkdir -p canary
echo precious >canary/precious
must python3 -B "$suite_folder/hostile_tree.py" served
kinds=$out
start_mirror "$scratch/served"
while IFS=$'\t' read -r -a kind; do
  step "${kind[0]}"
  check_kind "${kind[@]}"
done <<<"$kinds"
