#!/usr/bin/env bash
# Receipts and file lists that are newer, damaged, lost or somebody else's: every command says so,
# and none deletes what it cannot know to be cudaenv's.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
build_tree
start_mirror "$scratch/served"
from_mirror=(--profile minimal --platform linux-x86_64 --mirror "$mirror_url" --trust-mirror)
must "$CUDAENV" install 12.1 "${from_mirror[@]}"
must "$CUDAENV" install 12.2 "${from_mirror[@]}"
cp -a "$CUDAENV_ROOT" "$scratch/template"
prefix=$CUDAENV_ROOT/cuda-12.1.1
receipt=$prefix/.cudaenv/receipt.json
list=$prefix/.cudaenv/files.tsv

# Both toolkits again as they were installed.
begin() {
  rm -rf "$CUDAENV_ROOT" "$scratch/elsewhere"
  cp -a "$scratch/template" "$CUDAENV_ROOT"
}

# All names, kinds, modes, sizes and link targets of the root, but for the state.
tree() { (cd "$1" && find . -path ./.state -prune -o -printf '%p %y %m %s %l\n' | sort); }

assert_untouched() {  # after what
  assert_equal "the root after $1" "$before" "$(tree "$CUDAENV_ROOT")"
}

# What is said of a toolkit whose receipt cannot be read, and that nothing is done to it.
refused_by_all() {  # what is damaged, the reason that is to be told
  local what=$1 why=$2 words
  before=$(tree "$CUDAENV_ROOT")
  run timeout 20 "$CUDAENV" list
  assert_status 0 "list with $what"
  assert_contains "list with $what" "$err" "$why"
  assert_contains "list with $what" "$out" 12.2.0
  for words in "which nvcc 12.1" "prefix 12.1.1" "verify cuda-12.1.1" "default 12.1" \
    "uninstall 12.1" "uninstall 12.1 --force" "exec 12.1 -- true" "uninstall cudnn --from 12.1" \
    "install 12.1 ${from_mirror[*]}" "install 12.1 ${from_mirror[*]} --force" \
    "install 12.1 ${from_mirror[*]} --with cudnn" "verify --all"; do
    # shellcheck disable=SC2086
    run timeout 20 "$CUDAENV" $words
    assert_status 1 "$words with $what"
    assert_contains "$words with $what" "$err" "$why"
    [[ $words == verify* ]] || assert_contains "$words with $what" "$err" "help: "
    [[ $err != *"cudaenv install 12.1\`"* ]] || fail "$words with $what advises what fails: $err"
  done
  assert_contains "verify --all with $what" "$err" "cuda-12.2.0: whole"
  run "$CUDAENV" gc
  assert_status 0 "gc with $what"
  assert_contains "gc with $what" "$err" "$why"
  assert_equal "the store after gc with $what" "$(ls "$scratch/template/.state/store")" \
    "$(ls "$CUDAENV_ROOT/.state/store")"
  assert_untouched "all commands with $what"
}

step "receipts that cannot be read"
damage() {  # how
  local elsewhere=$scratch/elsewhere
  case $1 in
    newer) sed -i 's/"schema": 1/"schema": 7/' "$receipt" ;;
    edited) sed -i 's/"cuda": "12.1.1"/"cuda": 12/' "$receipt" ;;
    truncated) truncate -s 300 "$receipt" ;;
    empty) : >"$receipt" ;;
    lost) rm "$receipt" ;;
    folder) rm "$receipt" && mkdir "$receipt" && touch "$receipt/mine" ;;
    pipe) rm "$receipt" && mkfifo "$receipt" ;;
    dangling) rm "$receipt" && ln -s "$elsewhere" "$receipt" ;;
    link) mv "$receipt" "$elsewhere" && ln -s "$elsewhere" "$receipt" ;;
    linked_folder) mv "$prefix/.cudaenv" "$elsewhere" && ln -s "$elsewhere" "$prefix/.cudaenv" ;;
    huge) truncate -s 3G "$receipt" ;;
    binary) printf '\0\1\2\xff\xfe{"schema": 1' >"$receipt" ;;
    climbing) sed -i 's#"name": "cuda-12.1.1"#"name": "../../etc"#' "$receipt" ;;
    absolute) sed -i 's#"name": "cuda_nvcc"#"name": "/etc/passwd"#' "$receipt" ;;
  esac
}
while read -r how why; do
  begin
  echo "   $how"
  damage "$how"
  refused_by_all "a receipt: $how" "$why"
