#!/usr/bin/env bash
# What cudaenv says, compared with the texts under tests/golden/ (see cli_support.sh).
# The empty environment of lib.sh would lose the wish to accept.
if [[ -n ${CUDAENV_ACCEPT:-} ]]; then set -- accept; fi
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"
# shellcheck disable=SC2034
accept=${1:-}

need_bare_machine
build_tree
start_mirror "$scratch/served"
from_mirror=(--mirror "$mirror_url" --trust-mirror --platform linux-x86_64)
minimal=(--profile minimal "${from_mirror[@]}")

step "help"
golden_begin help
show --help
show --version
commands=$("$CUDAENV" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p')
assert_contains "the commands" "$commands" install
for command in $commands; do show "$command" --help; done
golden_end

step "wrong usage"
golden_begin usage
show
show frobnicate
show instal 12.1
show --frobnicate
show list --frobnicate
show install 12.1 --prfile dev
show install 12.1 12.2
show install
show install 12.1 --jobs 0
show install 12.1 --jobs many
show install 12.1 --mirror
show install 12.1 --json
show list cudnn
show default 12.1 --unset
show exec
show exec 12.1
show which
show which ../nvcc
show uninstall
golden_end

step "specs, components, profiles, platforms, sources that are none"
golden_begin specs
show install ''
show install ';rm'
show install 12.08
show install 12..1
show install ../12.1
show install 11.2 --offline
show install 10.2 --offline
show install 12.77 "${minimal[@]}"
show install 12.1.9 "${minimal[@]}"
show install 12.1 --profile huge "${from_mirror[@]}"
show install 12.1 --component cuda_nvc "${from_mirror[@]}"
show install 12.1 --without nothing "${minimal[@]}"
show install 12.1 --platform linux-x86 --mirror "$mirror_url" --trust-mirror
show install 12.1 --platform amiga --mirror "$mirror_url" --trust-mirror
show install 12.1 --source ftp
show install 12.1 --mirror ftp://mirror.example
show install 12.1 --trust-mirror
show install 12.1 --with curl "${minimal[@]}"
show install 12.1 --with cudnn@77 "${minimal[@]}"
show install cudnn@8.9 --for 12.1 "${minimal[@]}"
show install 12.1 --name ../evil "${minimal[@]}"
show install 12.1 "${from_mirror[@]}"
golden_end

step "nothing installed"
golden_begin nothing_installed
show list
show list --json
show prefix
show prefix 12.1
show prefix my-toolkit
show which nvcc
show exec 12.1 -- nvcc
show default 12.1
show verify
show verify --all
show uninstall 12.1
show gc
golden_end

step "plans"
golden_begin plan
show install 12.1 --dry-run "${minimal[@]}"
show install 12.1 --dry-run --json "${minimal[@]}"
show install 12.1 --dry-run --with cudnn --component nvcc,cudart "${from_mirror[@]}"
show install 12.1 --check "${minimal[@]}"
golden_end
[[ -z $(find "$CUDAENV_ROOT" -name 'cuda*') ]] || fail "a plan left something in the root"

step "mirrors that fail"
golden_begin mirrors
from() {  # mirror
  show install 12.1.1 --profile minimal --platform linux-x86_64 --mirror "$1" --trust-mirror -q
}
from "file://$scratch/nowhere"
from http://127.0.0.1:1
for rule in flip:100 html status:404; do
  start_ruled_mirror "$scratch/served" "/compute/cuda/redist/cuda_nvcc/*=$rule"
  from "$ruled_url"
done
start_ruled_mirror "$scratch/served" '/compute/cuda/redist/redistrib_12.1.1.json=html'
from "$ruled_url"
golden_end

step "installed toolkits"
golden_begin installed
show install 12.1 --jobs 1 -q "${minimal[@]}"
show install 12.1 "${minimal[@]}"
show install 12.1 --check "${minimal[@]}"
show install 12.1 --dry-run "${minimal[@]}"
show install 12.2 --set-default -q "${minimal[@]}"
show list
show prefix
show prefix 12
show prefix 12.3
show prefix env
show prefix cuda-12.1.2
show which nvcc
show which nvc
show which cuobjdump 12.1
show exec 12.1 -- nvcc --help
show exec 12.1 nvcc -h
show exec 12.1 -- no-such-program
show default
show default 12.1
show default 12.9
show verify
show verify --all --json
show uninstall 12.1
show gc --dry-run
golden_end

step "files and links of others"
golden_begin foreign
echo mine >"$CUDAENV_ROOT/cuda-12.2.0/mine.txt"
show uninstall 12.2
echo damage >"$CUDAENV_ROOT/cuda-12.1.1/include/cuda_nvcc.h"
rm "$CUDAENV_ROOT/cuda-12.1.1/bin/nvcc"
show verify 12.1
show default --unset
show default --unset
mkdir "$scratch/vendor"
ln -s "$scratch/vendor" "$CUDAENV_ROOT/cuda"
show default 12.2
show default --unset
mkdir -p "$scratch/etc/alternatives"
ln -s "$scratch/vendor" "$scratch/etc/alternatives/cuda"
ln -sfn "$scratch/etc/alternatives/cuda" "$CUDAENV_ROOT/cuda"
show default 12.2
rm "$CUDAENV_ROOT/cuda"
mkdir "$CUDAENV_ROOT/cuda"
show default 12.2 --force
rmdir "$CUDAENV_ROOT/cuda"
ln -s "$scratch/vendor" "$CUDAENV_ROOT/cuda"
show default 12.2 --force
show uninstall 12.2 --force
golden_end
