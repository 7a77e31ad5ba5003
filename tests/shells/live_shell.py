"""Real shells on a pseudo-terminal, with the hook as `cudaenv init` prints it.

Toolkits are folders with a receipt; the program is called through a wrapper that counts.
"""

import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = os.environ.get("CUDAENV", "")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

# What starts an interactive shell without its user's files, and what takes over the hook.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(cat {})"'),
    "zsh": (["zsh", "-f", "-i"], 'eval "$(cat {})"'),
    "fish": (["fish", "--no-config", "-i"], "source {}"),
    "tcsh": (["tcsh", "-f"], 'eval "`cat {}`"'),
    "elvish": (["elvish", "-norc"], "eval (slurp < {})"),
}


def need(shell):
    """Ends with 77 where the shell or the program is missing."""
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        skip("CUDAENV does not name the program")
    if not shutil.which(SHELLS[shell][0][0], path=SYSTEM_PATH):
        skip(f"{shell} is not installed")


def skip(why):
    print(f"SKIP: {why}")
    raise SystemExit(77)


def add_toolkit(root, version, name=None):
    """As an installation leaves it, as far as activation looks."""
    name = name or f"cuda-{version}"
    prefix = Path(root) / name
    staged = Path(root) / f".staged-{name}"
    (staged / "bin").mkdir(parents=True)
    (staged / ".cudaenv").mkdir()
    nvcc = staged / "bin" / "nvcc"
    nvcc.write_text(f"#!/bin/sh\necho {version}\n")
    nvcc.chmod(0o755)
    receipt = {"schema": 1, "name": name, "cuda": version, "platform": "linux-x86_64",
               "profile": "dev", "source": "nvidia", "installed_at": "2026-01-01T00:00:00Z",
               "installed_by": "cudaenv 0.1.0", "eula": "flag", "components": [], "lacking": [],
               "requested": []}
    (staged / ".cudaenv" / "receipt.json").write_text(json.dumps(receipt, indent=2) + "\n")
    staged.rename(prefix)
    return prefix


def settle(shell):
    """tcsh knows times by the second: at what is younger it looks once more."""
    if shell == "tcsh":
        time.sleep(1.05)


class World:
    """A folder with toolkits, a home, and a place for projects; removed unless the test fails."""

    def __init__(self, versions=("11.8.0", "12.1.0", "12.1.1", "12.4.1"), place="work"):
        self.folder = Path(tempfile.mkdtemp(prefix="cudaenv-hook.")).resolve()
        self.root = self.folder / "root"
        self.work = self.folder / place
        for folder in (self.root, self.work, self.folder / "home"):
            folder.mkdir()
        for version in versions:
            add_toolkit(self.root, version)
        self.counter = self.folder / "starts"
        self.counter.write_bytes(b"")
        self.wrapper = self.folder / "counted"
        self.wrapper.write_text(f"#!/bin/sh\nprintf . >>{shlex.quote(str(self.counter))}\n"
                                f'exec {shlex.quote(PROGRAM)} "$@"\n')
        self.wrapper.chmod(0o755)
        self.environment = {
            "PATH": SYSTEM_PATH, "HOME": str(self.folder / "home"), "TERM": "dumb",
            "LC_ALL": "C.UTF-8", "CUDAENV_ROOT": str(self.root),
            "CUDAENV_CEILING": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "home/.config"),
        }

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None or kind is SystemExit:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            print(f"left in {self.folder}")

    def starts(self):
        return self.counter.stat().st_size

    def init(self, shell):
        """A file with the hook's code, which calls the wrapper."""
        code = subprocess.run([PROGRAM, "init", shell], env=self.environment, check=True,
                              capture_output=True).stdout.decode()
        assert PROGRAM in code, code
        path = self.folder / f"init.{shell}"
        path.write_text(code.replace(PROGRAM, str(self.wrapper)))
        return path

    def fresh(self, folder):
        """What the hook activates in a shell that begins in a folder."""
        answer = subprocess.run([PROGRAM, "hook", "elvish"], cwd=folder, check=True,
                                env={**self.environment, "PWD": str(folder)}, capture_output=True)
        return json.loads(answer.stdout)["change"]["set"].get("CUDAENV_ACTIVE", "")


class LiveShell:
    """An interactive shell; run() types a line and waits until its prompt has been worked off."""

    def __init__(self, world, shell, extra=(), environment=None, take_hook=True, command=None):
        self.world = world
        self.shell = shell
        self.output = b""
        self.marks = 0
        words, take = SHELLS[shell]
        words = command or [*words[:1], *extra, *words[1:]]
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(world.work)
            os.execvpe(words[0], words, environment or world.environment)
        self.pid = pid
        self.run("")
        if take_hook:
            self.run(take.format(world.init(shell)))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        os.close(self.terminal)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        said = self.output.decode(errors="replace")
        complaint = re.search(".*(ndefined variable|not found|unbound|parameter not set|"
                              "(parse|syntax) error|Unknown command).*", said)
        assert kind or not complaint, f"{self.shell} complains: {complaint[0]}"

    def run(self, line):
        """The line, and behind its prompt a mark; what both printed."""
        before = len(self.output)
        self.type(line)
        self.marks += 1
        mark = self.world.folder / f"mark.{self.pid}.{self.marks}"
        self.type(f"/bin/touch {mark}")
        self.wait_for(mark.exists, line)
        mark.unlink()
        self.read(0.01)
        return self.output[before:].decode(errors="replace").replace("\r", "")

    def variables(self):
        """What a child gets."""
        dump = self.world.folder / f"dump.{self.pid}"
        self.run(f"/usr/bin/env -0 > {dump}")
        text = dump.read_bytes().decode(errors="surrogateescape")
        dump.unlink()
        return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)

    def active(self):
        return self.variables().get("CUDAENV_ACTIVE", "")

    def type(self, line, end=None):
        if end is None:
            end = "\r" if self.shell == "elvish" else "\n"
        os.write(self.terminal, os.fsencode(line + end))

    def read_until(self, part):
        begin = len(self.output)
        self.wait_for(lambda: part in self.output[begin:], part)

    def wait_for(self, condition, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            if not self.read(0.002) or time.monotonic() > deadline:
                raise AssertionError(f"{self.shell} does not come back from: {what}\n"
                                     + self.output.decode(errors="replace")[-2000:])

    def read(self, seconds):
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if ready:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                return False
            self.output += data
            return bool(data)
        return True
