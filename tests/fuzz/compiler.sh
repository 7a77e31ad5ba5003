#!/usr/bin/env bash
# Prints the compiler that has libFuzzer and the sanitizers; nothing, and status 1, where none has.
set -uo pipefail

scratch=$(mktemp -d) || exit 1
trap 'rm -r "$scratch"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' \
  >"$scratch/probe.cpp"
for compiler in clang++-14 clang++; do
  if "$compiler" -fsanitize=fuzzer,address,undefined "$scratch/probe.cpp" -o "$scratch/probe" \
    2>/dev/null; then
    echo "$compiler"
    exit 0
  fi
done
exit 1
