"""Cases by name, each in a world of its own, for the suites of hooks."""

import sys
import time

from live_shell import SHELLS, World, need, skip

CASES = []


def case(*only):
    def add(function):
        CASES.append((function.__name__, only, function))
        return function
    return add


def project(world, name, text):
    folder = world.work / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".cudaenv").write_text(text)
    return folder


def prefix(world, version):
    return str(world.root / f"cuda-{version}")


def count(text, part):
    """How often the hook said it: what was typed is echoed, so it must not hold the part."""
    return text.count(part)


def lacks(what):
    """For a case that this machine cannot try."""
    print(f"(without {what})")


def main(arguments, usage):
    if not arguments or arguments[0] not in SHELLS:
        print(usage.strip(), file=sys.stderr)
        return 2
    shell = arguments[0]
    need(shell)
    done = 0
    for name, only, function in CASES:
        if (only and shell not in only) or (len(arguments) > 1 and arguments[1] != name):
            continue
        begin = time.monotonic()
        try:
            with World() as world:
                function(world, shell)
        except AssertionError as error:
            raise AssertionError(f"{shell}: {name}: {error}") from error
        done += 1
        print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
    if not done:
        skip("no such case for this shell")
    print(f"{shell}: {done} cases hold")
    return 0
