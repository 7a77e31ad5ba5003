#!/usr/bin/env python3
"""Many processes on one root: installs, removals, and readers that look all the while.

    many_at_once.py SCRATCH CUDAENV MIRROR-URL MIRROR-LOG STALLING-URL STALLING-LOG
"""

import argparse
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import cli_tree
from kill_lab import Broken, Lab

STEPS = ["--platform", "linux-x86_64", "--trust-mirror"]
NOBODY = 65534
STALL = 40_000  # bytes of an archive that a stalling server gives


def build(served):
    """12.1.0 and 12.1.1 share all but NVRTC."""
    shared = [("cuda_cudart", "12.1.0.7"), ("cuda_cccl", "12.1.0.7")]
    for release in ("12.1.0", "12.1.1"):
        cli_tree.add_release(served, "cuda", release,
                             shared + [("cuda_nvrtc", f"{release}.7")], bulk=100_000)


class Crowd:
    def __init__(self, lab, url, log):
        self.lab, self.url, self.log = lab, url, Path(log)

    def install(self, spec, components, *more, url=None):
        return ["install", spec, "--component", components, "--mirror", url or self.url,
                *STEPS, *more]

    def together(self, commands):
        """Starts all, then waits for all: (command, status, stderr)."""
        running = [(command, self.lab.start(command)) for command in commands]
        ended = []
        for command, process in running:
            _, err = process.communicate(timeout=120)
            ended.append((command, process.returncode, err))
        return ended

    def watched(self, commands):
        """The same under the eyes of readers, to whom everything is whole at every moment."""
        done, problems = threading.Event(), []
        looks = collections.Counter()
        readers = [threading.Thread(target=self.look, args=(how, done, looks, problems))
                   for how in (self.look_at_list, self.look_at_links, self.move_default)]
        for reader in readers:
            reader.start()
        try:
            return self.together(commands)
        finally:
            done.set()
            for reader in readers:
                reader.join()
            if problems:
                raise Broken(problems[0])
            if min(looks[reader.__name__] for reader in
                   (self.look_at_list, self.look_at_links)) < 1:
                raise Broken(f"the readers hardly looked: {dict(looks)}")

    def look(self, how, done, looks, problems):
        try:
            while not done.is_set() and not problems:
                how()
                looks[how.__name__] += 1
        except Broken as error:
            problems.append(str(error))

    def look_at_list(self):
        """What `list` names is whole, unless it is gone or has changed by the time of the look."""
        out = self.lab.must(["list", "--json"])
        for prefix in json.loads(out)["prefixes"] if out else []:
            path = Path(prefix["path"])
            for _ in range(5):
                before = identity(path)
                status, out, err = self.lab.run(["verify", prefix["name"]])
                if status == 0 or before != identity(path):
                    break
            else:
                continue
            if status != 0 and before is not None and before == identity(path):
                raise Broken(f"{prefix['name']} was listed and is not whole: {out}{err}")

    def look_at_links(self):
        for link in ("cuda", "cuda-12.1"):
            path = self.lab.root / link
            for _ in range(100):
                before = identity(path, os.lstat)
                leads = (path / ".cudaenv/receipt.json").exists()
                if before and not leads and before == identity(path, os.lstat):
                    raise Broken(f"{link} led nowhere")
        time.sleep(0.001)

    def move_default(self):
        for name in ("12.1.0", "other"):
            status, out, err = self.lab.run(["default", name])
            if status != 0 and "no installed toolkit" not in err and "just been" not in err:
                raise Broken(f"status {status} from default {name}: {out}{err}")
            status, out, err = self.lab.run(["which", "cuda_cudart"])
            if status != 0 and "no toolkit is active" not in err and "has no" not in err:
                raise Broken(f"status {status} from which: {out}{err}")

    def fetched(self):
        """How often each archive was asked for."""
        time.sleep(0.05)  # the server writes a line right after the answer
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return collections.Counter(line.split()[1] for line in lines if ".tar.xz" in line)

    # -- what is tested

    def sixteen_installs(self):
        both = "cuda_cudart,cuda_nvrtc"
        commands = 6 * [self.install("12.1.1", both)] + 4 * [self.install("12.1.0", both)]
        commands += 2 * [self.install("12.1.1", "cuda_cccl")]
        commands += 2 * [self.install("12.1.0", "cuda_cccl")]
        commands += 2 * [self.install("12.1.1", both, "--name", "other")]
        self.all_succeed(self.watched(commands))
        repeated = {path: count for path, count in self.fetched().items() if count != 1}
        if repeated or len(self.fetched()) != 4:
            raise Broken(f"fetched other than once each: {self.fetched()}")
        self.holds({"cuda-12.1.0": {"cuda_cccl", "cuda_cudart", "cuda_nvrtc"},
                    "cuda-12.1.1": {"cuda_cccl", "cuda_cudart", "cuda_nvrtc"},
                    "cuda-other": {"cuda_cudart", "cuda_nvrtc"}})

    def removals_against_installs(self):
        both = "cuda_cudart,cuda_nvrtc"
        for _ in range(3):
            commands = [["uninstall", "cuda-12.1.1", "--force"], ["gc"],
                        self.install("12.1.1", both), self.install("12.1.0", "cuda_nvrtc"),
                        ["uninstall", "cuda-12.1.0", "--force"], ["gc"],
                        self.install("12.1.1", "cuda_cccl"), self.install("12.1.0", both)]
            for command, status, err in self.watched(commands):
                beaten = {"uninstall": ("no installed toolkit", "just been removed"),
                          "gc": ("is under way",)}.get(command[0], ())
                if status != 0 and not any(words in err for words in beaten):
                    raise Broken(f"status {status} from {' '.join(command)}: {err}")
            self.lab.check_whole()
        self.all_succeed(self.together([self.install("12.1.1", both + ",cuda_cccl")]))
        self.lab.must(["gc"])
        self.lab.check_whole()
        self.lab.check_swept()

    def all_succeed(self, ended):
        for command, status, err in ended:
            if status != 0:
                raise Broken(f"status {status} from {' '.join(command)}: {err}")
        self.lab.check_whole()
        self.lab.check_swept()

    def holds(self, expected):
        for name, components in expected.items():
            receipt = json.loads((self.lab.root / name / ".cudaenv/receipt.json").read_text())
            seen = {component["name"] for component in receipt["components"]}
            if seen != components:
                raise Broken(f"{name} holds {sorted(seen)} instead of {sorted(components)}")