done <<'END'
newer its schema is 7, this cudaenv knows 1
edited `cuda` is not a string
truncated it is not JSON
empty it is empty
lost it has lost its receipt
folder its receipt is not a file
pipe its receipt is not a file
dangling its receipt is not a file
link its receipt is not a file
linked_folder its `.cudaenv` is not a folder
huge is larger than
binary it is not JSON
climbing `name` is `../../etc`
absolute is `/etc/passwd`, which is not a name
END

step "a receipt that may not be read"
if [[ $EUID -eq 0 ]]; then
  echo "   left out: root may read it"
else
  begin
  chmod 0 "$receipt"
  refused_by_all "a receipt: forbidden" "ermission denied"
fi

step "the advice about a damaged receipt can be followed"
begin
: >"$receipt"
run "$CUDAENV" which nvcc
assert_status 1 "which with a damaged default"
assert_contains "which with a damaged default" "$err" "it is empty"
run "$CUDAENV" install 12.1 "${from_mirror[@]}"
# shellcheck disable=SC2016
advice=$(sed -n 's/^help: .*`\(mv [^`]*\)`.*/\1/p' <<<"$err")
[[ $advice == "mv "* ]] || fail "no advice: $err"
eval "$advice"
must "$CUDAENV" install 12.1 "${from_mirror[@]}"
must "$CUDAENV" verify 12.1
assert_exists "$prefix.old/bin/nvcc"

step "keys of the future are ignored, and a change keeps the toolkit whole"
begin
sed -i 's/"schema": 1,/"schema": 1, "colour": {"a": [1]},/' "$receipt"
must "$CUDAENV" install 12.1 "${from_mirror[@]}" --with cudnn
must "$CUDAENV" verify 12.1

step "a receipt that names archives which are not there deletes nothing else"
begin
printf -v zeros '%064d' 0
sed -i "s/\"sha256\": \"[0-9a-f]*\"/\"sha256\": \"$zeros\"/" "$receipt"
must "$CUDAENV" gc
must "$CUDAENV" verify --all

step "file lists that cannot be read"
damage_list() {  # how
  case $1 in
    climbing) sed -i 's#\tbin/nvcc$#\t../../../etc/passwd#' "$list" ;;
    absolute) sed -i 's#\tbin/nvcc$#\t/etc/passwd#' "$list" ;;
    truncated) truncate -s 300 "$list" ;;
    shortened) sed -i '$d' "$list" ;;
    newer) sed -i '1s/\t1\t/\t9\t/' "$list" ;;
    missing) rm "$list" ;;
    folder) rm "$list" && mkdir "$list" ;;
    pipe) rm "$list" && mkfifo "$list" ;;
    huge) truncate -s 3G "$list" ;;
    binary) head -c 100 /dev/zero >"$list" ;;
  esac
}
while read -r how why; do
  begin
  echo "   $how"
  damage_list "$how"
  before=$(tree "$CUDAENV_ROOT")
  for words in list "which nvcc 12.1" "exec 12.1 -- nvcc" "install 12.1 ${from_mirror[*]}" gc; do
    # shellcheck disable=SC2086
    must timeout 20 "$CUDAENV" $words
  done
  run timeout 20 "$CUDAENV" verify --all
  assert_status 1 "verify with a list: $how"
  assert_contains "verify with a list: $how" "$out" "$why"
  assert_contains "verify with a list: $how" "$err" "cuda-12.2.0: whole"
  # shellcheck disable=SC2016
  advice=$(sed -n 's/.*cuda-12.1.1 is damaged; make it anew with `cudaenv \(.*\)`$/\1/p' <<<"$err")
  must "$CUDAENV" default 12.2
  before=$(tree "$CUDAENV_ROOT")
  for words in "uninstall 12.1" "install 12.1 --with cudnn ${from_mirror[*]}"; do
    # shellcheck disable=SC2086
    run timeout 20 "$CUDAENV" $words
    assert_status 1 "$words with a list: $how"
    assert_contains "$words with a list: $how" "$err" "$why"
    assert_contains "$words with a list: $how" "$err" "--force"
  done
  assert_untouched "a list: $how"
  # shellcheck disable=SC2086
  must "$CUDAENV" $advice "${from_mirror[@]:2}"
  must "$CUDAENV" verify 12.1
