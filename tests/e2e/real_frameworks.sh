#!/usr/bin/env bash
# `cudaenv check` asks the real JAX and TensorFlow, in their builds for the CPU, from the package
# index: they change what they call things from release to release.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
python3 -c 'import venv, ensurepip' 2>/dev/null || skip "this python3 makes no environments"

python=$scratch/env/bin/python
must python3 -m venv "$scratch/env"
for package in jax tensorflow-cpu; do
  step "$package"
  if ! "$python" -m pip install -q --no-cache-dir "$package" >pip.log 2>&1; then
    skip "the package index does not give $package: $(tail -1 pip.log)"
  fi
  framework=${package%-cpu}
  run "$CUDAENV" check 12.9 --for "$framework" --python "$python" --json
  assert_equal "status of $package" 3 "$status"
  python3 - "$scratch/.out" "$framework" <<'END' || fail "not as it should be: $out"
import json, sys
check = json.load(open(sys.argv[1], encoding="utf-8"))
layers = {layer["layer"]: layer for layer in check["layers"]}
name, _, version = check["framework"].partition("==")
assert name == sys.argv[2] and version[0].isdigit(), check["framework"]
ids = [finding["id"] for finding in layers["python"]["findings"]]
assert ids == ["python.cpu-build"], ids
END
done
