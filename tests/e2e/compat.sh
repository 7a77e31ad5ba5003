#!/usr/bin/env bash
# `cudaenv compat`: the matrix in its four forms, the claims that guides make, tables of a site.
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "$0")/lib.sh"

# Whether the JSON of the last command satisfies a Python expression in `j`.
holds() {
  python3 - "$scratch/.out" "$1" <<'PY' || fail "not so: $1"
import json, sys
j = json.load(open(sys.argv[1], encoding="utf-8"))
ids = [f["id"] for f in j["findings"]]
said = [line for f in j["findings"] for line in [f["seen"], *f["why"], *f["help"]]]
sys.exit(not eval(sys.argv[2]))
PY
}

step "the matrix by toolkit, driver, GPU and framework"
for view in cuda driver gpu framework; do
  must "$CUDAENV" compat --by "$view"
  assert_contains "the note" "$err" "from the tables of 20"
  must "$CUDAENV" compat --by "$view" --json
  holds "len(j['by']['$view']) > 25 and all(row['source'] for row in j['by']['$view'])"
done
must "$CUDAENV" compat --by all --json
holds "sorted(j['by']) == ['board', 'cuda', 'driver', 'framework', 'gpu', 'measured'] and j['schema'] == 1"

step "12.4 and driver 535.104.05: both figures, and why they differ"
must "$CUDAENV" compat --cuda 12.4.0 --driver 535.104.05 --json
holds "j['by']['cuda'][0]['driver'] == '550.54.14' and j['by']['cuda'][0]['least_driver'] == '525.60.13'"
holds "ids == ['driver.minor-version'] and 'driver 535.104.05 is the one of CUDA 12.2.2' in said"

step "12.0 and driver 525.60.13: right"
must "$CUDAENV" compat --cuda 12.0.0 --driver 525.60.13 --json
holds "j['judged'] and not ids and j['by']['cuda'][0]['driver_verdict'] == 'native'"

step "TensorFlow 2.10 with CUDA 11.2 and cuDNN 8.1: right"
must "$CUDAENV" compat tensorflow==2.10 --cuda 11.2 --cudnn 8.1
assert_contains "the verdict" "$out" "nothing known speaks against it"

step "PyTorch 1.12 with CUDA 11.6 and cuDNN 8.3.2: right, and 11.3 was the stable one"
must "$CUDAENV" compat pytorch==1.12 --cuda 11.6 --cudnn 8.3.2 --json
holds "not ids and not j['toolkit_needed']"
holds "{r['cuda']: r['status'] for r in j['by']['framework']}['11.3'] == 'stable'"
holds "{r['cuda']: r['status'] for r in j['by']['framework']}['11.6'] == 'experimental'"

step "CUDA 11.8 and cuDNN 8.6 are for TensorFlow 2.12 and 2.13 only"
must "$CUDAENV" compat tensorflow --cuda 11.8 --cudnn 8.6 --json
holds "[r['version'] for r in j['by']['framework'] if r['verdict'] == 'fine'] == ['2.13', '2.12']"

step "what to type for a framework, and whether it takes a toolkit"
must "$CUDAENV" compat torch==2.1 --driver 535.104.05
assert_contains "the line" "$out" \
  'pip install "torch==2.1.*" --index-url https://download.pytorch.org/whl/cu118'
assert_contains "the need" "$out" "a driver and no toolkit"

step "Markdown"
must "$CUDAENV" compat --by gpu --markdown --cuda 12.4
assert_contains "a row" "$out" "| NVIDIA H200 | 9.0 | Hopper | data center | 11.8 |"

