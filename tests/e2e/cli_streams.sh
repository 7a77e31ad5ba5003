#!/usr/bin/env bash
# Which stream says what, JSON, exit statuses, broken streams, and roots of every kind.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
build_tree
start_mirror "$scratch/served"
from_mirror=(--profile minimal --platform linux-x86_64 --mirror "$mirror_url" --trust-mirror)

# The last run's stdout, parsed; prints what a Python expression makes of it.
json() {  # expression over `j`
  python3 -c "import json, sys; j = json.load(sys.stdin); print($1)" <<<"$out" ||
    fail "not the JSON expected for $1: $out"
}

assert_streams() {  # what, then "data", "talk" or both, as the last run is to have said
  local what=$1 data="" talk="" word
  shift
  for word in "$@"; do declare "$word=1"; done
  assert_status 0 "$what"
  if [[ -n $data ]]; then [[ -n $out ]] || fail "$what prints nothing"; fi
  if [[ -z $data ]]; then assert_equal "stdout of $what" "" "$out"; fi
  if [[ -n $talk ]]; then [[ -n $err ]] || fail "$what says nothing"; fi
  if [[ -z $talk ]]; then assert_equal "stderr of $what" "" "$err"; fi
  [[ $out$err != *$'\x1b'* ]] || fail "an escape in the piped output of $what"
}

step "without a toolkit"
run "$CUDAENV" list
assert_streams "list of nothing" talk
run "$CUDAENV" list -q
assert_streams "list -q of nothing"
run "$CUDAENV" list --json
assert_streams "list --json of nothing" data
assert_equal "the empty list" "1 []" "$(json '*j.values()')"
run env CUDAENV_PROFILE=minimal "$CUDAENV" env
assert_streams env data
run env CUDAENV_PROFILE=minimal "$CUDAENV" env --json
assert_streams "env --json" data
assert_equal "a variable that is set, and one that is not" "minimal None" "$(json \
  '*[{v["name"]: v["value"] for v in j}[n] for n in ("CUDAENV_PROFILE", "CUDAENV_MIRROR")]')"
assert_equal "its fields" "['from', 'key', 'meaning', 'name', 'value']" "$(json 'sorted(j[0])')"

step "statuses of --check, plans and installs"
run "$CUDAENV" install 12.1 "${from_mirror[@]}" --check
assert_status 3 "--check before"
assert_equal "stdout of --check" "" "$out"
run "$CUDAENV" install 12.1 "${from_mirror[@]}" --dry-run
assert_streams "a plan" data
run "$CUDAENV" install 12.1 "${from_mirror[@]}" --dry-run --json
assert_streams "a plan as JSON" data
assert_equal "the plan" "1 12.1.1 linux-x86_64 True 5 5" "$(json '*[j[k] for k in
  ("schema", "cuda", "platform", "changes", "fetch_count")], len(j["parts"])')"
assert_equal "its sizes" True "$(json 'j["fetch_bytes"] == sum(p["size"] for p in j["parts"])')"
assert_equal "fields of a part" "component filter lacks product sha256 size stored urls version" \
  "$(json '*sorted(j["parts"][0])')"
run "$CUDAENV" install 12.1 "${from_mirror[@]}"
assert_streams install talk
assert_contains "what install says" "$err" "installed CUDA 12.1.1 in $CUDAENV_ROOT/cuda-12.1.1"
assert_contains "what install says" "$err" "it is the default now"
run "$CUDAENV" install 12.1 "${from_mirror[@]}" --check
assert_streams "--check after"
run "$CUDAENV" install 12.2 "${from_mirror[@]}" --quiet
assert_streams "install --quiet"
run env -u CUDAENV_ACCEPT_EULA "$CUDAENV" install 12.1 "${from_mirror[@]}" --name again \
  --with cudnn
assert_streams "install without a word about the licence" talk

step "what is printed of toolkits"
run "$CUDAENV" list
assert_streams list data
assert_equal "lines of the list" 3 "$(wc -l <<<"$out")"
run env CUDA_HOME="$CUDAENV_ROOT/cuda-12.2.0" "$CUDAENV" list --json --size
assert_streams "list --json" data
assert_equal "the list" "cuda-12.1.1 True False cuda-12.2.0 False True cuda-again False False" \
  "$(json '*[p[k] for p in sorted(j["prefixes"], key=lambda p: p["name"])
     for k in ("name", "default", "active")]')"
