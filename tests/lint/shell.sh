#!/bin/sh
# Holds that shellcheck has nothing to say about the shell scripts: shell.sh ROOT
set -eu

root=$1
if ! command -v shellcheck >/dev/null; then
  echo 'SKIP: shellcheck is not installed'
  exit 77
fi
cd "$root"

# Written for one shell each that shellcheck knows; fish, csh and the rest are tested by running.
{
  printf '%s\n' bootstrap.sh .ci/run
  find shell tests packaging tools -type f \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' \) \
    2>/dev/null
} | sort -u | tr '\n' '\0' | xargs -0 shellcheck --severity=style --external-sources
