#!/usr/bin/env bash
# From an empty machine to a CUDA toolkit that compiles. `./bootstrap.sh --help` tells more.
set -euo pipefail

usage() {
  cat <<'END'
usage: ./bootstrap.sh [SPEC] [--prefix DIR] [--no-deps]
       ./bootstrap.sh --test [--no-deps]

Installs what cudaenv is built with, builds it, installs it, installs the CUDA toolkit
that SPEC names (12.1, 13, latest, ...; by default auto: the newest that the driver takes,
or without a driver the newest), and compiles a small program with it.

  --prefix DIR  where cudaenv goes (default: /usr/local as root, else ~/.local)
  --no-deps     install no packages; everything needed is there
  --test        build and run all tests instead
  --help        this text
END
}

# What cudaenv is built with, by package manager; the tests want some programs more. Optional
# ones are taken where the distribution has them.
apt_build='g++ cmake ninja-build pkg-config libcli11-dev libcurl4-openssl-dev libarchive-dev
  liblzma-dev nlohmann-json3-dev libtomlplusplus-dev libfmt-dev libssl-dev zlib1g-dev
  python3 python3-pip ca-certificates xz-utils'
apt_build_optional='libisal-dev'
apt_test='doctest-dev make'
apt_test_optional='mold shellcheck clang-format-14 mandoc clang-14 libclang-rt-14-dev strace
  zsh dash busybox ksh mksh fish tcsh elvish direnv lmod chromium'
dnf_build='gcc-c++ cmake ninja-build pkgconf-pkg-config cli11-devel libcurl-devel libarchive-devel
  xz-devel json-devel tomlplusplus-devel fmt-devel openssl-devel zlib-devel
  python3 python3-pip ca-certificates xz'
dnf_build_optional='isa-l-devel'
dnf_test='doctest-devel make'
dnf_test_optional='ShellCheck mandoc clang compiler-rt strace zsh dash busybox ksh mksh fish tcsh
  chromium'

say() { printf '%s\n' "$*"; }
step() { printf '\n==> %s\n' "$*"; }

# die WHAT [WHAT TO TYPE]
die() {
  printf '\nerror: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'help: %s\n' "$2" >&2
  exit 1
}

# attempt WHAT HELP COMMAND...: runs it, or ends with what failed and what to type.
attempt() {
  local what=$1 help=$2 status=0
  shift 2
  "$@" || status=$?
  case $status in
    0) ;;
    130 | 143) exit "$status" ;;
    *) die "cannot $what (status $status)" "$help" ;;
  esac
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

spec=auto
prefix=
deps=true
testing=false

parse_arguments() {
  local named=
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage; exit 0 ;;
      --no-deps) deps=false ;;
      --test) testing=true ;;
      --prefix)
        [ $# -ge 2 ] || usage_error '--prefix needs a folder'
        prefix=$2
        shift
        ;;
      --prefix=*) prefix=${1#*=} ;;
      -*) usage_error "unknown option $1" ;;
      *)
        [ -z "$named" ] || usage_error "one toolkit at a time: $named, $1"
        named=$1
        ;;
    esac
    shift
  done
  spec=${named:-auto}
  if $testing && [ -n "$named$prefix" ]; then
    usage_error '--test takes neither a toolkit nor --prefix'
  fi
  case $prefix in
    '') if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
}

usage_error() {
  printf 'error: %s\n\n' "$1" >&2
  usage >&2
  exit 2
}

# Sets `required` and `optional` to the packages, as arrays, and `manager`.
choose_packages() {
  local wanted extra
  if command -v apt-get >/dev/null; then
    manager=apt wanted=$apt_build extra=$apt_build_optional
    if $testing; then wanted+=" $apt_test" extra+=" $apt_test_optional"; fi
  elif command -v dnf >/dev/null; then
    manager=dnf wanted=$dnf_build extra=$dnf_build_optional
    if $testing; then wanted+=" $dnf_test" extra+=" $dnf_test_optional"; fi
  else
    die 'found neither apt-get nor dnf' \
      "install what README.md lists under Building, then \`./bootstrap.sh --no-deps\`"
  fi
  read -r -d '' -a required <<<"$wanted" || true
  read -r -d '' -a optional <<<"$extra" || true
}

