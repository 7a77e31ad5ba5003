# shellcheck shell=bash disable=SC2154
# What the suites share that run commands under the recorder. To be read after lib.sh.

need_recorder() {
  command -v python3 >/dev/null || skip "no python3"
  [[ -x ${CUDAENV_TEST_STEPS:-} ]] || skip "CUDAENV_TEST_STEPS does not name the recorder"
  run "$CUDAENV_TEST_STEPS" --below "$scratch" -- true
  [[ $status -ne 77 ]] || skip "${err#SKIP: }"
}
