#!/usr/bin/env python3
"""Holds what a person sees of `cudaenv gpu --watch` on a terminal.

    gpu_pty.py CUDAENV FOLDER_OF_THE_FAKE_DRIVER SCRATCH
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
LIMIT = 60


class Terminal:
    """The command on a terminal of its own, read as it goes."""

    def __init__(self, command, environment, columns=100, rows=30):
        self.controller, self.terminal = pty.openpty()
        self.resize(columns, rows)
        self.former = termios.tcgetattr(self.terminal)
        self.raw = ""
        self.process = subprocess.Popen(
            command, stdin=self.terminal, stdout=self.terminal, stderr=self.terminal,
            env=environment, close_fds=True, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def resize(self, columns, rows):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, pattern, start=0):
        """Reads until the pattern is there after `start`; the position behind it."""
        end = time.monotonic() + LIMIT
        while True:
            match = re.compile(pattern).search(self.raw, start)
            if match:
                return match.end()
            ready, _, _ = select.select([self.controller], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{pattern!r} did not come: {self.raw!r}")
            self.raw += os.read(self.controller, 65536).decode()

    def send(self, text):
        os.write(self.controller, text.encode())

    def end(self):
        status = self.process.wait(LIMIT)
        while select.select([self.controller], [], [], 0)[0]:
            self.raw += os.read(self.controller, 65536).decode()
        settings = termios.tcgetattr(self.terminal)
        os.close(self.controller)
        os.close(self.terminal)
        if settings != self.former:
            raise AssertionError("the terminal is set otherwise than before")
        return status


def expect(condition, what, terminal):
    if not condition:
        raise AssertionError(f"{what}: {terminal.raw!r}")


def expect_restored(terminal):
    raw = terminal.raw
    expect(raw.count(ENTER) == 1 and raw.count(LEAVE) == 1, "the screen is not the former", terminal)
    expect(raw.rindex(SHOW) > raw.rindex(HIDE), "the cursor is hidden", terminal)
    expect("\x1b[" not in raw[raw.index(LEAVE) + len(LEAVE):].replace("\x1b[0m", ""),
           "something is drawn after the screen was left", terminal)


def plain(text):
    return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", text)


def frames(terminal):
    return terminal.raw.split("\x1b[H")[1:]


def main(program, driver, scratch):
    behaviour = f"{scratch}/live-behaviour"
    base = {**os.environ, "LD_LIBRARY_PATH": driver, "FAKE_NVML": f"@{behaviour}",
            "TERM": "xterm-256color", "CUDAENV_DRIVER_TIMEOUT": "1"}
    base.pop("NO_COLOR", None)
    watch = [program, "gpu", "--watch", "--interval", "0.1"]

    def behave(text):
        with open(f"{behaviour}.new", "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(f"{behaviour}.new", behaviour)

    print("-- ctrl-c gives the screen back", flush=True)
    behave("devices=2,util=50")
    terminal = Terminal(watch, base)
    terminal.until("▅▅▅")
    terminal.send("\x03")
    expect(terminal.end() == 130, "another status", terminal)
    expect_restored(terminal)
    expect("\x1b[36m" in terminal.raw, "no colour", terminal)

    print("-- so does q, and SIGTERM", flush=True)
    for stop, status in ((lambda t: t.send("q"), 0),
                         (lambda t: t.process.send_signal(signal.SIGTERM), 143)):
        terminal = Terminal(watch, base)
        terminal.until("GPU 1")
        stop(terminal)
        expect(terminal.end() == status, f"status {status} was expected", terminal)
        expect_restored(terminal)

    print("-- a change of size is followed, also to a very small one", flush=True)
    terminal = Terminal(watch[:3] + ["--interval", "600"], base)  # nothing but the size redraws
    position = terminal.until(r"\x1b\[J")
    for columns, rows in ((40, 10), (12, 4), (3, 2), (200, 60)):
        terminal.resize(columns, rows)
        end = terminal.until(r"\x1b\[H(?s:.*?)\x1b\[J", position)
        frame = terminal.raw[position:end].split("\x1b[H")[1]
        lines = plain(frame).replace("\r", "").split("\n")
        expect(len(lines) <= rows and all(len(line) < columns for line in lines),
               f"the view does not fit {columns} x {rows}", terminal)
        position = end
    terminal.send("q")
    expect(terminal.end() == 0, "another status", terminal)

    print("-- a GPU that is lost, a driver that crashes and one that hangs are said", flush=True)
    terminal = Terminal(watch, base)
    position = terminal.until("GPU 1")
    behave("devices=2,gone=1")
    position = terminal.until("fallen off the bus", position)
    behave("devices=2,crash=nvmlDeviceGetPowerUsage")
    position = terminal.until("crashed in nvmlDeviceGetPowerUsage", position)
    behave("devices=2,hang=nvmlDeviceGetTemperature")
    position = terminal.until("did not come back from nvmlDeviceGetTemperature", position)
    behave("devices=2,temp=77")
    terminal.until("77 C", position)
    terminal.send("\x03")
    expect(terminal.end() == 130, "another status", terminal)
    expect_restored(terminal)

    print("-- NO_COLOR has no colour, TERM=dumb no screen", flush=True)
    behave("devices=1")
    terminal = Terminal(watch + ["--count", "3"], {**base, "NO_COLOR": "1"})
    terminal.until(re.escape(LEAVE))
    expect(terminal.end() == 0, "another status", terminal)
    expect(not re.search(r"\x1b\[[0-9;]*m", terminal.raw), "a colour", terminal)
    terminal = Terminal(watch + ["--count", "2"], {**base, "TERM": "dumb"})
    terminal.until("(?s:gpu=0.*gpu=0.*\n)")
    expect(terminal.end() == 0, "another status", terminal)
    expect("\x1b" not in terminal.raw, "an escape with TERM=dumb", terminal)

    print("-- without a driver no screen is taken", flush=True)
    behave("devices=0")
    terminal = Terminal(watch, base)
    terminal.until("no NVIDIA GPU is here")
    expect(terminal.end() == 77, "another status", terminal)
    expect(ENTER not in terminal.raw, "the screen was taken", terminal)


if __name__ == "__main__":
    main(*sys.argv[1:])