has_package() {
  case $manager in
    apt) dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$' ;;
    dnf) rpm -q --quiet --whatprovides "$1" ;;
  esac
}

# Prints those of its arguments that are not installed.
missing_of() {
  local package
  for package; do
    has_package "$package" || printf '%s ' "$package"
  done
}

describe() {
  local number=0
  item() { number=$((number + 1)); say "  $number. $*"; }
  say 'This will'
  if $deps; then
    if [ -n "$missing" ]; then
      item "install packages with $manager$([ "$(id -u)" = 0 ] || printf ', through sudo'): $missing"
    else
      item 'install no package: all are there'
    fi
  fi
  if $testing; then
    item 'build cudaenv with its tests in build/ci'
    item 'run all tests but the nightly ones'
  else
    item 'build cudaenv in build/release'
    item "install it to $prefix"
    item "install a CUDA toolkit: \`cudaenv install $spec --profile minimal\`"
    item 'compile a small program with it, and run it if there is a GPU'
  fi
}

install_packages() {
  $deps || return 0
  [ -n "$missing" ] || return 0
  step 'Packages'
  local by_hand
  case $manager in
    apt) by_hand="apt-get update && apt-get install $missing" ;;
    dnf) by_hand="dnf install $missing" ;;
  esac
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die 'packages are missing, and there is no sudo to install them' \
      "as root: \`$by_hand\`, then \`./bootstrap.sh --no-deps\`"
  fi
  case $manager in
    apt) install_with_apt "$by_hand" ;;
    dnf) install_with_dnf "$by_hand" ;;
  esac
}

