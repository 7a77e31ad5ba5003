#!/usr/bin/env bash
# shellcheck disable=SC2016,SC2317  # stubs expand their own variables; `holds` calls the predicates
# bootstrap.sh with everything it starts replaced by stubs that write down how they were called:
# bootstrap_test.sh ROOT
set -euo pipefail

root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/.ci"
cp "$root/bootstrap.sh" "$work/tree/"
cp "$root/.ci/summary.py" "$work/tree/.ci/"
failures=0

# stub NAME BODY: a program that logs its name and arguments, then does BODY.
stub() {
  printf '#!/bin/bash\necho "%s $*" >>"%s/log"\n%s\n' "$1" "$work" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# A machine with apt where `installed` holds the names of packages that are there.
machine() {
  rm -rf "${work:?}/bin" "${work:?}/home"
  mkdir "$work/bin" "$work/home"
  : >"$work/log"
  : >"$work/installed"
  stub id "echo $1"
  stub sudo 'exec "$@"'
  stub apt-get ''
  stub apt-cache '[ "$2" != clang-format-14 ]'
  stub dpkg-query "for last; do :; done; grep -qx \"\$last\" '$work/installed' && echo 'ok installed'"
  stub ninja ''
  stub c++ ''
  stub ccache ''
  stub ctest 'exit 8'
  stub nvidia-smi 'exit 9'
  stub cmake '
if [ "$1" = --install ]; then
  mkdir -p "$4/bin" "$4/toolkit/bin"
  printf "#!/bin/bash\necho \"cudaenv \$*\" >>%s/log\n[ \"\$1\" != prefix ] || echo %s/toolkit\n" \
    "'"$work"'" "$4" >"$4/bin/cudaenv"
  printf "#!/bin/bash\necho \"nvcc \$1\" >>%s/log\nwhile [ \"\$1\" != -o ]; do shift; done
printf \"#!/bin/bash\\necho ran\\n\" >\"\$2\"; chmod +x \"\$2\"\n" "'"$work"'" >"$4/toolkit/bin/nvcc"
  chmod +x "$4/bin/cudaenv" "$4/toolkit/bin/nvcc"
fi'
}

# bootstrap ARGUMENTS...: runs it on that machine; sets status, leaves out and err.
bootstrap() {
  status=0
  env -i HOME="$work/home" PATH="$work/bin:/usr/bin:/bin" bash "$work/tree/bootstrap.sh" "$@" \
    >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# holds WHAT COMMAND...
holds() {
  local what=$1
  shift
  if ! "$@"; then
    failures=$((failures + 1))
    printf 'FAILED: %s (status %s)\n' "$what" "$status"
    sed 's/^/  | /' "$work/out" "$work/err" "$work/log"
  fi
}
says() { grep -qF -- "$1" "$work/out"; }
complains() { grep -qF -- "$1" "$work/err"; }
ran() { grep -qF -- "$1" "$work/log"; }
ran_not() { ! ran "$1"; }
ended() { [ "$status" = "$1" ]; }

machine 0
bootstrap --help
holds 'help is no error' ended 0
holds 'help shows the usage' says 'usage: ./bootstrap.sh [SPEC]'
for wrong in '--frobnicate' '12.1 13.0' '--prefix' '--test 12.1' '--test --prefix /x'; do
  # shellcheck disable=SC2086  # several words on purpose
  bootstrap $wrong
  holds "\`$wrong\` is wrong usage" ended 2
  holds "\`$wrong\` starts nothing" ran_not cmake
done

machine 0
bootstrap 12.8 --prefix "$work/with space"
holds 'root gets through' ended 0
holds 'it says the toolkit first' says "\`cudaenv install 12.8 --profile minimal\`"
holds 'packages are installed' ran 'apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 g++ cmake'
holds 'without sudo' ran_not sudo
holds 'the build is a release' ran 'cmake --preset release -DCMAKE_CXX_COMPILER_LAUNCHER=ccache'
holds 'the prefix is kept' ran "cmake --install build/release --prefix $work/with space"
holds 'the toolkit is installed' ran 'cudaenv install 12.8 --profile minimal'
holds 'the list is shown' ran 'cudaenv list'
holds 'its nvcc compiles' ran 'nvcc -'
holds 'no test ran' ran_not ctest

machine 1000
bootstrap
holds 'a user gets through' ended 0
holds 'packages need sudo' ran 'sudo env DEBIAN_FRONTEND=noninteractive apt-get install'
holds 'cudaenv needs none' ran_not 'sudo cmake'
holds 'it goes to ~/.local' ran "cmake --install build/release --prefix $work/home/.local"
holds 'the toolkit is chosen by the driver' ran 'cudaenv install auto --profile minimal'
holds 'what to put in PATH is said' says "export PATH=\"$work/home/.local/bin:\$PATH\""

machine 0
stub cmake '
[ "$1" = --install ] || exit 0
mkdir -p "$4/bin"
printf "#!/bin/bash\n[ \"\$1\" != prefix ] || exit 1\n" >"$4/bin/cudaenv"
chmod +x "$4/bin/cudaenv"'
bootstrap --prefix "$work/home"
holds 'no toolkit where one should be is a failure' ended 1
holds 'and it says so' complains 'error: cannot find the prefix of CUDA auto'

machine 1000
bootstrap --no-deps
holds 'without packages it gets through' ended 0
holds 'no package is touched' ran_not apt-get

machine 1000
rm "$work/bin/sudo"
if ! PATH="$work/bin:/usr/bin:/bin" command -v sudo >/dev/null; then
  bootstrap
  holds 'without sudo it fails' ended 1
  holds 'and says what to type as root' complains "help: as root: \`apt-get update && apt-get install g++"
fi

machine 0
stub apt-get '[ "$1" != update ]'
bootstrap
holds 'a broken package list is no obstacle' ended 0
holds 'but is mentioned' says 'not all package lists could be read'

machine 0
stub cmake 'exit 1'
bootstrap
holds 'a failed build fails' ended 1
holds 'and says so' complains 'error: cannot configure the build (status 1)'
holds 'and nothing is installed' ran_not 'cmake --install'

machine 0
bootstrap --test
holds 'failed tests fail' ended 8
holds 'the tests are built' ran 'cmake --build --preset ci'
holds 'the nightly ones are left out' ran 'ctest --preset ci -LE nightly'
holds 'a package that does not exist is left out' says 'clang-format-14: not in this distribution'
holds 'no toolkit is installed' ran_not 'cudaenv install'

[ "$failures" = 0 ] && echo 'all hold'
exit $((failures > 0))
