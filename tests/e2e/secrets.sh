#!/usr/bin/env bash
# Passwords and tokens in the URLs of mirrors, in .netrc, in proxy variables and in pip's
# configuration: after many runs, good and bad, none is found in anything that was said, written or
# passed on.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"

need_bare_machine
unset http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY
unset PIP_CONFIG_FILE "${!PIP_@}" CUDAENV_PIP
export PIP_CONFIG_FILE=/dev/null
export CUDAENV_ATTEMPTS=1 CUDAENV_CONNECT_TIMEOUT=2
build_tree
must python3 -B "$suite_folder/wheel_index.py" "$scratch/served"

# One word that is part of every secret, of this run alone, and what a header makes of them.
secret=s3cr3t$$x$RANDOM
login=me:pw-$secret
{
  echo "$secret"
  for name in "$login" "me:wrong-$secret"; do printf %s "$name" | base64; done
} >"$scratch/.words"

# Runs cudaenv with variables before and arguments after `--`; keeps all that it says.
say() {
  local variables=()
  while [[ $1 != -- ]]; do variables+=("$1"); shift; done
  shift
  run env "${variables[@]}" "$CUDAENV" "$@"
  printf '%s\n' "$out" "$err" >>"$scratch/said"
  case $status in
    0) good=$((good + 1)) ;;
    1 | 2 | 3) bad=$((bad + 1)) ;;
    *) fail "status $status: $err" ;;
  esac
}
good=0 bad=0

# An empty root, so that everything is fetched again.
fresh() { export CUDAENV_ROOT=$scratch/roots/$((++roots)); }
roots=0
fresh

# $status of the last run, so that each run is known to have gone the way it is here for.
went() { assert_status "$1" "a run of these tests"; }

: >"$scratch/.hits"
python3 -B "$suite_folder/process_watch.py" "$scratch/.words" "$scratch/.hits" &
background+=($!)
watch=$!
until grep -q ready "$scratch/.hits"; do kill -0 "$watch" || fail "nobody watches"; done

# Where the words may be: in this shell's own words to the servers, and in cudaenv's own where the
# user typed them. A phase says what it allows besides.
check_processes() {  # what, then allowed as "place name"
  local found allowed=$'^ready$\n^(cmdline|environ) (bash|env|cudaenv-test-mi|base64|grep)$'
  for found in "${@:2}"; do allowed+=$'\n'"^$found\$"; done
  found=$(grep -Ev "${allowed//$'\n'/|}" "$scratch/.hits" | sort | uniq -c) || true
  [[ -z $found ]] || fail "$1: a secret in a process: $found"
}

install=(install 12.1.1 --profile minimal --platform linux-x86_64 --trust-mirror)
in_url() { echo "http://$1@${ruled_url#http://}"; }

step "in files: .netrc"
echo "machine 127.0.0.1 login ${login/:/ password }" >"$HOME/.netrc"
serve --root "$scratch/served" --rule "*=auth:$login"
say -- "${install[@]}" --mirror "$ruled_url"
went 0
serve --root "$scratch/served" --rule "*=auth:you:x"
fresh
say -- "${install[@]}" --mirror "$ruled_url"
went 1
serve --root "$scratch/served" --rule "*=auth:$login" --rule "/compute/cuda/redist/cuda_nvcc/*=html"
say -- "${install[@]}" --mirror "$ruled_url"
went 1
rm "$HOME/.netrc"

step "in files: pip's configuration"
wheels=(install 13.0.2 --source wheels --component cuda_cudart --platform linux-x86_64)
if python3 -m pip --version >/dev/null 2>&1; then
  export PIP_CONFIG_FILE=$HOME/pip.conf
  pip_at() {  # login, then rules
    serve --root "$scratch/served" "${@:2}"
    printf '[global]\nindex-url = %s/simple\nretries = 0\n' "$(in_url "$1")" >"$HOME/pip.conf"
  }
  pip_at "$login" --rule "*=auth:$login"
  say -- "${wheels[@]}"
  went 0
  must "$CUDAENV" verify 13.0.2
  pip_at "me:wrong-$secret" --rule "*=auth:$login"
  fresh
  say -- "${wheels[@]}"
  went 1
  pip_at "$login" --rule "/simple/nvidia-cuda-runtime/nvidia*=status:503" --rule "*=auth:$login"
  fresh
  say -- "${wheels[@]}"
  went 1
  printf '[global]\nindex-url = http://%s@127.0.0.1:1/simple\nretries = 0\n' "$login" \
    >"$HOME/pip.conf"
  fresh
  say -- "${wheels[@]}"
  went 1
  printf '[global\nindex-url = http://%s@127.0.0.1:1/simple\n' "$login" >"$HOME/pip.conf"
  fresh
  say -- "${wheels[@]}"
  went 1
else
  echo "   left out: no pip"
fi
check_processes "secrets in files"