install_with_apt() {
  local package take=()
  # One broken third-party list makes the whole update fail; the packages may be had all the same.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
    say 'not all package lists could be read; going on with those that could'
  for package in $missing; do
    if is_optional "$package" && ! apt-cache show "$package" >/dev/null 2>&1; then
      say "$package: not in this distribution; going on without it"
    else
      take+=("$package")
    fi
  done
  [ ${#take[@]} -gt 0 ] || return 0
  attempt 'install the packages' "\`$1\` as root, then \`./bootstrap.sh --no-deps\`" \
    as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 "${take[@]}"
}

install_with_dnf() {
  local package take=()
  for package in $missing; do
    is_optional "$package" || take+=("$package")
  done
  if [ ${#take[@]} -gt 0 ]; then
    attempt 'install the packages' "\`$1\` as root (on RHEL: enable EPEL and CRB first)" \
      as_root dnf install -y "${take[@]}"
  fi
  for package in $missing; do
    is_optional "$package" || continue
    as_root dnf install -y "$package" || say "$package: not to be had; going on without it"
  done
}

is_optional() {
  local package
  for package in "${optional[@]}"; do
    [ "$package" != "$1" ] || return 0
  done
  return 1
}

# build PRESET
build() {
  local jobs launcher=()
  jobs=$(nproc 2>/dev/null || echo 2)
  local tool
  for tool in cmake ninja c++ python3; do
    command -v "$tool" >/dev/null || die "$tool is not installed" 'run again without --no-deps'
  done
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  attempt 'configure the build' "if a package is missing: run again without --no-deps; if the \
compiler changed: \`rm -r build/$1\`" cmake --preset "$1" "${launcher[@]}"
  attempt 'build cudaenv' "look at the first error above; out of memory: \
\`cmake --build build/$1 -j 1\`, then run this again" cmake --build --preset "$1" -j "$jobs"
}

run_tests() {
  step 'Building with tests'
  build ci
  step 'Tests'
  local status=0
  local results=$PWD/build/ci/junit.xml
  local cores
  cores=$(nproc 2>/dev/null || echo 2)
  rm -f "$results"
  # One more than there are cores: many tests wait for a server, a lock or a time limit.
  ctest --preset ci -LE nightly -j "$((cores + 1))" --output-on-failure \
    --test-output-size-passed 100000 \
    --output-junit "$results" </dev/null || status=$?
  python3 -B .ci/summary.py "$results" || [ "$status" != 0 ] || status=1
  return "$status"
}

install_cudaenv() {
  step "Installing cudaenv to $prefix"
  local helper=()
  if ! mkdir -p "$prefix" 2>/dev/null || [ ! -w "$prefix" ]; then helper=(as_root); fi
  attempt "install to $prefix" "choose another folder: \`./bootstrap.sh --prefix DIR\`" \
    "${helper[@]}" cmake --install build/release --prefix "$prefix"
}

install_toolkit() {
  step "Installing CUDA ($spec)"
  attempt "install CUDA $spec" "the lines above say why; \`$prefix/bin/cudaenv list --remote\` shows \
what there is, \`./bootstrap.sh --no-deps SPEC\` takes another" \
    "$prefix/bin/cudaenv" install "$spec" --profile minimal
  say
  attempt 'list the toolkits' "\`$prefix/bin/cudaenv verify --all\`" "$prefix/bin/cudaenv" list
}

# Where `install` puts the toolkit, from its plan: `auto` may mean nothing without the network.
planned_prefix() {
  "$prefix/bin/cudaenv" install "$spec" --profile minimal --dry-run --json 2>/dev/null |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["prefix"])' 2>/dev/null
}

has_gpu() { [ -e /dev/nvidia0 ] || nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

write_program() {
  cat >"$1" <<'END'
#include <cstdio>

__global__ void add(const int* a, const int* b, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  int *a, *b, *sum;
  const size_t bytes = n * sizeof(int);
  if (cudaMallocManaged(&a, bytes) || cudaMallocManaged(&b, bytes) ||
      cudaMallocManaged(&sum, bytes)) {
    std::printf("no memory on the GPU: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  add<<<(n + 255) / 256, 256>>>(a, b, sum, n);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("the kernel failed: %s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < n; ++i) {
    if (sum[i] != 3 * i) return std::printf("wrong sum at %d: %d\n", i, sum[i]), 1;
  }
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  std::printf("%d sums, all right, computed on %s\n", n, device.name);
  return 0;
}
END
}

try_toolkit() {
  step 'Compiling a program with it'
  local toolkit nvcc arch=()
  toolkit=$("$prefix/bin/cudaenv" prefix "$spec" 2>/dev/null || planned_prefix) ||
    die "cannot find the prefix of CUDA $spec" "\`$prefix/bin/cudaenv list\`"
  nvcc=$toolkit/bin/nvcc
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  write_program "$scratch/add.cu"
  # For the GPU at hand: its own code needs no PTX compiler in the driver.
  if has_gpu; then arch=(-arch=native); fi
  say "$nvcc${arch[*]:+ ${arch[*]}} -o add add.cu"
  attempt "compile with $nvcc" "if it rejects the compiler: install an older g++ and run again with \
NVCC_PREPEND_FLAGS='-ccbin g++-N'" "$nvcc" "${arch[@]}" -o "$scratch/add" "$scratch/add.cu"
  if has_gpu; then
    attempt 'run the program' "\`nvidia-smi\` shows whether the driver answers" "$scratch/add"
  else
    say 'It compiles and links. There is no GPU here to run it on.'
  fi
  say
  say "$toolkit is ready:"
  case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) say "  export PATH=\"$prefix/bin:\$PATH\"     # where cudaenv is" ;;
  esac
  say "  $toolkit/bin/nvcc --version"
  say "  cudaenv list --remote    # what else can be installed beside it"
}

main() {
  parse_arguments "$@"
  cd "$(dirname "${BASH_SOURCE[0]}")"
  [ "$(uname -s)" = Linux ] || die 'cudaenv runs on Linux'
  missing=
  if $deps; then
    choose_packages
    missing=$(missing_of "${required[@]}" "${optional[@]}")
    missing=${missing% }
  fi
  describe
  install_packages
  if $testing; then
    run_tests
  else
    step 'Building'
    build release
    install_cudaenv
    install_toolkit
    try_toolkit
  fi
}

main "$@"