class Waiters:
    """One process holds the lock of an archive whose server stalls; others want it too."""

    def __init__(self, crowd, url, log):
        self.crowd, self.lab, self.url, self.log = crowd, crowd.lab, url, Path(log)
        self.component = None

    def start(self):
        return self.lab.start(self.crowd.install("12.1.1", self.component, url=self.url))

    def start_holder(self, component):
        """The server stalls, once, in the middle of the archive."""
        self.lab.restore("nothing")
        self.component = component
        holder = self.start()
        wait_until(lambda: STALL in self.lab.downloads().values(), "a partial archive")
        return holder

    def wait_for(self, process, holder):
        """The line with which a waiter says whom it waits for."""
        for line in process.stderr:
            if line.startswith("note: waiting"):
                wanted = f"waiting for process {holder.pid} (the archive of {self.component}"
                if wanted not in line:
                    raise Broken(f"a waiter says: {line}")
                return
        raise Broken("a waiter did not say whom it waits for")

    def holder_is_killed(self):
        holder = self.start_holder("cuda_nvrtc")
        waiters = [self.start() for _ in range(3)]
        for waiter in waiters:
            self.wait_for(waiter, holder)
        holder.kill()
        holder.communicate()
        for waiter in waiters:
            _, err = waiter.communicate(timeout=60)
            if waiter.returncode != 0:
                raise Broken(f"a waiter ended with {waiter.returncode}: {err}")
        wait_until(lambda: f"bytes={STALL}-" in self.log.read_text(), "a resumed download")
        self.lab.check_whole()
        self.lab.check_swept()

    def holder_is_stopped(self):
        holder = self.start_holder("cuda_cccl")
        holder.send_signal(signal.SIGSTOP)
        try:
            self.give_up(holder)
            self.be_interrupted(holder)
            # Whoever needs nothing of it need not wait.
            self.lab.must(self.crowd.install("12.1.0", "cuda_cudart"))
            self.lab.must(["default", "12.1.0"])
            self.lab.must(["verify", "12.1.0"])
        finally:
            holder.kill()
            holder.communicate()
        _, err = self.finish(self.start())
        self.lab.check_whole()
        self.lab.check_swept()

    def finish(self, process):
        out, err = process.communicate(timeout=60)
        if process.returncode != 0:
            raise Broken(f"status {process.returncode} after the holder's end: {err}")
        return out, err

    def give_up(self, holder):
        self.lab.environment["CUDAENV_LOCK_TIMEOUT"] = "1"
        waiter = self.start()
        self.lab.environment["CUDAENV_LOCK_TIMEOUT"] = "60"
        _, err = waiter.communicate(timeout=30)
        for words in (f"is held by process {holder.pid}", "waited 1 s", "CUDAENV_LOCK_TIMEOUT"):
            if words not in err:
                raise Broken(f"whoever gave up does not say `{words}`: {err}")
        if waiter.returncode != 1:
            raise Broken(f"whoever gave up ended with {waiter.returncode}")

    def be_interrupted(self, holder):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            waiter = self.start()
            self.wait_for(waiter, holder)
            waiter.send_signal(number)
            waiter.communicate(timeout=10)
            if waiter.returncode != status:
                raise Broken(f"a waiter ended with {waiter.returncode}, not {status}")


