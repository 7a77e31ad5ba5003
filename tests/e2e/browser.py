"""A headless Chromium, spoken to through a pipe: one page, its sizes and schemes, what it says."""

import base64
import fcntl
import itertools
import json
import os
import select
import signal
import time


class Browser:
    """Ends with its `with`. Everything waits at most `limit` seconds."""

    def __init__(self, program, profile, limit=60):
        self.limit = limit
        self.events = []
        self.numbers = itertools.count(1)
        self.received = b""
        # High numbers, so that none of them is 3 or 4, which the browser reads and writes.
        ours, theirs = os.pipe(), os.pipe()
        to_browser, from_us = (self._high(end) for end in ours)
        self.from_browser, of_browser = (self._high(end) for end in theirs)
        self.to_browser = from_us
        self.process = os.posix_spawn(
            program,
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-extensions", "--hide-scrollbars",
             f"--user-data-dir={profile}", "about:blank"],
            {**os.environ, "HOME": profile},
            file_actions=[(os.POSIX_SPAWN_DUP2, to_browser, 3),
                          (os.POSIX_SPAWN_DUP2, of_browser, 4),
                          (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                          (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)],
            setpgroup=0)
        os.close(to_browser)
        os.close(of_browser)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    @staticmethod
    def _high(end):
        high = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 100)
        os.close(end)
        return high

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The browser is a group of processes of its own.
        os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.to_browser)
        os.close(self.from_browser)

    def call(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.to_browser, text):]
        answer = self._wait(lambda each: each.get("id") == number, method)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _wait(self, wanted, what):
        end = time.monotonic() + self.limit
        while True:
            message = self._next(end, what)
            if wanted(message):
                return message
            if "method" in message:
                self.events.append(message)

    def _next(self, end, what):
        while b"\0" not in self.received:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.from_browser, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError(f"{what}: the browser " + ("has ended" if ready else "does not answer"))
            self.received += piece
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def look(self, width, height, dark):
        """How wide the window is and which colours the user likes."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, address):
        self.events.clear()
        self.call("Page.navigate", url=address)
        if not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._wait(
                lambda each: each.get("method") == "Page.loadEventFired", address))

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"]["value"]

    def complaints(self):
        """Errors on the console and what the page asked of the network since it was opened."""
        said = []
        for event in self.events:
            method, what = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                details = what["exceptionDetails"]
                said.append(details.get("exception", details).get("description", details["text"]))
            elif method == "Log.entryAdded":
                said.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")
            elif method == "Runtime.consoleAPICalled":
                said.append(f"console: {json.dumps(what['args'])[:300]}")
            elif method == "Network.requestWillBeSent" and what["type"] != "Document":
                said.append(f"it asks for {what['request']['url'][:200]}")
        return said

    def picture(self, file):
        size = self.value("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 4000), "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
