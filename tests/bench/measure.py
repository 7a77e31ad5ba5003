"""Runs commands, takes their time and memory, and prints them side by side."""

import os
import shlex
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Sample:
    wall: float  # seconds
    cpu: float  # seconds of user and system, of all processes
    anonymous: int = 0  # peak of heap and anonymous memory, bytes; only when asked for


@dataclass
class Peer:
    """One of the commands that are compared. `command` gets the number of the round."""

    name: str
    command: object  # round -> list of words
    before: object = None  # round -> None, not timed
    after: object = None
    environment: dict = field(default_factory=dict)
    samples: list = field(default_factory=list)

    def median(self):
        return statistics.median(sample.wall for sample in self.samples)


def run(command, environment=None, memory=False, output=subprocess.DEVNULL):
    """Runs one command to its end; a status other than 0 ends the benchmark."""
    usage = os.times()
    begin = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.PIPE)
    watch = MemoryWatch(process.pid) if memory else None
    _, talk = process.communicate()
    wall = time.perf_counter() - begin
    after = os.times()
    if process.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}\n  ended with {process.returncode}: "
                         f"{talk.decode(errors='replace')}")
    cpu = (after.children_user - usage.children_user
           + after.children_system - usage.children_system)
    return Sample(wall, cpu, watch.peak() if watch else 0)


class MemoryWatch:
    """Looks every 2 ms how much anonymous memory a process has."""

    def __init__(self, pid):
        self.status = Path(f"/proc/{pid}/status")
        self.most = 0
        self.ended = False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.ended:
            try:
                for line in self.status.read_text().splitlines():
                    if line.startswith("RssAnon:"):
                        self.most = max(self.most, int(line.split()[1]) * 1024)
            except (OSError, IndexError, ValueError):
                pass  # it has just ended
            time.sleep(0.002)

    def peak(self):
        self.ended = True
        self.thread.join()
        return self.most


def compare(peers, rounds, memory=False):
    """Runs all peers in turn, round by round, so that the machine's moods meet them alike."""
    for number in range(rounds):
        for peer in peers:
            if peer.before:
                peer.before(number)
            os.sync()
            environment = {**os.environ, **peer.environment}
            peer.samples.append(run(peer.command(number), environment, memory))
            if peer.after:
                peer.after(number)


def table(peers, reference, unit="s"):
    """Markdown: median, spread, and the ratio to the reference, taken round by round."""
    scale = {"s": 1, "ms": 1000}[unit]
    base = next(peer for peer in peers if peer.name == reference)
    lines = [f"| command | median {unit} | min to max | CPU s | / {reference} |",
             "| --- | ---: | ---: | ---: | ---: |"]
    for peer in peers:
        walls = [sample.wall for sample in peer.samples]
        ratios = [sample.wall / other.wall for sample, other in zip(peer.samples, base.samples)]
        cpu = statistics.median(sample.cpu for sample in peer.samples)
        lines.append(f"| {peer.name} | {peer.median() * scale:.3g} "
                     f"| {min(walls) * scale:.3g} to {max(walls) * scale:.3g} | {cpu:.3g} "
                     f"| {statistics.median(ratios):.2f} |")
    return "\n".join(lines)


def show(command):
    """The command as one would type it; of a long row of arguments the first and how many."""
    words = [str(word) for word in command]
    if words[0] == "env":
        first = next(at for at, word in enumerate(words[1:], 1) if "=" not in word)
        words = ["env", "..."] + words[first:]
    more = ""
    if len(shlex.join(words)) > 240:
        more = f" ... ({len(words) - 4} more)"
        words = words[:4]
    return "    " + shlex.join(words).replace("env ... ", "") + more
