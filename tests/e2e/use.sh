#!/usr/bin/env bash
# shellcheck disable=SC2016
# use, deactivate, current, which, exec and local, evaluated by the shells that are here.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
build_tree
start_mirror "$scratch/served"
# Quotes, blanks, globs, a command and a newline: what a root may be called.
# shellcheck disable=SC2089,SC2090
export CUDAENV_ROOT="$scratch/it's a \"root\" \$(touch ran) \`touch ran\` *?[a] %n !1"$'\n''é'
mkdir "$CUDAENV_ROOT"
install_toolkit 12.1 -q
install_toolkit 12.2 -q
one=$CUDAENV_ROOT/cuda-12.1.1
two=$CUDAENV_ROOT/cuda-12.2.0

# Any file here would be a glob's, or made by code that should not have run.
mkdir "$scratch/empty" "$scratch/project"
cd "$scratch/empty"
export CUDAENV_CEILING=$scratch
bin=$scratch/bin
mkdir "$bin"
ln -s "$CUDAENV" "$bin/cudaenv"
export PATH=$bin:$PATH

# Runs a script in a shell that nobody names, under an environment of its own; the output in $out.
in_shell() {  # script, then the shell's words
  printf '%s\n' "$1" >"$scratch/script"
  run env -i HOME="$HOME" PATH="$PATH" LC_ALL=C.UTF-8 CUDAENV_ROOT="$CUDAENV_ROOT" SHELL=/bin/false \
    CUDAENV_CEILING="$scratch" "${@:2}" "$scratch/script"
  [[ -z $(find "$scratch" -name ran) ]] || fail "$2 ran a command: $1"
  [[ -z $(ls -A "$scratch/empty") ]] || fail "$2 made a file: $(ls -A "$scratch/empty")"
}

have() {
  command -v "$1" >/dev/null || { echo "(no $1)"; return 1; }
}

step "POSIX shells: quoted and unquoted, in strict mode, without a word about the shell"
posix='
before=$(env | sort)
eval "$(cudaenv use 12.1)"
printf "%s|" "$CUDA_HOME" "${PATH%%:*}"
eval $(cudaenv use 12.2)
printf "%s|" "$CUDA_HOME" "${LD_LIBRARY_PATH}"
eval "$(cudaenv use --no-ld-path 12.1)"
printf "%s|" "$CUDA_HOME" "${LD_LIBRARY_PATH-unset}"
during=$(env | sort)
if eval "$(cudaenv use 99)"; then echo "taken"; fi
if eval $(cudaenv use --no-such-option 12.1); then echo "taken"; fi
[ "$during" = "$(env | sort)" ] || echo "a failure has changed something"
eval "$(cudaenv deactivate)"
eval "$(cudaenv deactivate)"
[ "$before" = "$(env | sort)" ] || echo "not restored"
eval "$(cudaenv use 99)"
echo "after a failure"'
for shell in bash zsh dash ksh mksh "busybox sh"; do
  read -ra words <<<"$shell"
  have "${words[0]}" || continue
  if [[ $shell == zsh ]]; then words+=(-f); fi
  in_shell "set -eu$posix" "${words[@]}"
  assert_equal "$shell" "$one|$one/bin|$two|$two/lib|$one|unset|" "$out"
  assert_equal "the status of $shell after a failure under -e" 1 "$status"
  assert_contains "$shell" "$err" "no installed toolkit matches \`99\`"
done

step "fish, tcsh, elvish"
if have fish; then
  in_shell 'set before (env | sort | string collect)
cudaenv use 12.1 | source
printf "%s|" $CUDA_HOME (command -v nvcc | string collect)
eval (cudaenv use 12.2)
printf "%s|" $CUDA_HOME $LD_LIBRARY_PATH
set during (env | sort | string collect)
cudaenv use 99 | source; and echo taken
eval (cudaenv use 99); and echo taken
test "$during" = (env | sort | string collect); or echo changed
cudaenv deactivate | source
test "$before" = (env | sort | string collect); or echo "not restored"' fish --no-config
  assert_equal fish "$one|$one/bin/nvcc|$two|$two/lib|" "$out"
fi
if have tcsh; then
  in_shell 'set before = "`env | sort | cksum`"
eval "`cudaenv use 12.1`"
env | sed -n "s/^CUDAENV_CHOSEN_BY=//p"
eval `cudaenv use 12.2`
env | sed -n "s/^CUDAENV_CHOSEN_BY=//p"
set during = "`env | sort | cksum`"
eval "`cudaenv use 99`" && echo taken
if ("$during" != "`env | sort | cksum`") echo changed
eval "`cudaenv deactivate`"
if ("$before" != "`env | sort | cksum`") echo "not restored"' tcsh -f
  assert_equal tcsh $'use 12.1\nuse 12.2' "$out"