class TwoUsers:
    """root owns the system root; somebody else reads there and may not write."""

    def __init__(self, crowd):
        self.crowd, self.lab = crowd, crowd.lab

    def run(self):
        lab = self.lab
        lab.restore("nothing")
        os.chmod(lab.scratch, 0o755)
        lab.must(self.crowd.install("12.1.0", "cuda_cudart"))
        writers = [lab.start(self.crowd.install("12.1.1", "cuda_cudart,cuda_nvrtc", "--force"))
                   for _ in range(4)]
        looks = 0
        while any(writer.poll() is None for writer in writers) or looks < 3:
            for command in (["list"], ["verify", "12.1.0"], ["prefix", "12.1.0"]):
                self.other(command, 0)
            looks += 1
        for writer in writers:
            _, err = writer.communicate()
            if writer.returncode != 0:
                raise Broken(f"status {writer.returncode} from an install of root's: {err}")
        before = lab.snapshot()
        for command in (self.crowd.install("12.1.1", "cuda_cccl"), ["default", "12.1.1"],
                        ["uninstall", "12.1.0", "--force"]):
            err = self.other(command, 1)
            if "permission denied" not in err or "help: " not in err:
                raise Broken(f"{command[0]} of another user says: {err}")
        if before != lab.snapshot():
            raise Broken("another user changed the root")
        # Nor does what he did keep root from anything.
        lab.must(self.crowd.install("12.1.1", "cuda_cccl"))
        lab.check_whole()
        lab.check_swept()

    def other(self, command, expected):
        home = self.lab.scratch / "other"
        if not home.exists():
            home.mkdir()
            os.chown(home, NOBODY, NOBODY)
        wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                   "env", f"HOME={home}", f"CUDAENV_CACHE_DIR={home}/cache"]
        status, out, err = self.lab.run(command, wrapper)
        if status != expected:
            raise Broken(f"status {status} from another user's {' '.join(command)}: {out}{err}")
        return err


def identity(path, look=os.stat):
    """Changes with every replacement of a prefix, or with lstat of a link; nothing if it is away."""
    try:
        status = look(path)
        return status.st_ino, status.st_ctime_ns
    except OSError:
        return None


def wait_until(condition, what):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise Broken(f"{what} did not come")


def can_be_another_user(lab):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return "not root, or no setpriv"
    reaches = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
         lab.program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False)
    return "" if reaches.returncode == 0 else "another user cannot run the program where it lies"


def main():
    parser = argparse.ArgumentParser()
    for name in ("scratch", "cudaenv", "url", "log", "stalling_url", "stalling_log"):
        parser.add_argument(name)
    options = parser.parse_args()
    scratch = Path(options.scratch)
    (scratch / "home").mkdir(exist_ok=True)
    build(scratch / "served")
    lab = Lab(scratch, options.cudaenv, None)
    crowd = Crowd(lab, options.url, options.log)
    waiters = Waiters(crowd, options.stalling_url, options.stalling_log)
    tests = [crowd.sixteen_installs, crowd.removals_against_installs, waiters.holder_is_killed,
             waiters.holder_is_stopped]
    reason = can_be_another_user(lab)
    if reason:
        print(f"left out, two users: {reason}")
    else:
        tests.append(TwoUsers(crowd).run)
    for test in tests:
        begin = time.monotonic()
        try:
            test()
        except Broken as error:
            print(f"FAIL: {test.__qualname__}: {error}", file=sys.stderr)
            return 1
        print(f"{test.__qualname__}: {time.monotonic() - begin:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