step "in variables: mirrors"
rm -f "$HOME/pip.conf"
export PIP_CONFIG_FILE=/dev/null
serve --root "$scratch/served" --rule "*=auth:$login"
mirror="CUDAENV_MIRROR=$(in_url "$login")?token=$secret"
fresh
say "$mirror" -- "${install[@]}" --with cudnn
went 0
for words in "list --json" "list --remote --json" "update" "env" "env --json" \
  "verify --all --json" "default --json" "gc"; do
  # shellcheck disable=SC2086
  say "$mirror" -- $words
  went 0
done
say "$mirror" -- install 12.2.0 "${install[@]:2}" --dry-run --json
went 0
for rule in flip:0 html status:404 status:503 reset cut:0 endless_head redirect:/x \
  "redirect:http://$login@127.0.0.1:1/x?token=$secret" "redirect:ftp://$login@127.0.0.1/x" \
  "redirect:http://$login@127.0.0.1:99999/"; do
  for path in '/compute/cuda/redist/cuda_nvcc/*' '/compute/cuda/redist/redistrib_12.2.0.json'; do
    fresh
    serve --root "$scratch/served" --rule "*=auth:$login" --rule "$path=$rule"
    say "CUDAENV_MIRROR=$(in_url "$login")?token=$secret" -- install 12.2.0 "${install[@]:2}"
    went 1
    kill "$ruled_process"
  done
done
for url in "http://$login@127.0.0.1:1" "http://$login@127.0.0.1:99999" "http://me:a#$secret@x.y" \
  "http://me:a/$secret@127.0.0.1:1" "http://me:a,$secret@127.0.0.1:1" "ftp://$login@127.0.0.1" \
  "$login@127.0.0.1" "http://me:a $secret@127.0.0.1:1"; do
  say "CUDAENV_MIRROR=$url" -- "${install[@]}"
  [[ $status -ne 0 ]] || fail "an install from $url"
  say "CUDAENV_MIRROR=$url" -- update
  say "CUDAENV_MIRROR=$url" -- list --remote
  say "CUDAENV_MIRROR=$url" -- env
  say "CUDAENV_MIRROR=$url" -- env --json
done

step "in variables: proxies"
serve --root "$scratch/served"
server=$ruled_url
serve --root "$scratch/none" --proxy --proxy-login "$login"
proxy=${ruled_url#http://}
fresh
say "http_proxy=http://$login@$proxy" -- "${install[@]}" --mirror "$server"
went 0
for url in "http://me:wrong-$secret@$proxy" "$login@127.0.0.1:1" "http://$login@bad host:1"; do
  fresh
  say "all_proxy=$url" -- "${install[@]}" --mirror "$server"
  went 1
done
check_processes "secrets in variables" "environ (cudaenv|cudaenv-full)"

step "in what is typed"
serve --root "$scratch/served" --rule "*=auth:$login"
url=$(in_url "$login")
fresh
say -- "${install[@]}" --mirror "$url?token=$secret"
went 0
fresh
say -- "${install[@]}" --mirror "$(in_url "me:wrong-$secret")"
went 1
long=$(in_url "me:$(printf 'x%.0s' {1..50})$secret")
for typed in "$url" "$long"; do
  for words in "$typed" "install $typed" "install 12.1.1 $typed" "install 12.1.1 --mirorr $typed" \
    "install 12.1.1 --mirorr=$typed" "install 12.1.1 --jobs $typed" "--mirror=$typed install" \
    "install 12.1.1 --source $typed" "install 12.1.1 --platform $typed --mirror $url" \
    "install 12.1.1 --profile $typed --mirror $url" "install 12.1.1 --name $typed --mirror $url" \
    "install 12.1.1 --component $typed --mirror $url" "install 12.1.1 --with $typed --mirror $url" \
    "uninstall $typed" "verify $typed" "prefix $typed" "which $typed" "which nvcc $typed" \
    "default $typed" "list $typed" "exec $typed -- true" "exec 12.1 -- $typed"; do
    # shellcheck disable=SC2086
    say -- $words
    [[ $status -ne 0 ]] || fail "cudaenv $words did well"
  done
done
for name in CUDAENV_SOURCE CUDAENV_PROFILE CUDAENV_JOBS CUDAENV_ROOT CUDAENV_LOCK_TIMEOUT \
  CUDAENV_STALL_TIMEOUT; do
  say "$name=$url" -- "${install[@]}" --name other --mirror "$server"
done
fresh
say "CUDAENV_PIP=false --index-url $url" -- "${wheels[@]}"
went 1
check_processes "secrets that were typed" "environ (cudaenv|cudaenv-full|false)" \
  "cmdline (cudaenv|cudaenv-full|false)"

step "nowhere ($good runs went well, $bad did not)"
found=$(grep -nF -f "$scratch/.words" "$scratch/said") && fail "said: $found"
found=$(grep -rlF -f "$scratch/.words" "$scratch/roots" "$CUDAENV_CACHE_DIR" "$HOME") &&
  fail "written: $found"
found=$(find "$scratch/roots" "$CUDAENV_CACHE_DIR" "$HOME" -name "*$secret*") || true
assert_equal "names of files" "" "$found"
