#!/usr/bin/env bash
# Installs over bad networks: lines that break, servers that fail, mirrors that die, proxies,
# private certificates; and what is said when nothing helps.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli_support.sh
source "$suite_folder/cli_support.sh"
# shellcheck source=tests/e2e/network_support.sh
source "$suite_folder/network_support.sh"

need_bare_machine
unset http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY
unset CUDAENV_CA_BUNDLE CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR
bulk=400000 build_tree
nvcc=$(cd "$scratch/served" && echo compute/cuda/redist/cuda_nvcc/*/*12.1.1*)
size=$(stat -c %s "$scratch/served/$nvcc")

step "installs that take long, side by side"
for jobs in 1 2 64; do
  serve --root "$scratch/served" --rule "/$nvcc=cut:65536"
  cut_logs+=("$ruled_log")
  start_install "cut-$jobs" "$ruled_url" --jobs "$jobs"
  serve --root "$scratch/served" --rule "*=shaky:0.5:$jobs"
  start_install "shaky-$jobs" "$ruled_url" --jobs "$jobs"
done

# One mirror is killed with the archive half sent; the other goes on at that byte.
serve --root "$scratch/served" --rule "/$nvcc=stall:100000"
dying=$ruled_process
first=$ruled_url
serve --root "$scratch/served"
second_log=$ruled_log
start_install dies "$first" --mirror "$ruled_url"

# One is away for longer than it is asked at first, the other lacks the file.
serve --root "$scratch/served" --rule "/$nvcc=6*status:503"
first=$ruled_url
serve --root "$scratch/served" --rule "/$nvcc=status:404"
start_install returns "$first" --mirror "$ruled_url"

wait_for_bytes 100000 dies
kill -9 "$dying"

for jobs in 1 2 64; do finish_install "shaky-$jobs"; done
finish_install dies
assert_equal "where the second mirror goes on" "bytes=100000-" \
  "$(awk -v file="/$nvcc" '$2 == file { print $5 }' "$second_log")"
finish_install returns
for jobs in 1 2 64; do finish_install "cut-$jobs"; done
for log in "${cut_logs[@]}"; do
  # shellcheck disable=SC2016
  assert_equal "an archive cut at every 64 KiB: requests, bytes, ranges out of step" \
    "$(((size + 65535) / 65536)) $size 0" "$(awk -v file="/$nvcc" '$2 == file {
      wanted = count ? "bytes=" 65536 * count "-" : "-"
      if ($5 != wanted) astray++
      count++; bytes += $4 } END { print count, bytes, astray + 0 }' "$log")"
done

step "what is said of an archive that can't be had"
export CUDAENV_ATTEMPTS=1 CUDAENV_STALL_TIMEOUT=1 CUDAENV_CONNECT_TIMEOUT=2
archive_fails "status:503" "503 Service Unavailable"
archive_fails "status:429:7200" "429 Too Many Requests" "asks to wait 7200 s"
archive_fails "status:403" "403 Forbidden" "--mirror"
archive_fails "auth:me:x" "401 Unauthorized" "/.netrc"
archive_fails "status:404" "404 Not Found" "--mirror"
archive_fails "reset" "onnection reset by peer"
archive_fails "cut:0" "/$nvcc: "
archive_fails "cut:70000" "run the command again: it goes on where this one stopped"
archive_fails "trickle:1000" "bytes came in 1 s" "goes on where this one stopped"
archive_fails "stall:70000" "no byte came for 1 s" "goes on where this one stopped"
archive_fails "stall_head" "no byte came for 1 s"
archive_fails "endless_head" "its headers have no end"
archive_fails "endless" "it is longer than $size bytes"
archive_fails "shorter:10" "it ended after $((size - 10)) of $size bytes"
archive_fails "flip:5" "expected SHA-256" "the bad file was deleted"
archive_fails "html" "an HTML page of 49 bytes came from" "http_proxy"
archive_fails "encoding:gzip" "it came with \`Content-Encoding: gzip\`"
archive_fails "redirect:/$nvcc" "more than 10 redirects"
archive_fails "redirect:file:///etc/passwd" "redirects to file:///etc/passwd, which is not http"
archive_fails "redirect:ftp://127.0.0.1/x" "redirects to ftp://127.0.0.1/x"
archive_fails "redirect:http://127.0.0.1:1/x" "failed to connect"

step "what is said of a manifest that can't be had"
manifest_fails "status:503" "503 Service Unavailable"
manifest_fails "status:403" "403 Forbidden"
manifest_fails "html" "an HTML page of 49 bytes came from"
manifest_fails "stall_head" "no byte came for 1 s"
manifest_fails "trickle:300" "bytes came in 1 s"
manifest_fails "reset" "onnection reset by peer"
manifest_fails "encoding:gzip" "it came with \`Content-Encoding: gzip\`"
manifest_fails "redirect:file:///etc/passwd" "which is not http or https"
# A label of 64 letters is no host's name, so nobody is asked for it.
install_fails "http://$(printf 'x%.0s' {1..64}).invalid" "could not resolve host"
install_fails http://127.0.0.1:1 "failed to connect to 127.0.0.1 port 1"
install_fails "http://[::1" "$(printf '%s' "http://[::1/compute/cuda/redist/redistrib_12.1.1.json: ")"

step "servers that are odd but right"
for rule in chunked no_validators type:application/x-xz longer:0 delay:300; do
  serve --root "$scratch/served" --rule "*=$rule"
  installs "$rule" "$ruled_url"
done
serve --root "$scratch/served" --rule "/old/*=redirect:/$nvcc"
serve --root "$scratch/served" --rule "/$nvcc=redirect:$ruled_url/old/x"
installs "a redirect to another server" "$ruled_url"

step "IPv6 alone"
if [[ $(cat /proc/sys/net/ipv6/conf/lo/disable_ipv6 2>/dev/null) == 0 ]]; then
  serve --root "$scratch/served" --ipv6
  assert_contains "the address" "$ruled_url" "http://[::1]:"
  installs IPv6 "$ruled_url"
else
  echo "   left out: this machine has no ::1"
fi

step "proxies"
serve --root "$scratch/served"
server=$ruled_url
serve --root "$scratch/served" --tls "$scratch/ca.pem"
secure=$ruled_url
serve --root "$scratch/none" --proxy
open_proxy=$ruled_url open_log=$ruled_log
serve --root "$scratch/none" --proxy --proxy-login me:right
closed=${ruled_url#http://}
export CUDAENV_CA_BUNDLE=$scratch/ca.pem
for host in "$server" "$secure"; do
  installs "$host through a proxy" "$host" "http_proxy=$open_proxy" "https_proxy=$open_proxy"
  installs "$host through all_proxy" "$host" "all_proxy=$open_proxy"
  installs "$host through a proxy with a login" "$host" "ALL_PROXY=http://me:right@$closed"
  for login in "" "me:wrong@"; do
    install_fails "$host" "407" "the proxy's login into the variable" "all_proxy=http://$login$closed"
  done
  install_fails "$host" "the proxy in use is http://127.0.0.1:1 (all_proxy)" \
    all_proxy=http://me:wrong@127.0.0.1:1
  for bypass in 127.0.0.1 "nothing.example,127.0.0.1" "other 127.0.0.0/8" "*"; do
    installs "$host past a proxy by no_proxy=$bypass" "$host" all_proxy=http://127.0.0.1:1 \
      "no_proxy=$bypass"
    installs "$host past a proxy by NO_PROXY=$bypass" "$host" all_proxy=http://127.0.0.1:1 \
      "NO_PROXY=$bypass"
  done
  install_fails "$host" "the proxy in use is" all_proxy=http://127.0.0.1:1 no_proxy=27.0.0.1,0.1
done
# The proxy resolves names, not we.
install_fails http://not-here.invalid "the proxy in use is" "all_proxy=http://127.0.0.1:1"
if grep -v ' 127\.0\.0\.1\| http://127\.0\.0\.1' "$open_log"; then fail "the proxy was asked that"; fi

step "a private certificate"
unset CUDAENV_CA_BUNDLE
install_fails "$secure" "certificate" "CUDAENV_CA_BUNDLE"
for variable in CUDAENV_CA_BUNDLE CURL_CA_BUNDLE SSL_CERT_FILE; do
  installs "a certificate named by $variable" "$secure" "$variable=$scratch/ca.pem"
done
install_fails "$secure" "CUDAENV_CA_BUNDLE" "CUDAENV_CA_BUNDLE=$scratch/no-such-file"
serve --root "$scratch/served" --tls "$scratch/ca2.pem" --rule "/$nvcc=redirect:$server/$nvcc"
install_fails "$ruled_url" "redirects from https to http" "CUDAENV_CA_BUNDLE=$scratch/ca2.pem"
