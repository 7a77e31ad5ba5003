#!/usr/bin/env bash
# shellcheck disable=SC2016
# Toolkits in shells that show no prompt: login shells by /etc/profile.d, `ssh HOST CMD`, cron,
# batch jobs, and what sudo leaves of an environment.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
build_tree
start_mirror "$scratch/served"
CUDAENV_ROOT="$scratch/it's a \$(touch ran) root"
mkdir "$CUDAENV_ROOT"
install_toolkit 12.1 -q
nvcc=$CUDAENV_ROOT/cuda-12.1.1/bin/nvcc

# The line of the README, in a file that shells read when they start.
profile() {  # spec
  printf 'if [ -x "%s" ]; then eval "$("%s" use %s --shell sh)"; fi\n' "$CUDAENV" "$CUDAENV" "$1"
}
profile 12.1 >"$scratch/cuda.sh"
profile 99 >"$scratch/missing.sh"
printf 'eval "$(%s/gone use 12.1)"\n' "$scratch" >"$scratch/gone.sh"

# An environment as cron, sshd and sudo make it.
bare() {
  run env -i HOME="$HOME" PATH=/usr/sbin:/usr/bin:/sbin:/bin CUDAENV_ROOT="$CUDAENV_ROOT" "$@"
  [[ -z $(find "$scratch" -name ran) ]] || fail "a command out of a name ran: $*"
}

step "F24: a file of profile.d, read by each shell, in strict mode too"
for shell in sh dash bash zsh ksh mksh "busybox sh"; do
  read -ra words <<<"$shell"
  command -v "${words[0]}" >/dev/null || { echo "(no $shell)"; continue; }
  for options in "" "set -eu; "; do
    bare "${words[@]}" -c "$options. '$scratch/cuda.sh'; echo \"\${PATH%%:*}/nvcc\"; echo \$CUDA_HOME"
    assert_equal "$shell $options" "$nvcc"$'\n'"${nvcc%/bin/nvcc}" "$out"
    assert_equal "stderr of $shell $options" "" "$err"
  done
done

step "a login that goes on where a toolkit or cudaenv itself is gone"
for file in missing gone; do
  bare sh -c ". '$scratch/$file.sh'; echo \"in: \${CUDA_HOME-unset}\""
  assert_equal "stdout after $file" "in: unset" "$out"
done
bare sh -c ". '$scratch/missing.sh'"
assert_contains "why" "$err" "no installed toolkit matches \`99\`"

step "login shells, and bash's file for scripts"
cp "$scratch/cuda.sh" "$HOME/.bash_profile"
bare bash -l -c 'command -v nvcc'
assert_equal "bash -l" "$nvcc" "$out"
if command -v zsh >/dev/null; then
  cp "$scratch/cuda.sh" "$HOME/.zshenv"
  bare zsh -c 'command -v nvcc'
  assert_equal "zsh by .zshenv" "$nvcc" "$out"
fi
bare env BASH_ENV="$scratch/cuda.sh" bash -c 'command -v nvcc; bash -c "command -v nvcc"'
assert_equal "BASH_ENV" "$nvcc"$'\n'"$nvcc" "$out"

step "one login in another adds nothing"
cp "$scratch/cuda.sh" "$HOME/.bash_profile"
bare bash -l -c 'bash -l -c "bash -l -c env"'
assert_equal "entries in PATH" 1 \
  "$(sed -n 's/^PATH=//p' <<<"$out" | tr ':' '\n' | grep -cF "${nvcc%/nvcc}")"

step "F24: exec needs no environment and keeps status and streams"
bare "$CUDAENV" exec 12.1 -- nvcc
assert_status 0 "exec"
bare "$CUDAENV" exec 12.1 -- sh -c 'cat; echo "$CUDA_HOME" >&2; exit 7' </dev/null
assert_status 7 "the command's own status"
assert_equal "the command's stderr" "${nvcc%/bin/nvcc}" "$err"
bare "$CUDAENV" exec 12.1 -- sh -c 'kill -9 $$'
assert_status 137 "the command's signal"
bare env -u HOME "$CUDAENV" exec 12.1 -- true
assert_status 0 "without HOME"

step "an image has it by an ENV instruction or an env file"
CUDAENV_ROOT=$scratch/plain
mkdir "$CUDAENV_ROOT"
install_toolkit 12.1 -q
must "$CUDAENV" use 12.1 --format dotenv
printf '%s\n' "$out" >"$scratch/env"
run env -i sh -c "set -a; . '$scratch/env'; command -v nvcc"
assert_equal "by an env file" "$scratch/plain/cuda-12.1.1/bin/nvcc" "$out"
