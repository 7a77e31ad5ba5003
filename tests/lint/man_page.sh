#!/bin/sh
# Holds that mandoc reads the man page without a word: man_page.sh FILE
set -eu

if ! command -v mandoc >/dev/null; then
  echo 'SKIP: mandoc is not installed'
  exit 77
fi
mandoc -T lint -W warning "$1"
