#!/usr/bin/env bash
# Disks and inodes that run out at any point, roots that are read-only, closed, or on another
# filesystem: an error that says what and what to type, nothing half-installed, and once the cause
# is gone the same command completes.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
if [[ $EUID -ne 0 ]]; then skip "only root can mount a small filesystem"; fi
small=$scratch/small
mount_small "$small" size=1m
build_tree
start_mirror "$scratch/served"
wish=("$CUDAENV" install 12.1 --profile minimal --platform linux-x86_64 --jobs 2 --trust-mirror)
install=("${wish[@]}" --mirror "$mirror_url")
export CUDAENV_ROOT=$small/root

assert_nothing_installed() {  # after what
  must "$CUDAENV" list -q
  assert_equal "the list after $1" "" "$out"
  assert_equal "what $1 left in the root" "" \
    "$(find "$CUDAENV_ROOT" -maxdepth 1 -name 'cuda*' 2>/dev/null)"
}

# The last run failed for want of space, and says so.
assert_told_full() {  # what
  assert_status 1 "$1"
  assert_contains "$1" "$err" "error: "
  assert_contains "$1" "$err" "help: "
  [[ $err == *"no space left on device"* || $err == *"not enough"* ]] || fail "$1: $err"
  [[ $err == *"free"* ]] || fail "$1 does not say what is free: $err"
}

assert_completes() {  # after what
  must "${install[@]}"
  must "$CUDAENV" verify 12.1
  assert_equal "what was left over after $1" "" \
    "$(find "$CUDAENV_ROOT/.state/staging" "$CUDAENV_ROOT/.state/trash" \
      "$CUDAENV_ROOT/.state/downloads" -mindepth 1 2>/dev/null)"
}

step "a disk that is too small from the start"
mount_small "$small" size=16k
run "${install[@]}"
assert_told_full "a disk of 16 kB"
assert_contains "a disk of 16 kB" "$err" "there is not enough space in"
assert_contains "a disk of 16 kB" "$err" "are missing"
[[ $err != *fetching* && $err != *unpacked* ]] || fail "something was fetched: $err"

# The estimate counts bytes; small files take a page each. So these pass the check, and run out in
# a download, an unpacked file, a folder, a list, the receipt or a link.
step "F18: a disk that fills in the middle, at every sixth page"
failures=0
for ((kilobytes = 40; kilobytes < 1000; kilobytes += 24)); do
  mount_small "$small" "size=${kilobytes}k"
  run "${install[@]}"
  if [[ $status -eq 0 ]]; then break; fi
  failures=$((failures + 1))
  assert_told_full "a disk of $kilobytes kB"
  assert_nothing_installed "a disk of $kilobytes kB"
  mount -o remount,size=2m "$small"
  assert_completes "a disk of $kilobytes kB"
done
[[ $failures -ge 5 ]] || fail "only $failures disks were too small"

step "inodes that run out, at every seventh"
failures=0
for ((inodes = 12; inodes < 1000; inodes += 7)); do
  mount_small "$small" "size=4m,nr_inodes=$inodes"
  run "${install[@]}"
  if [[ $status -eq 0 ]]; then break; fi
  failures=$((failures + 1))
  assert_told_full "$inodes inodes"
  assert_contains "$inodes inodes" "$err" inodes
  assert_nothing_installed "$inodes inodes"
done
[[ $failures -ge 5 ]] || fail "only $failures filesystems had too few inodes"

# Another writer takes what the check found free, while one archive is still on its way.
step "space that somebody else takes"
mount_small "$small" size=1m
start_ruled_mirror "$scratch/served" '/compute/cuda/redist/cuda_nvcc/*=delay:800'
: >"$scratch/late.err"
"${wish[@]}" --mirror "$ruled_url" >"$scratch/.out" 2>"$scratch/late.err" &
process=$!
for ((i = 0; i < 200; ++i)); do
  [[ $(grep -c '^unpacked' "$scratch/late.err") -lt 4 ]] || break
  sleep 0.05
done
dd if=/dev/zero of="$small/theirs" bs=4k 2>/dev/null || true
status=0
wait "$process" || status=$?
err=$(<"$scratch/late.err")
assert_told_full "a disk that somebody fills"
assert_nothing_installed "a disk that somebody fills"
rm "$small/theirs"
assert_completes "a disk that somebody fills"

step "a toolkit that was there stays whole on a full disk"
dd if=/dev/zero of="$small/theirs" bs=4k 2>/dev/null || true
run "${install[@]}" --with cudnn
assert_status 1 "a change on a full disk"
assert_contains "a change on a full disk" "$err" "help: "
must "$CUDAENV" verify 12.1
must "$CUDAENV" which nvcc
rm "$small/theirs"
must "${install[@]}" --with cudnn
must "$CUDAENV" verify 12.1

step "F52: a root that is read-only"
mount -o remount,ro "$small"
for words in list "which nvcc" "prefix 12.1" verify "verify --all" default "exec 12.1 -- nvcc" \
  "gc --dry-run" "list --size"; do
  # shellcheck disable=SC2086
  must "$CUDAENV" $words
done
must "${install[@]}"  # it is there already
for words in "default --unset" "uninstall 12.1 --force" "install-other"; do
  # shellcheck disable=SC2086
  if [[ $words == install-other ]]; then
    run "${install[@]}" --name other
  else
    run "$CUDAENV" $words
  fi
  assert_status 1 "$words in a read-only root"
  assert_contains "$words in a read-only root" "$err" "read-only file system"
  assert_contains "$words in a read-only root" "$err" "help: "
done
mount -o remount,rw "$small"
must "$CUDAENV" verify 12.1
must "$CUDAENV" uninstall 12.1 --force

step "a root on another filesystem than the cache, and a state on another than its root"
export CUDAENV_CACHE_DIR=$scratch/cache
assert_completes "two filesystems"
must "$CUDAENV" uninstall 12.1 --force
mv "$CUDAENV_ROOT/.state" "$scratch/state"
ln -s "$scratch/state" "$CUDAENV_ROOT/.state"
run "${install[@]}"
assert_status 1 "a state on another filesystem"
assert_contains "a state on another filesystem" "$err" "one filesystem"
assert_nothing_installed "a state on another filesystem"
rm "$CUDAENV_ROOT/.state"

step "a cache that cannot be written"
for CUDAENV_CACHE_DIR in /proc/nowhere /dev/null/below "$scratch/readonly"; do
  export CUDAENV_CACHE_DIR
  rm -rf "$CUDAENV_ROOT"
  assert_completes "a cache in $CUDAENV_CACHE_DIR"
done