done <<'END'
climbing `..` part
absolute its path is absolute
truncated it is cut off
shortened it should list
newer it was written by a newer cudaenv
missing is missing
folder is not a file
pipe is not a file
huge is larger than
binary it is cut off
END

step "a list that names files of others takes none of them"
begin
echo mine >"$prefix/mine"
sed -i -e '1s/.*/cudaenv-files\t1\t35/' -e '$a f\t0644\t5\t\t\tmine' "$list"
run "$CUDAENV" verify 12.1
assert_status 0 "verify with a file more in the list"
sed -i -e '$d' -e '1s/.*/cudaenv-files\t1\t34/' "$list"
for words in "uninstall 12.1" "install 12.1 --with cudnn ${from_mirror[*]}"; do
  # shellcheck disable=SC2086
  run "$CUDAENV" $words
  assert_status 1 "$words over a file of somebody else"
  assert_contains "$words over a file of somebody else" "$err" "1 file that cudaenv did not put"
  assert_equal "the file" mine "$(<"$prefix/mine")"
done
must "$CUDAENV" install 12.1 --with cudnn --force "${from_mirror[@]}"
[[ ! -e $prefix/mine ]] || fail "--force kept a file that it says goes"
must "$CUDAENV" verify 12.1

step "folders and links of others in a toolkit's place"
for kind in folder link dangling; do
  begin
  mkdir "$scratch/elsewhere"
  mv "$prefix" "$scratch/elsewhere/toolkit"
  case $kind in
    folder) mkdir -p "$prefix/bin" && echo theirs >"$prefix/bin/nvcc" ;;
    link) ln -s "$scratch/elsewhere/toolkit" "$prefix" ;;
    dangling) ln -s "$scratch/nowhere" "$prefix" ;;
  esac
  before=$(tree "$CUDAENV_ROOT")
  for words in "install 12.1 --force ${from_mirror[*]}" \
    "install 12.1 --with cudnn ${from_mirror[*]}" "uninstall 12.1" "uninstall 12.1 --force"; do
    # shellcheck disable=SC2086
    run "$CUDAENV" $words
    assert_status 1 "$words where a $kind of others is"
    assert_untouched "$words where a $kind of others is"
  done
  must "$CUDAENV" gc
  assert_untouched "gc where a $kind of others is"
  assert_exists "$scratch/elsewhere/toolkit/bin/nvcc"
done
begin
rm "$CUDAENV_ROOT/cuda-12.1"
mkdir -p "$CUDAENV_ROOT/cuda-12.1/bin"
echo theirs >"$CUDAENV_ROOT/cuda-12.1/bin/nvcc"
must "$CUDAENV" install 12.1 --with cudnn "${from_mirror[@]}"
must "$CUDAENV" uninstall 12.1 --force
assert_equal "NVIDIA's own cuda-12.1" theirs "$(<"$CUDAENV_ROOT/cuda-12.1/bin/nvcc")"

step "store entries that are damaged are fetched again"
entry_of() { grep -l "$1" "$CUDAENV_ROOT"/.state/store/*/files.tsv | head -n 1; }
for how in edited truncated lost_list lost_file lost_tree pipe shorter_file; do
  begin
  entry=$(dirname "$(entry_of 'include/cuda_nvcc.h')")
  case $how in
    edited) sed -i 's#include/cuda_nvcc.h#../../../../etc/passwd#' "$entry/files.tsv" ;;
    truncated) truncate -s 100 "$entry/files.tsv" ;;
    lost_list) rm "$entry/files.tsv" ;;
    lost_file) rm "$entry/tree/bin/nvcc" ;;
    lost_tree) rm -r "$entry/tree" ;;
    pipe) rm "$entry/tree/bin/nvcc" && mkfifo "$entry/tree/bin/nvcc" ;;
    shorter_file) rm "$entry/tree/bin/nvcc" && echo x >"$entry/tree/bin/nvcc" ;;
  esac
  for spec in 12.1 12.2; do
    must timeout 20 "$CUDAENV" install "$spec" --name "again-$spec" "${from_mirror[@]}"
  done
  must "$CUDAENV" verify --all
done
