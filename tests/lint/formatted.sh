#!/bin/sh
# Holds that the C++ files are as clang-format 14 leaves them: formatted.sh ROOT
# Other versions format a little differently, so without that one the check is skipped.
set -eu

root=$1
for formatter in clang-format-14 clang-format; do
  if command -v "$formatter" >/dev/null && "$formatter" --version | grep -q 'version 14\.'; then
    cd "$root"
    find src tests tools -name '*.[ch]pp' -print0 |
      xargs -0 --no-run-if-empty "$formatter" --dry-run -Werror --style=file
    exit 0
  fi
done
echo 'SKIP: clang-format 14 is not installed'
exit 77
