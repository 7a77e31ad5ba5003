# shellcheck shell=bash disable=SC2001,SC2034,SC2154
# What the suites of the command line share: a miniature distribution, servers that misbehave, and
# golden texts. To be read after lib.sh.
#
# Golden texts are whole outputs under tests/golden/; what differs from run to run is replaced by a
# word in capitals. CUDAENV_ACCEPT=1 writes them anew; read the difference then.
#
#   golden_begin plan
#   show install 12.1 --dry-run     # appends command, status, stdout and stderr
#   golden_end

need_bare_machine() {
  command -v python3 >/dev/null || skip "no python3"
  if compgen -G "/usr/local/cuda*/.cudaenv/receipt.json" >/dev/null; then
    skip "toolkits of cudaenv in /usr/local would show in every answer"
  fi
}

build_tree() { must python3 -B "$suite_folder/cli_tree.py" "$scratch/served" "${bulk:-0}"; }

# A server of its own with rules; its address is then in $ruled_url, its log in $ruled_log.
start_ruled_mirror() {  # folder, then rules as PATH=RULE
  local words=(--root "$1") rule
  shift
  for rule in "$@"; do words+=(--rule "$rule"); done
  serve "${words[@]}"
}

# A server with these arguments; its address is then in $ruled_url, its process in $ruled_process,
# and what it is asked goes line by line into $ruled_log.
serve() {
  local address=$scratch/.ruled.$((++ruled_count))
  ruled_log=$address.log
  : >"$ruled_log"
  mkfifo "$address"
  "$CUDAENV_TEST_MIRROR" --log "$ruled_log" "$@" >"$address" 2>>"$scratch/mirror.log" &
  ruled_process=$!
  background+=("$ruled_process")
  read -r -t 20 ruled_url <"$address" || fail "the test mirror did not start"
}
ruled_count=0

# Installs from the miniature distribution; needs $mirror_url.
install_toolkit() {  # spec, then more arguments
  must "$CUDAENV" install "$1" --profile minimal --platform linux-x86_64 --mirror "$mirror_url" \
    --trust-mirror "${@:2}"
}

assert_status() {  # expected, what
  [[ $status -eq $1 ]] || fail "$2: status $status instead of $1: $out $err"
}

golden_begin() {
  golden_name=$1
  : >"$scratch/.golden"
}

# Runs cudaenv and writes down all that it said.
show() {
  run "$CUDAENV" "$@"
  record "cudaenv $*"
}

# Writes down the last run as the answer to what was typed.
record() {  # what was typed
  {
    printf '$ %s\n' "$1"
    if [[ -n $out ]]; then printf '%s\n' "$out"; fi
    if [[ -n $err ]]; then sed 's/^/2> /' <<<"$err"; fi
    printf '(%s)\n\n' "$status"
  } | normalised >>"$scratch/.golden"
}

normalised() {
  sed -E \
    -e "s#$scratch#SCRATCH#g" \
    -e 's#127\.0\.0\.1:[0-9]+#127.0.0.1:PORT#g' \
    -e 's/\b[0-9a-f]{64}\b/SHA256/g' \
    -e 's/\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/TIME/g' \
    -e 's/\b[0-9]+(\.[0-9]+)? [kMG]?B\b/SIZE/g' \
    -e 's/\b[0-9]+(\.[0-9]+)? m?s\b/SECONDS/g' \
    -e 's/"(size|bytes|fetch_bytes)": [0-9]+/"\1": NUMBER/' \
    -e "s/Could not connect to server/Couldn't connect to server/" \
    -e 's/^cudaenv [0-9]+\.[0-9]+\.[0-9]+.*$/cudaenv VERSION/'
}

golden_end() {
  local wanted=$source_folder/tests/golden/$golden_name.txt
  if [[ -n ${accept:-} ]]; then
    cp "$scratch/.golden" "$wanted"
    echo "   wrote $golden_name.txt"
    return
  fi
  diff -u --label "tests/golden/$golden_name.txt" --label "this run" "$wanted" "$scratch/.golden" ||
    fail "$golden_name differs; CUDAENV_ACCEPT=1 takes what this run says"
}