step "a page that stands alone"
must "$CUDAENV" compat --html "$scratch/page.html"
must python3 - "$scratch/page.html" <<'PY'
import sys
from html.parser import HTMLParser
class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tables = [], 0
    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        assert not {"src", "href"} & names.keys(), (tag, names)
        assert tag not in ("script", "link"), tag
        self.tables += tag == "table"
        if tag not in ("meta", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert page.tables == 6 and not page.open, (page.tables, page.open)
PY

step "what is not known is said, and what is given counts"
for unknown in "--cuda 12.7" "--cuda 99" "--gpu 99.9" "--cuda 12.4.1.1.1"; do
  # shellcheck disable=SC2086
  must "$CUDAENV" compat $unknown
  assert_contains "compat $unknown" "$out" "is not in the tables"
done
must "$CUDAENV" compat --cuda 12 --driver 525.60.13 --json
holds "ids == ['driver.minor-version']"
must "$CUDAENV" compat --cudnn 8.6 --json
holds "{r['cuda']: r['cudnn_verdict'] for r in j['by']['cuda']}['11.8.0'] == 'listed'"
holds "{r['cuda']: r['cudnn_verdict'] for r in j['by']['cuda']}['13.0.2'] == 'other-major'"
must "$CUDAENV" compat --python 3.13 --json
holds "{r['verdict'] for r in j['by']['framework'] if r['version'] == '2.20' and r['framework'] == 'tensorflow'} == {'fine'}"

step "words that mean nothing"
run "$CUDAENV" compat "tensorflow>=2.13"
assert_equal "the status of a range" 2 "$status"
assert_contains "the advice" "$err" "shows all"
run "$CUDAENV" compat pytorhc
assert_equal "the status" 2 "$status"
assert_contains "the advice" "$err" "did you mean \`pytorch\`?"
run "$CUDAENV" compat --gpu "Voodoo 2"
assert_equal "the status" 2 "$status"
run "$CUDAENV" compat --cuda latest
assert_equal "the status" 2 "$status"
run "$CUDAENV" compat --by colour
assert_equal "the status" 2 "$status"
run "$CUDAENV" compat --json --markdown
assert_equal "the status" 2 "$status"

step "tables of a site"
mkdir "$scratch/tables"
printf 'compat\t1\t2099-01-01\nsource\ts\tour own tests\ntoolkit\t12.4.1\t2024-04-03\t551.1\t\t525.60.13\t\ts\n' \
  >"$scratch/tables/a.tsv"
echo "no table" >"$scratch/tables/readme.txt"
must env CUDAENV_COMPAT="$scratch/tables" "$CUDAENV" compat --cuda 12.4.1 --json
holds "j['by']['cuda'][0]['driver'] == '551.1' and j['by']['cuda'][0]['source'] == 'our own tests'"
holds "j['tables'] == {'date': '2099-01-01', 'overlays': ['$scratch/tables/a.tsv']}"
must env CUDAENV_COMPAT="$scratch/tables/a.tsv" "$CUDAENV" compat --cuda 12.4.1
assert_contains "the date" "$err" "2099-01-01"
echo "toolkit	12.x" >>"$scratch/tables/a.tsv"
run env CUDAENV_COMPAT="$scratch/tables" "$CUDAENV" compat
assert_equal "the status" 1 "$status"
assert_contains "the place" "$err" "line 4: the release \`12.x\` is not a version"
printf 'compat\t1\t2001-01-01\nsource\ts\tx\n' >"$scratch/tables/a.tsv"
must env CUDAENV_COMPAT="$scratch/tables" "$CUDAENV" compat --cuda 12.4.1
assert_contains "a table that is old" "$err" "a.tsv of 2001-01-01, older than the built-in tables"
printf 'source\tt\tx\nsource\tt\ty\n' >>"$scratch/tables/a.tsv"
run env CUDAENV_COMPAT="$scratch/tables" "$CUDAENV" compat
assert_contains "a row twice" "$err" "line 4: line 3 says it already"
mkfifo "$scratch/tables/b.tsv"
rm "$scratch/tables/a.tsv"
run env CUDAENV_COMPAT="$scratch/tables" "$CUDAENV" compat
assert_contains "a pipe" "$err" "is not a file"
rm "$scratch/tables/b.tsv"
run env CUDAENV_COMPAT="$scratch/tables" "$CUDAENV" compat
assert_equal "a folder without a table" 1 "$status"
assert_contains "a folder without a table" "$err" "has no table"
run env CUDAENV_COMPAT="$scratch/none" "$CUDAENV" compat
assert_equal "the status" 1 "$status"
assert_contains "the advice" "$err" "or unset it"