fi
if have elvish; then
  in_shell 'eval (cudaenv use 12.1 | slurp)
print $E:CUDA_HOME"|"
try { eval (cudaenv use 99 | slurp); print taken } catch e { nop }
print $E:CUDA_HOME"|"
eval (cudaenv deactivate | slurp)
print (has-env CUDA_HOME)' elvish -norc
  assert_equal elvish "$one|$one|\$false" "$out"
fi

step "a shell that cannot be told"
run env -i PATH="$PATH" CUDAENV_ROOT="$CUDAENV_ROOT" python3 -c '
import subprocess, sys
sys.exit(subprocess.run(["cudaenv", "use", "12.1"]).returncode)'
assert_status 2 "use below python"
assert_contains "stdout of a failure" "$out" false
assert_contains "stderr" "$err" "add \`--shell NAME\`"
for below in env\ X=1 nice "timeout 9"; do
  read -ra words <<<"$below"
  run env -i PATH="$PATH" SHELL=/usr/bin/elvish CUDAENV_ROOT="$CUDAENV_ROOT" \
    bash -c "${words[*]} cudaenv use 12.1; :"
  assert_contains "bash seen through $below" "$out" "export CUDA_HOME="
done
must "$CUDAENV" use 12.1 --shell pwsh
assert_contains "PowerShell" "$out" '$env:CUDA_HOME = '
run "$CUDAENV" use 12.1 --shell bsh
assert_status 2 "a shell that is none"
assert_contains "stderr" "$err" "did you mean \`bash\`?"

step "other forms"
must "$CUDAENV" use 12.1 --format json
must python3 -c '
import json, sys
change = json.loads(sys.argv[1])
assert change["set"]["CUDA_HOME"] == sys.argv[2], change
assert change["added"]["PATH"] == [sys.argv[2] + "/bin"], change' "$out" "$one"
CUDAENV_ROOT=$scratch/plain
mkdir "$CUDAENV_ROOT"
install_toolkit 12.1 -q
install_toolkit 12.2 -q
plain=$CUDAENV_ROOT/cuda-12.1.1
must "$CUDAENV" use 12.1 --format dotenv
assert_contains dotenv "$out" "CUDA_HOME=$plain"
must env LD_LIBRARY_PATH=/mine "$CUDAENV" use 12.1 --format docker
assert_contains docker "$out" "LD_LIBRARY_PATH=\"$plain/lib\${LD_LIBRARY_PATH:+:\${LD_LIBRARY_PATH}}\""
echo mine >"$scratch/path"
must env GITHUB_ENV="$scratch/env" GITHUB_PATH="$scratch/path" "$CUDAENV" use 12.1 --format gha
assert_equal "stdout of gha" "" "$out"
assert_equal "what GITHUB_PATH names" $'mine\n'"$plain/bin" "$(<"$scratch/path")"
assert_contains "what GITHUB_ENV names" "$(<"$scratch/env")" "CUDA_HOME<<"
run "$CUDAENV" use 12.1 --format gha
assert_status 2 "gha outside of a job"
assert_equal "no code where no code was asked for" "" "$out"
run "$CUDAENV" use 12.1 --format jsn
assert_contains "stderr" "$err" "did you mean \`json\`?"

step "a project, and what holds where"
cd "$scratch/project"
must "$CUDAENV" default --unset
run "$CUDAENV" current
assert_status 1 "current with nothing"
must "$CUDAENV" local 12.1
assert_equal "what local writes" "12.1" "$(<.cudaenv)"
printf '# ours\r\ncuda = "12.1" # why\r\nprofile = "dev"\r\n' >.cudaenv
must "$CUDAENV" local 12.2
assert_equal "what local leaves" $'# ours\r\ncuda = "12.2" # why\r\nprofile = "dev"\r' "$(<.cudaenv)"
mkdir -p sub/deeper
cd sub/deeper
must "$CUDAENV" local
assert_equal "local alone" 12.2 "$out"
must "$CUDAENV" current
assert_equal "current in a project" 12.2.0 "$out"
must "$CUDAENV" exec -- sh -c 'echo "$CUDA_HOME $CUDAENV_CHOSEN_BY"'
assert_equal "exec without a spec" "$CUDAENV_ROOT/cuda-12.2.0 $scratch/project/.cudaenv:2" "$out"
must "$CUDAENV" which nvcc
assert_equal "which in a project" "$CUDAENV_ROOT/cuda-12.2.0/bin/nvcc" "$out"
must "$CUDAENV" which --all nvcc
assert_equal "which --all" "$CUDAENV_ROOT/cuda-12.2.0/bin/nvcc"$'\n'"$plain/bin/nvcc" "$out"
must "$CUDAENV" default 12.1
must "$CUDAENV" exec 12.1 -- "$CUDAENV" current --why
assert_equal "current --why" "shell 12.1.1 use 12.1 $plain
project 12.2.0 $scratch/project/.cudaenv:2 $CUDAENV_ROOT/cuda-12.2.0
default 12.1.1 $CUDAENV_ROOT/cuda $plain" "$(tr -s ' ' <<<"$out")"
must "$CUDAENV" exec 12.1 -- "$CUDAENV" current --json
must python3 -c '
import json, sys
current = json.loads(sys.argv[1])
assert (current["schema"], current["chosen_by"], current["name"]) == (1, "shell", "cuda-12.1.1")
assert [c["chosen_by"] for c in current["candidates"]] == ["shell", "project", "default"]' "$out"
must bash -c 'eval "$("$CUDAENV" use)"; echo "$CUDA_HOME $CUDAENV_CHOSEN_BY"; "$CUDAENV" current --why'
assert_contains "use without a spec" "$out" \
  "$CUDAENV_ROOT/cuda-12.2.0 $scratch/project/.cudaenv:2"$'\n'"project"