assert_equal "the fields" "active components cuda default disk_bytes frees_bytes installed_at \
lacking name path platform profile source" "$(json '*sorted(j["prefixes"][0])')"
run "$CUDAENV" default
assert_streams default data
assert_equal "the default" "$CUDAENV_ROOT/cuda-12.1.1" "$out"
run "$CUDAENV" default --json
assert_streams "default --json" data
assert_equal "the default as JSON" "1 $CUDAENV_ROOT/cuda $CUDAENV_ROOT/cuda-12.1.1" \
  "$(json '*j.values()')"
run "$CUDAENV" default 12.2
assert_streams "a new default" talk
run "$CUDAENV" default 12.1 --json
assert_streams "a new default as JSON" data
assert_equal "the new default" "$CUDAENV_ROOT/cuda-12.1.1" "$(json 'j["prefix"]')"
for words in "which nvcc" "prefix" "prefix 12.2"; do
  # shellcheck disable=SC2086
  run "$CUDAENV" $words
  assert_streams "$words" data
  assert_exists "$out"
done
run "$CUDAENV" verify --all
assert_streams verify talk
run "$CUDAENV" verify 12.1 --json -q
assert_streams "verify --json" data
assert_equal "a whole toolkit" "cuda-12.1.1 True []" \
  "$(json '*[j["prefixes"][0][k] for k in ("name", "ok", "damages")]')"
run "$CUDAENV" gc --dry-run
assert_streams "gc with nothing to remove" talk
run "$CUDAENV" list --remote --mirror "$mirror_url" --trust-mirror
assert_streams "list --remote" data
assert_contains "what the mirror has" "$out" "12.2.0  installed"
run "$CUDAENV" list -r cudnn --json --mirror "$mirror_url" --trust-mirror
assert_equal "the mirror's cuDNN" "cudnn True" \
  "$(json '*(j["product"], "8.9.2" in [r["version"] for r in j["releases"]])')"

step "a damaged toolkit, made anew as advised"
# Prefixes share files: a change in one is a change in all that have it.
echo more >>"$CUDAENV_ROOT/cuda-again/include/cuda_nvcc.h"
run "$CUDAENV" verify cuda-again --json
assert_status 1 "verify --json of a damaged toolkit"
assert_equal "the damage" "changed include/cuda_nvcc.h" \
  "$(json '*j["prefixes"][0]["damages"][0].values()')"
for name in cuda-again cuda-12.1.1; do
  run "$CUDAENV" verify "$name"
  assert_status 1 "verify of a damaged toolkit"
  assert_contains "the damage" "$out" "$name: changed include/cuda_nvcc.h"
  # shellcheck disable=SC2016
  advice=$(sed -n 's/.*make it anew with `cudaenv \(.*\)`$/\1/p' <<<"$err")
  # shellcheck disable=SC2086
  must "$CUDAENV" $advice "${from_mirror[@]:2}"
  must "$CUDAENV" verify "$name"
done
must "$CUDAENV" which cudnn cuda-again
must "$CUDAENV" uninstall cuda-again

step "streams that are closed, full, or left early"
status=0
{ sleep 0.2; "$CUDAENV" list 2>"$scratch/.err" || echo $? >"$scratch/.status"; } | true
[[ ! -e $scratch/.status ]] || fail "a reader that has gone: status $(<"$scratch/.status")"
assert_equal "what is said to it" "" "$(<"$scratch/.err")"
for words in "list" "list --json" "prefix" "--help" "env --json" "verify --json" "--version"; do
  status=0
  # shellcheck disable=SC2086
  "$CUDAENV" $words >/dev/full 2>"$scratch/.err" || status=$?
  assert_equal "status of $words on a full disk" 1 "$status"
  assert_contains "$words on a full disk" "$(<"$scratch/.err")" \
    "error: cannot write to standard output"
  status=0
  # shellcheck disable=SC2086
  "$CUDAENV" $words >&- 2>"$scratch/.err" || status=$?
  assert_equal "status of $words without stdout" 1 "$status"
