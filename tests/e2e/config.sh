#!/usr/bin/env bash
# The configuration file: what it says holds for every command, after options and variables.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
[[ ! -e /etc/cudaenv/config.toml ]] || skip "this machine has a configuration of its own"
build_tree
start_mirror "$scratch/served"
unset CUDAENV_ACCEPT_EULA
config=$HOME/.config/cudaenv/config.toml
mkdir -p "${config%/*}"

from() {  # variable; prints value and where it is from
  must "$CUDAENV" env --json
  python3 -c '
import json, sys
for row in json.load(sys.stdin):
    if row["name"] == sys.argv[1]: print(row["value"], row["from"])' "$1" <<<"$out"
}

step "an install by configuration alone"
unset CUDAENV_ROOT
cat >"$config" <<END
# for the whole group
root = "$scratch/configured"
mirrors = ["$mirror_url"]
trust_mirror = true
profile = "minimal"
accept_eula = true
ld_path = false
jobs = 1
END
must "$CUDAENV" install 12.1 --platform linux-x86_64 -q
assert_exists "$scratch/configured/cuda-12.1.1/bin/nvcc"
must "$CUDAENV" prefix 12.1
assert_equal "the front reads it too" "$scratch/configured/cuda-12.1.1" "$out"

step "what a command gets is not the configuration"
must "$CUDAENV" exec 12.1 -- env
[[ $out != *CUDAENV_ROOT=* && $out != *CUDAENV_MIRROR=* ]] || fail "exec passes it on: $out"
[[ $out != *LD_LIBRARY_PATH=* ]] || fail "ld_path of the configuration is not kept"

step "precedence: option, variable, project, file"
must env CUDAENV_LD_PATH=1 "$CUDAENV" use 12.1 --shell sh
assert_contains "the variable" "$out" LD_LIBRARY_PATH
must env CUDAENV_LD_PATH=1 "$CUDAENV" use 12.1 --shell sh --no-ld-path
[[ $out != *LD_LIBRARY_PATH* ]] || fail "the option does not come first"
printf 'cuda = "12.1"\nld_path = true\n' >.cudaenv
must "$CUDAENV" use --shell sh
assert_contains "the project" "$out" LD_LIBRARY_PATH
must env CUDAENV_LD_PATH=0 "$CUDAENV" use --shell sh
[[ $out != *LD_LIBRARY_PATH* ]] || fail "the variable does not come before the project"
must env CUDAENV_ROOT="$scratch/other" "$CUDAENV" list --json
assert_contains "the variable's root" "$out" '"prefixes": []'

step "env tells where a value comes from, and no secret"
assert_equal "a key" "1 $config:8" "$(from CUDAENV_JOBS)"
assert_equal "nothing" "None default" "$(from CUDAENV_PIP)"
export CUDAENV_JOBS=3
assert_equal "a variable" "3 variable" "$(from CUDAENV_JOBS)"
unset CUDAENV_JOBS
cat >"$config" <<'END'
mirrors = ["https://me:hush@mirror.example/a?key=hush", "https://b.example"]
END
assert_equal "mirrors" "https://mirror.example/a,https://b.example $config:1" "$(from CUDAENV_MIRROR)"
for words in env "env --json"; do
  read -ra words <<<"$words"
  must env CUDAENV_PIP="pip --index-url https://me:hush@i.example/" "$CUDAENV" "${words[@]}"
  [[ $out != *hush* ]] || fail "a password is shown: $out"
done

step "faults name file and line; unknown keys are passed over"
printf 'quiet = true\njobs = "many"\n' >"$config"
run "$CUDAENV" list
assert_status 1 "a fault"
assert_contains "the fault" "$err" "cannot read \`$config\`"
assert_contains "the fault" "$err" "line 2: \`jobs\` is not a number from 1 on"
run bash -c 'eval "$("$CUDAENV" use 12.1)"'
assert_status 1 "a fault in eval"
must "$CUDAENV" --version
must "$CUDAENV" list --help
# A shell that starts is not told, and goes on; its hook tells it once.
for words in "init bash" "init fish" "completions zsh" "complete use"; do
  read -ra words <<<"$words"
  must "$CUDAENV" "${words[@]}"
  assert_equal "stderr of ${words[*]}" "" "$err"
done
must "$CUDAENV" hook bash ...
assert_contains "what the hook says" "$err" "cudaenv: cannot read \`$config\`"
state=$(sed -n 's/.*__cudaenv_state=\([^ ]*\) .*/\1/p' <<<"$out")
must "$CUDAENV" hook bash "$state"
assert_equal "what it says again" "" "$err"
must env CUDAENV_NO_CONFIG=1 "$CUDAENV" list
printf 'mirror = "x"\n' >"$config"
must "$CUDAENV" list
assert_contains "the note" "$err" \
  "\`$config\` line 1: there is no key \`mirror\`; did you mean \`mirrors\`?"
