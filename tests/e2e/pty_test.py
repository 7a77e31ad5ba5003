#!/usr/bin/env python3
"""Holds what a person sees who installs on a terminal.

    pty_test.py CUDAENV SLOW FAST SCRATCH     two mirrors; the slow one's 12.2 never ends
    pty_test.py --wheel-offer CUDAENV SCRATCH
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

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
LIMIT = 60  # seconds for one command
ESCAPE = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])")


class Screen:
    """What a terminal shows after some output: just the codes that cudaenv uses."""

    def __init__(self, columns):
        self.columns = columns
        self.lines = [""]
        self.row = 0
        self.column = 0
        self.cursor = True
        self.widest = 0

    def feed(self, text):
        position = 0
        while position < len(text):
            match = ESCAPE.match(text, position)
            if match:
                self.escape(match.group(1), match.group(2))
                position = match.end()
                continue
            self.put(text[position])
            position += 1

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append("")
        else:
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
            self.column += 1
            self.widest = max(self.widest, self.column)

    def escape(self, argument, letter):
        if letter == "F":
            self.row = max(0, self.row - int(argument or 1))
            self.column = 0
        elif letter == "J" and argument in ("", "0"):
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        elif letter == "K" and argument in ("", "0"):
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif letter in "hl" and argument == "?25":
            self.cursor = letter == "h"
        elif letter != "m":
            raise AssertionError(f"an unknown code: ESC [ {argument} {letter}")

    def text(self):
        return [line.rstrip() for line in self.lines if line.strip()]


class Run:
    """A command on a terminal of its own. `answers` are sent when their text appears."""

    def __init__(self, command, environment, answers=(), columns=100, rows=30):
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen(
            command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment,
            close_fds=True, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(terminal)
        self.raw = self.converse(controller, list(answers))
        os.close(controller)
        self.status = process.wait(LIMIT)
        self.screen = Screen(columns)
        self.screen.feed(self.raw)
        self.frames = self.raw.count("\x1b[J")

    def converse(self, controller, answers):
        raw = b""
        end = time.monotonic() + LIMIT
        while True:
            ready, _, _ = select.select([controller], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"nothing more for {LIMIT} s after {raw!r}")
            try:
                data = os.read(controller, 65536)
            except OSError:  # the other end is closed
                return raw.decode()
            if not data:
                return raw.decode()
            raw += data
            if answers and re.search(answers[0][0].encode(), raw):
                time.sleep(0.2)  # nobody answers before the question is read
                os.write(controller, answers.pop(0)[1].encode())


def expect(condition, what, run):
    if not condition:
        raise AssertionError(f"{what}\nstatus {run.status}, screen:\n" +
                             "\n".join(run.screen.text()) + f"\nraw: {run.raw!r}")


def expect_clean_end(run):
    expect(HIDE in run.raw, "the cursor was never hidden: there was no display", run)
    expect(run.screen.cursor, "the cursor is still hidden", run)
    expect(run.raw.count(HIDE) == run.raw.count(SHOW), "the cursor was hidden once too often", run)
    display = Screen(run.screen.columns)
    display.feed(run.raw[run.raw.index(HIDE):run.raw.rindex(SHOW)])
    expect(display.widest < display.columns, "a line of the display reached the last column", run)
    left = [line for line in run.screen.text() if re.search("[⠀-⣿█…]| archives ", line)]
    expect(not left, f"left of the display: {left}", run)


class Suite:
    def __init__(self, program, slow, fast, scratch):
        self.program = program
        self.slow = slow
        self.fast = fast
        self.scratch = scratch
        self.count = 0
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("CUDAENV_ACCEPT_EULA", "NO_COLOR")}
        self.environment["TERM"] = "xterm-256color"

    def new_root(self):
        self.count += 1
        self.environment["CUDAENV_ROOT"] = f"{self.scratch}/terminal-{self.count}"
        os.makedirs(self.environment["CUDAENV_ROOT"])

    def install(self, spec, *more):
        return [self.program, "install", spec, "--profile", "minimal", "--platform", "linux-x86_64",
                "--mirror", self.slow, "--trust-mirror", *more]

    def install_fast(self, *more):
        return [self.fast if word == self.slow else word for word in self.install("12.1", *more)]

    def root(self):
        return self.environment["CUDAENV_ROOT"]

    def licence_once_and_a_display(self):
        self.new_root()
        run = Run(self.install("12.1"), self.environment, [(r"\[Y/n\]", "\n")])
        expect(run.status == 0, "the install failed", run)
        expect_clean_end(run)
        expect(run.raw.count("Do you accept it?") == 1, "the licence is not asked once", run)
        expect(run.frames >= 5, "the display was hardly drawn", run)
        expect("cuda_cudart 12.1.1.7" in run.raw and "█" in run.raw, "no bar was drawn", run)
        expect(re.search(r"[0-4]/5.*archives", run.raw), "no sum was drawn", run)
        lines = run.screen.text()
        expect(len(lines) == 4 and lines[0].startswith("NVIDIA's software") and
               lines[1].startswith("Do you accept it?") and
               lines[2] == f"installed CUDA 12.1.1 in {self.root()}/cuda-12.1.1" and
               lines[3] == "it is the default now", "other lines than expected stay", run)
        again = Run(self.install("12.1", "--name", "again"), self.environment)
        expect(again.status == 0 and "accept" not in again.raw, "the licence is asked again", again)
        expect_clean_end(again)

    def licence_refused(self):
        self.new_root()
        for answer, status in (("n\n", 2), ("\x04", 2), ("\x03", 130), ("what\nyes\n", 0)):
            run = Run(self.install_fast(), self.environment, [(r"\[Y/n\]", answer)])
            expect(run.status == status, f"status {status} was expected after {answer!r}", run)
            installed = os.path.exists(f"{self.root()}/cuda-12.1.1")
            expect(installed == (status == 0), f"installed after {answer!r}: {installed}", run)

    def accepted(self, **more):
        return {**self.environment, "CUDAENV_ACCEPT_EULA": "1", **more}

    def no_colour(self):
        self.new_root()
        run = Run(self.install("12.1"), self.accepted(NO_COLOR="1"))
        expect(run.status == 0, "the install failed", run)
        expect_clean_end(run)
        expect(not re.search(r"\x1b\[[0-9;]*m", run.raw), "a colour in spite of NO_COLOR", run)
        listed = Run([self.program, "list"], self.accepted(NO_COLOR="1"))
        expect("\x1b" not in listed.raw, "a colour in the list in spite of NO_COLOR", listed)
        listed = Run([self.program, "list"], self.accepted())
        expect("\x1b[" in listed.raw, "no colour in the list on a terminal", listed)

    def no_display(self):
        for name, environment, words in (
                ("TERM=dumb", self.accepted(TERM="dumb"), []),
                ("CUDAENV_NO_PROGRESS", self.accepted(CUDAENV_NO_PROGRESS="1", NO_COLOR="1"), []),
                ("--no-progress", self.accepted(NO_COLOR="1"), ["--no-progress"]),
                ("--quiet", self.accepted(), ["--quiet"])):
            self.new_root()
            run = Run(self.install_fast(*words), {**environment, "CUDAENV_ROOT": self.root()})
            expect(run.status == 0, f"the install with {name} failed", run)
            expect("\x1b" not in run.raw, f"an escape with {name}", run)
            expect(("unpacked" in run.raw) == (name != "--quiet"), f"other words with {name}", run)

    def piped(self):
        self.new_root()
        result = subprocess.run(self.install_fast(), env=self.accepted(), capture_output=True,
                                stdin=subprocess.DEVNULL, timeout=LIMIT)
        for stream in (result.stdout, result.stderr):
            if result.returncode != 0 or b"\x1b" in stream or b"\r" in stream:
                raise AssertionError(f"piped: {result}")

    def narrow(self):
        for columns in (20, 40):
            self.new_root()
            run = Run(self.install("12.1"), self.accepted(), columns=columns)
            expect(run.status == 0, f"the install on {columns} columns failed", run)
            expect_clean_end(run)

    def interrupted(self):
        self.new_root()
        run = Run(self.install("12.2"), self.accepted(),
                  [(r"4/5.*\n(?s:.)*4/5", "\x03")])
        expect(run.status == 130, "Ctrl-C has another status", run)
        expect_clean_end(run)
        expect(run.screen.text()[-1].endswith("interrupted"), "the last line is another", run)

    def failed(self):
        self.new_root()
        run = Run(self.install("12.1", "--mirror", "http://127.0.0.1:1", "--component", "nothing"),
                  self.accepted())
        expect(run.status == 2, "the status is another", run)
        expect("\x1b[1;31merror:\x1b[0m" in run.raw, "the error is not red", run)
        expect(run.screen.cursor, "the cursor is still hidden", run)

    def check(self):
        for case in (self.licence_once_and_a_display, self.licence_refused, self.no_colour,
                     self.no_display, self.piped, self.narrow, self.interrupted, self.failed):
            print("--", case.__name__.replace("_", " "), flush=True)
            case()


def check_wheel_offer(program, scratch):
    suite = Suite(program, "", "", scratch)
    suite.new_root()
    environment = suite.accepted()
    command = [program, "install", "12.1", "--profile", "minimal", "--source", "wheels",
               "--platform", "linux-x86_64"]
    run = Run(command, environment, [(r"\[y/N\]", "\n")])
    expect(run.status == 1, "an offer that was declined is no success", run)
    expect(run.raw.count("Install that instead?") == 1, "it is not offered once", run)
    expect("--profile runtime" in run.raw, "the offer does not say what it is", run)
    expect(run.screen.cursor, "the cursor is still hidden", run)
    expect(not os.path.exists(f"{suite.root()}/cuda-12.1.1"), "it was installed all the same", run)


def main(arguments):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        if arguments[:1] == ["--wheel-offer"]:
            check_wheel_offer(*arguments[1:])
        else:
            Suite(*arguments).check()
    except AssertionError as failure:
        print(f"FAIL: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