done
# A file that is opened while a standard stream is closed must not take its place.
must "$CUDAENV" uninstall 12.2
for closed in '2>&-' '<&- >&- 2>&-'; do
  eval "\"\$CUDAENV\" install 12.2 \"\${from_mirror[@]}\" $closed" || fail "install with $closed"
  must "$CUDAENV" verify 12.2
  must "$CUDAENV" uninstall 12.2
  run grep -rlE '^(fetching|unpacked|putting|installed) ' "$CUDAENV_ROOT"
  assert_equal "files that what was said went into" "" "$out"
done

step "surroundings"
run env -u HOME "$CUDAENV" list
assert_streams "list without HOME" data
run env -u HOME -u CUDAENV_CACHE_DIR "$CUDAENV" install 12.2 "${from_mirror[@]}" --dry-run
assert_streams "a plan without HOME" data
run env CUDAENV_ROOT=relative/root "$CUDAENV" list
assert_status 2 "a relative root"
assert_contains "a relative root" "$err" "not an absolute path"
# shellcheck disable=SC2016
for root in "with space 'quo\"te" 'größe $HOME * back\slash'; do
  export CUDAENV_ROOT="$scratch/$root"
  must "$CUDAENV" install 12.1 "${from_mirror[@]}"
  must "$CUDAENV" which nvcc
  assert_equal "nvcc in '$root'" "$CUDAENV_ROOT/cuda-12.1.1/bin/nvcc" "$out"
  must "$CUDAENV" exec 12.1 -- nvcc "a  b"
  assert_equal "what exec runs in '$root'" "cuda_nvcc 12.1.1.7 a  b" "$out"
  must "$CUDAENV" list --json
  assert_equal "the path in JSON" "$CUDAENV_ROOT/cuda-12.1.1" "$(json 'j["prefixes"][0]["path"]')"
  must "$CUDAENV" verify
  must "$CUDAENV" uninstall 12.1 --force
done

step "a root of somebody else"
if [[ $EUID -ne 0 ]] || ! command -v setpriv >/dev/null; then
  echo "   left out: needs root and setpriv"
  exit 0
fi
export CUDAENV_ROOT=$scratch/root
mkdir "$scratch/bin"
cp "$(dirname "$CUDAENV")"/cudaenv "$(dirname "$CUDAENV")"/cudaenv-full "$scratch/bin"
chmod 755 "$scratch" "$scratch/bin" "$CUDAENV_ROOT"
# Whatever the umask of whoever installs, others can use a shared root.
(umask 077 && "$CUDAENV" uninstall 12.1 --force && rm -rf "$CUDAENV_ROOT" &&
  "$CUDAENV" install 12.1 "${from_mirror[@]}") 2>"$scratch/.err" || fail "$(<"$scratch/.err")"
assert_equal "what others cannot read" "" "$(find "$CUDAENV_ROOT" \( -type d ! -perm -005 -o \
  -type f ! -perm -004 -o -perm /022 -type d \) -printf '%m %p\n')"
other=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent
  "CUDAENV_CACHE_DIR=$scratch/other-cache" "$scratch/bin/cudaenv")
before=$(find "$CUDAENV_ROOT" | sort)
run "${other[@]}" list
assert_streams "list of a stranger" data
run "${other[@]}" verify
assert_streams "verify of a stranger" talk
for words in "which nvcc" "prefix 12.1" default "exec 12.1 -- nvcc" "gc --dry-run" \
  "verify --all" "install 12.1 ${from_mirror[*]}"; do
  # shellcheck disable=SC2086
  must "${other[@]}" $words
done
for words in "install 12.2 ${from_mirror[*]}" "uninstall 12.1 --force" "default --unset"; do
  # shellcheck disable=SC2086
  run "${other[@]}" $words
  assert_status 1 "$words in somebody else's root"
  assert_contains "$words in somebody else's root" "${err,,}" "permission denied"
done
assert_equal "the root after that" "$before" "$(find "$CUDAENV_ROOT" | sort)"
