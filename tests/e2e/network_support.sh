# shellcheck shell=bash disable=SC2154
# Installs over a network of servers on this machine, several at once if need be. To be read after
# cli_support.sh.

from_network=(--profile minimal --platform linux-x86_64 --trust-mirror)
declare -A installs

# Begins an install in a root of its own.
start_install() {  # name, mirror, then more arguments
  CUDAENV_ROOT=$scratch/root-$1 CUDAENV_CACHE_DIR=$scratch/cache-$1 "$CUDAENV" install 12.1.1 \
    "${from_network[@]}" --mirror "${@:2}" >"$scratch/$1.out" 2>&1 &
  installs[$1]=$!
  background+=($!)
}

finish_install() {  # name
  wait "${installs[$1]}" || fail "the install $1: $(<"$scratch/$1.out")"
  must env "CUDAENV_ROOT=$scratch/root-$1" "$CUDAENV" verify 12.1.1
  assert_exists "$scratch/root-$1/cuda-12.1.1/nvvm/bulk.bin"
  assert_equal "partial files of $1" "" "$(ls "$scratch/root-$1/.state/downloads")"
}

# Until so much of one file has come.
wait_for_bytes() {  # bytes, name of the install
  local tries
  for ((tries = 0; tries < 200; ++tries)); do
    if [[ -n $(find "$scratch/root-$2/.state/downloads" -name '*.partial' -size "-$(($1 + 1))c" \
      -size "+$(($1 - 1))c" 2>/dev/null) ]]; then return; fi
    sleep 0.1
  done
  fail "$1 bytes never came: $(<"$scratch/$2.out")"
}

# An install that must do, in an empty root.
installs() {  # what, mirror, then variables as NAME=VALUE
  clear_root
  run env "${@:3}" "$CUDAENV" install 12.1.1 "${from_network[@]}" --mirror "$2"
  assert_status 0 "$1"
  must "$CUDAENV" verify 12.1.1
}

# An install that must fail with all these words, in the form of our errors, and leave no prefix.
install_fails() {  # mirror, then words and variables (NAME=VALUE)
  local words=() variables=() word
  for word in "${@:2}"; do
    if [[ $word =~ ^[A-Za-z_]+= ]]; then variables+=("$word"); else words+=("$word"); fi
  done
  clear_root
  run env "${variables[@]}" timeout 20 "$CUDAENV" install 12.1.1 "${from_network[@]}" \
    --mirror "$1" -q
  assert_status 1 "$1 ${words[*]}"
  for word in "${words[@]}"; do assert_contains "the error of $1" "$err" "$word"; done
  [[ $(cut -c 1-6 <<<"$err" | tr '\n' ',') =~ ^error:,(\ \ [^,]*,)+(help:\ ,)+$ ]] ||
    fail "not the form of an error: $err"
  [[ ! -e $CUDAENV_ROOT/cuda-12.1.1 ]] || fail "a prefix in spite of: $err"
}

archive_fails() {  # rule, then words
  serve --root "$scratch/served" --rule "/$nvcc=$1"
  install_fails "$ruled_url" "${@:2}"
  kill "$ruled_process"
}

manifest_fails() {  # rule, then words
  serve --root "$scratch/served" --rule "/compute/cuda/redist/redistrib_12.1.1.json=$1"
  install_fails "$ruled_url" "${@:2}"
  kill "$ruled_process"
}

clear_root() {
  rm -rf "$CUDAENV_ROOT" "$CUDAENV_CACHE_DIR"
  mkdir "$CUDAENV_ROOT"
}
