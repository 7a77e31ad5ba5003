"""A root that commands work on and are killed in, and what must hold of it afterwards."""

import json
import os
import shutil
import stat
import subprocess
import time
from pathlib import Path

from compare_prefix import sha256

KILLED = 137


class Broken(Exception):
    """Something that must hold does not."""


class Lab:
    def __init__(self, scratch, program, steps):
        self.scratch = Path(scratch)
        self.program, self.steps = program, steps
        self.root = self.scratch / "root"
        self.state = self.root / ".state"
        self.environment = {
            "HOME": str(self.scratch / "home"), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "CUDAENV_ROOT": str(self.root), "CUDAENV_CACHE_DIR": str(self.scratch / "cache"),
            "CUDAENV_ACCEPT_EULA": "1", "CUDAENV_LOCK_TIMEOUT": "60"}

    def start(self, arguments, wrapper=()):
        return subprocess.Popen([*wrapper, self.program, *arguments], env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, arguments, wrapper=()):
        process = self.start(arguments, wrapper)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def must(self, arguments):
        status, out, err = self.run(arguments)
        if status != 0:
            raise Broken(f"status {status} from {' '.join(arguments)}: {out}{err}")
        return out

    def stepped(self, *how):
        # The leak checker of sanitizer builds does not work under a tracer.
        return ["env", "ASAN_OPTIONS=detect_leaks=0", self.steps, "--below", str(self.root), *how,
                "--"]

    def record(self, arguments):
        """The steps of a command that is left alone."""
        file = self.scratch / "steps.jsonl"
        status, out, err = self.run(arguments, self.stepped("--record", str(file)))
        if status != 0:
            raise Broken(f"status {status} under the recorder: {out}{err}")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    def kill_at(self, step, arguments):
        """False where the command ended before that step."""
        status, out, err = self.run(arguments, self.stepped("--kill-at", str(step)))
        if status not in (0, KILLED):
            raise Broken(f"status {status} instead of a kill: {out}{err}")
        return status == KILLED

    def kill_after(self, seconds, arguments):
        process = self.start(arguments)
        time.sleep(seconds)
        process.kill()
        process.communicate()

    # -- the root

    def save(self, name):
        shutil.rmtree(self.scratch / name, ignore_errors=True)
        if self.root.exists():
            subprocess.run(["cp", "-a", self.root, self.scratch / name], check=True)

    def restore(self, name):
        shutil.rmtree(self.root, ignore_errors=True)
        if (self.scratch / name).exists():
            subprocess.run(["cp", "-a", self.scratch / name, self.root], check=True)

    def check_whole(self):
        """Whatever the moment: no broken prefix, no link that leads nowhere."""
        status, out, err = self.run(["list", "--json"])
        there = {entry.name for entry in self.visible() if not entry.is_symlink()}
        listed = {prefix["name"] for prefix in json.loads(out)["prefixes"]
                  if Path(prefix["path"]).parent == self.root} if status == 0 else None
        if listed != there:
            raise Broken(f"list says {status}, there are {sorted(there)}: {out}{err}")
        for entry in self.visible():
            if not entry.is_symlink():
                self.must(["verify", entry.name])
            if entry.is_symlink() and not (entry / ".cudaenv/receipt.json").exists():
                raise Broken(f"{entry.name} -> {os.readlink(entry)} leads to no prefix")
            if not entry.is_symlink() and not (entry / ".cudaenv/receipt.json").exists():
                raise Broken(f"{entry.name} is there and no prefix")

    def check_swept(self):
        """Nothing is left of what was under way."""
        left = [str(path.relative_to(self.root))
                for folder in ("staging", "trash", "downloads")
                for path in sorted((self.state / folder).glob("*"))]
        left += [entry.name for entry in self.root.glob(".cuda*")]
        if left:
            raise Broken(f"left over: {', '.join(left)}")

    def visible(self):
        if not self.root.exists():
            return []
        return sorted(entry for entry in self.root.iterdir() if not entry.name.startswith("."))

    def downloads(self):
        """Digest of each archive that is here in part or whole, and how much of it."""
        return {path.name.removesuffix(".partial"): path.stat().st_size
                for path in (self.state / "downloads").glob("*")}

    def snapshot(self):
        """Everything that counts: prefixes and links to the last byte, and the store's entries."""
        found = {}
        for top in self.visible() + sorted((self.state / "store").glob("*")):
            found.update(tree(top, self.root))
        return found


def tree(top, base):
    found = {}
    name = str(top.relative_to(base))
    status = top.lstat()
    if stat.S_ISLNK(status.st_mode):
        found[name] = f"-> {os.readlink(top)}"
    elif stat.S_ISDIR(status.st_mode):
        found[name] = f"folder {stat.S_IMODE(status.st_mode):o}"
        for entry in os.scandir(top):
            found.update(tree(Path(entry.path), base))
    elif top.name == "receipt.json":
        receipt = json.loads(top.read_text(encoding="utf-8"))
        receipt.pop("installed_at")
        found[name] = json.dumps(receipt)
    else:
        found[name] = f"file {stat.S_IMODE(status.st_mode):o} {sha256(top)}"
    return found


def difference(expected, seen):
    """In a few words; empty where there is none."""
    lines = [f"{path}: {expected.get(path, 'nothing')} expected, {seen.get(path, 'nothing')} there"
             for path in sorted(expected.keys() | seen.keys())
             if expected.get(path) != seen.get(path)]
    return "; ".join(lines[:5])
