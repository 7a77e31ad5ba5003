#!/usr/bin/env bash
# Fuzzes for SECONDS each, five harnesses at a time: tests/fuzz/run.sh [SECONDS [HARNESS...]]
# Builds them in build/fuzz first. What is learnt stays in build/fuzz/corpus/HARNESS, and is where
# the next run goes on; an input that breaks something is kept in build/fuzz/found/HARNESS.
# FUZZ_SEED makes runs alike, so that a change is not failed by chance. Ends with 0 where nothing
# was found, 1 where something was, 77 without clang's libFuzzer, 2 for wrong usage.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

seconds=${1:-60}
shift $(($# > 0 ? 1 : 0))
case $seconds in
  '' | *[!0-9]*) echo "usage: tests/fuzz/run.sh [SECONDS [HARNESS...]]" >&2; exit 2 ;;
esac

build() {
  local launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake --preset fuzz -DCMAKE_CXX_COMPILER="$1" "${launcher[@]}" >build/fuzz/configure.log 2>&1 ||
    { cat build/fuzz/configure.log; return 1; }
  cmake --build --preset fuzz -j "$(nproc 2>/dev/null || echo 2)" >build/fuzz/build.log 2>&1 ||
    { tail -50 build/fuzz/build.log; return 1; }
}

# fuzz HARNESS: its talk goes to build/fuzz/HARNESS.log.
fuzz() {
  local seeds=tests/fuzz/corpus/$1 learnt=build/fuzz/corpus/$1 found=build/fuzz/found/$1
  local options=(-seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout=20
    -rss_limit_mb=2048 -max_len=4096 -use_value_profile=1 -artifact_prefix="$found/")
  if [ -e "tests/fuzz/$1.dict" ]; then options+=(-dict="tests/fuzz/$1.dict"); fi
  mkdir -p "$learnt" "$found"
  "build/fuzz/bin/fuzz_$1" "${options[@]}" "$learnt" "$seeds" >"build/fuzz/$1.log" 2>&1
}

# tell HARNESS STATUS: one line if all is well, else what and how to see it again.
tell() {
  if [ "$2" = 0 ]; then
    printf '%s: nothing found in %s runs\n' "$1" \
      "$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "build/fuzz/$1.log")"
    return
  fi
  local input
  input=$(sed -n 's/.*Test unit written to //p' "build/fuzz/$1.log" | tail -1)
  printf '%s: FOUND\n' "$1"
  grep -hE 'this does not hold|^SUMMARY|ERROR: (Address|lib)|runtime error' "build/fuzz/$1.log" |
    sed 's/^/  /'
  printf '  see it again: build/fuzz/bin/fuzz_%s %s\n' "$1" "${input:-build/fuzz/corpus/$1}"
}

compiler=$(bash tests/fuzz/compiler.sh)
if [ -z "$compiler" ]; then
  echo 'SKIP: no clang with libFuzzer (Debian: clang-14, libclang-rt-14-dev)'
  exit 77
fi
mkdir -p build/fuzz
build "$compiler" || exit 1

if [ $# -gt 0 ]; then
  harnesses=("$@")
else
  harnesses=()
  for folder in tests/fuzz/corpus/*/; do harnesses+=("$(basename "$folder")"); done
fi
known=$(echo build/fuzz/bin/fuzz_*)
for harness in "${harnesses[@]}"; do
  if [ ! -x "build/fuzz/bin/fuzz_$harness" ]; then
    echo "error: there is no harness $harness; there are: ${known//build\/fuzz\/bin\/fuzz_/}" >&2
    exit 2
  fi
done

# Children of a script do not hear Ctrl-C.
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT
trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM
status=0
for ((i = 0; i < ${#harnesses[@]}; i += 5)); do
  declare -A running=()
  for harness in "${harnesses[@]:i:5}"; do
    fuzz "$harness" &
    running[$harness]=$!
  done
  for harness in "${harnesses[@]:i:5}"; do
    result=0
    wait "${running[$harness]}" || result=$?
    tell "$harness" "$result"
    [ "$result" = 0 ] || status=1
  done
done
exit "$status"
