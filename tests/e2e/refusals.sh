#!/usr/bin/env bash
# Filesystems that refuse: no hard links, no exchange of names, no locks, a quota, a disk that is
# full at any one call that writes. The calls fail as strace tells the kernel.
#   refusals.sh [STEP]: every STEP-th call of a thread fails, in turn (3; 1 is thorough)
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
stride=${1:-3}
strace -f -qq -o /dev/null -e trace=none -e inject=mkdir:error=EDQUOT true 2>/dev/null ||
  skip "no strace that can inject errors"
build_tree
start_mirror "$scratch/served"
from_mirror=(--profile minimal --platform linux-x86_64 --mirror "$mirror_url" --trust-mirror)
install=("$CUDAENV" install 12.1 "${from_mirror[@]}")

# Runs a command whose calls fail as told.
refusing() {  # CALLS:error=...[:when=...], command...
  local what=$1
  shift
  run timeout 60 strace -f -qq -o "$scratch/trace" -e trace="${what%%:*}" -e inject="$what" "$@"
}

refused() { grep -c INJECTED "$scratch/trace" || true; }

assert_refused() { [[ $(refused) -gt 0 ]] || fail "nothing was refused: $1"; }

assert_whole_or_absent() {  # what
  must "$CUDAENV" list
  if [[ -n $out ]]; then
    must "$CUDAENV" verify 12.1
  else
    assert_equal "what $1 left in the root" "" \
      "$(find "$CUDAENV_ROOT" -maxdepth 1 -name 'cuda-*' 2>/dev/null)"
  fi
}

step "a filesystem without hard links"
for error in EPERM EOPNOTSUPP EXDEV; do
  rm -rf "$CUDAENV_ROOT"
  refusing "link,linkat:error=$error" "${install[@]}"
  assert_status 0 "install without hard links"
  assert_refused "links"
  must "$CUDAENV" verify 12.1
  assert_equal "files with two names" "" \
    "$(find "$CUDAENV_ROOT/cuda-12.1.1" -type f -links +1)"
done

step "a filesystem that cannot exchange two names, nor tell a new one"
for error in EINVAL ENOSYS; do
  rm -rf "$CUDAENV_ROOT"
  refusing "renameat2:error=$error" "${install[@]}"
  assert_status 0 "install without renameat2"
  assert_refused "renameat2"
  refusing "renameat2:error=$error" "${install[@]}" --with cudnn
  assert_status 0 "a change without renameat2"
  must "$CUDAENV" verify 12.1
  must "$CUDAENV" which cudnn
  refusing "renameat2:error=$error" "$CUDAENV" uninstall 12.1 --force
  assert_status 0 "uninstall without renameat2"
  assert_equal "what is left" "" "$(find "$CUDAENV_ROOT" -maxdepth 1 -name 'cuda*')"
done

step "F55: a filesystem without locks"
for error in ENOLCK EOPNOTSUPP ENOSYS; do
  rm -rf "$CUDAENV_ROOT"
  refusing "flock:error=$error" "${install[@]}"
  assert_status 0 "install without locks"
  assert_refused "locks"
  assert_equal "how often that is said" 1 "$(grep -c "has no locks: run one cudaenv" <<<"$err")"
  must "$CUDAENV" verify 12.1
  for words in "default 12.1" "default --unset"; do
    # shellcheck disable=SC2086
    refusing "flock:error=$error" "$CUDAENV" $words
    assert_status 0 "$words without locks"
    assert_contains "$words without locks" "$err" "has no locks"
  done
  # Nobody can see another one's install: what it may count on stays for a week.
  rm -rf "$CUDAENV_ROOT/cuda-12.1.1"
  touch "$CUDAENV_ROOT/.state/downloads/young.partial"
  refusing "flock:error=$error" "$CUDAENV" gc
  assert_status 0 "gc without locks"
  assert_equal "young entries of the store" 5 "$(find "$CUDAENV_ROOT/.state/store" -mindepth 1 \
    -maxdepth 1 | wc -l)"
  assert_exists "$CUDAENV_ROOT/.state/downloads/young.partial"
  find "$CUDAENV_ROOT/.state/store" "$CUDAENV_ROOT/.state/downloads" -mindepth 1 -maxdepth 1 \
    -exec touch -d '9 days ago' {} +
  refusing "flock:error=$error" "$CUDAENV" gc
  assert_equal "old entries" "" "$(find "$CUDAENV_ROOT/.state/store" \
    "$CUDAENV_ROOT/.state/downloads" -mindepth 1 -maxdepth 1)"
done
refusing "flock:error=EIO" "$CUDAENV" default --unset
assert_status 1 "a lock that fails otherwise"
assert_contains "a lock that fails otherwise" "$err" "cannot lock"

# From the n-th call of a thread on each fails, until no thread of an install has an n-th call.
step "a quota or a disk that is used up at any call"
used_up() {  # calls, errno, word in the error
  local calls=$1 error=$2 word=$3 n runs=0
  for ((n = 1; ; n += stride)); do
    rm -rf "$CUDAENV_ROOT"
    refusing "$calls:error=$error:when=$n+" "${install[@]}"
    if [[ $(refused) -eq 0 ]]; then break; fi
    runs=$((runs + 1))
    assert_status 1 "$error at call $n of $calls"
    assert_contains "$error at call $n of $calls" "$err" "$word"
    assert_contains "$error at call $n of $calls" "$err" "help: "
    assert_contains "$error at call $n of $calls" "$err" "still needed are about"
    assert_whole_or_absent "$error at call $n of $calls"
    must "${install[@]}"
    must "$CUDAENV" verify 12.1
    assert_exists "$CUDAENV_ROOT/cuda-12.1/bin/nvcc"
    # The default is the user's choice where the toolkit is there: a second install asks for none.
    must "$CUDAENV" default 12.1
    # An archive stays where the disk failed right after its files were stored.
    must "$CUDAENV" gc
    assert_equal "what $error at call $n of $calls left over" "" \
      "$(find "$CUDAENV_ROOT/.state/staging" "$CUDAENV_ROOT/.state/trash" \
        "$CUDAENV_ROOT/.state/downloads" -mindepth 1 2>/dev/null)"
  done
  assert_status 0 "an install with fewer than $n calls of $calls"
  [[ $runs -ge 2 ]] || fail "only $runs calls of $calls were refused"
  echo "   $error: $runs of $((n - stride)) calls of $calls"
}
used_up mkdir,mkdirat EDQUOT "disk quota exceeded"
used_up symlink,symlinkat,link,linkat ENOSPC "no space left on device"
used_up rename,renameat2 EDQUOT "disk quota exceeded"
used_up fsync,syncfs ENOSPC "no space left on device"

# What was called off because of it must not be taken for the cause.
step "a download that cannot be stored while other archives are unpacked"
for _ in {1..8}; do
  rm -rf "$CUDAENV_ROOT"
  refusing "rename,renameat2:error=EDQUOT:when=4+" "${install[@]}" --jobs 4
  assert_status 1 "a quota that is used up by a download"
  assert_contains "a quota that is used up by a download" "$err" "disk quota exceeded"
done