must "$CUDAENV" local 13.0
assert_contains "local of what is not installed" "$err" "install it with \`cudaenv install 13.0\`"
run "$CUDAENV" local /usr/local/cuda
assert_status 2 "a path as a version"

step "a hostile file puts nothing anywhere"
cd "$scratch/empty"
for text in '$(touch ran)' '`touch ran`' '"; touch ran; "' '../../plain/cuda-12.1.1' "$plain" \
  'cuda = "$(touch ran)"' $'cuda = "12.1\\n touch ran"' $'12.1\ntouch ran' $'\xff\xfe1\x002\x00' \
  'cuda = "/plain"' '-h' '--help' '*' '%s%n' '!!'; do
  printf '%s' "$text" >"$scratch/.cudaenv"
  run bash -c 'eval "$("$CUDAENV" use)" && echo taken; echo "${CUDA_HOME-unset}"'
  assert_equal "a shell told by $text" unset "$out"
  assert_contains "the error" "$err" "cannot read \`$scratch/.cudaenv\`"
  [[ -z $(find "$scratch" -name ran) && -z $(ls -A) ]] || fail "made by $text"
done
rm "$scratch/.cudaenv"

step "LD_LIBRARY_PATH is left alone where that is asked for"
ld_path() {  # then cudaenv's words
  run env "$@" use 12.1 --shell bash
  [[ $out == *LD_LIBRARY_PATH=* ]] && echo set || echo "left alone"
}
assert_equal "by default" set "$(ld_path "$CUDAENV")"
assert_equal "by variable" "left alone" "$(ld_path CUDAENV_LD_PATH=0 "$CUDAENV")"
assert_equal "by an empty variable" set "$(ld_path CUDAENV_LD_PATH= "$CUDAENV")"
must "$CUDAENV" use 12.1 --no-cudacxx --shell sh
[[ $out != *CUDACXX* ]] || fail "--no-cudacxx sets CUDACXX: $out"
must env CUDAENV_CUDACXX=0 CUDACXX=mine "$CUDAENV" exec 12.1 -- sh -c 'echo "$CUDACXX"'
assert_equal "CUDACXX of one's own" mine "$out"
mkdir -p "$scratch/venv/lib/python3.11/site-packages/nvidia/cublas/lib" "$scratch/conda/lib"
touch "$scratch/conda/lib/libcudart.so.12"
for variable in "VIRTUAL_ENV=$scratch/venv" "CONDA_PREFIX=$scratch/conda"; do
  must env "$variable" "$CUDAENV" use 12.1 --shell sh
  assert_contains "the note for $variable" "$err" "--no-ld-path"
  assert_equal "lines of it" 1 "$(wc -l <<<"$err")"
  must env "$variable" "$CUDAENV" use 12.1 --no-ld-path --shell sh
  assert_equal "no note without LD_LIBRARY_PATH" "" "$err"
  must env "$variable" "$CUDAENV" exec 12.1 -- "$CUDAENV" use 12.1 --shell sh
  assert_equal "one note, when it changes" 1 "$(wc -l <<<"$err")"
done

step "the front answers, without the libraries of the network"
if command -v ldd >/dev/null && ! ldd "$CUDAENV" | grep -q asan; then
  [[ $(ldd "$CUDAENV") != *@(curl|ssl|archive|toml)* ]] || fail "loaded: $(ldd "$CUDAENV")"
fi
cp "$CUDAENV" "$scratch/front"
for words in "use 12.1 --shell sh" "deactivate --shell sh" "which nvcc" "local" "current" \
  "exec 12.1 -- true"; do
  read -ra words <<<"$words"
  run env CUDA_HOME="$plain" "$scratch/front" "${words[@]}"
  [[ $err != *"not complete"* ]] || fail "the front alone cannot: ${words[*]}"
done
