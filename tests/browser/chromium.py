"""Headless Chromium, driven by its DevTools protocol through a pair of pipes.

Needs Chromium (`chromium`, or the program named by FIVENINES_CHROMIUM); its absence is a failure.
"""

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_SECONDS = 60.0
"""A command that is not answered in this time is a failure."""

_SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip


def program() -> str:
    """The browser's path."""
    found = shutil.which(os.environ.get("FIVENINES_CHROMIUM", "chromium"))
    assert found, "these tests need Chromium: apt-get install chromium"
    return found


class Page:
    """A tab: loads a page, runs scripts in it, presses keys, prints."""

    def __init__(self, browser: "Browser") -> None:
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session: str = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the DevTools protocol; its result."""
        return self._browser.call(method, self._session, **parameters)

    def size(self, width: int, height: int, scheme: str = "light") -> None:
        """The window in CSS px, and the colour scheme that is asked for."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def open(self, address: str) -> None:
        """Load a page and wait for its load event."""
        self._browser.events.clear()
        self.call("Page.navigate", url=address)
        end = time.monotonic() + _SECONDS
        while self.run("document.readyState + location.href") != f"complete{address}":
            assert time.monotonic() < end, f"{address} did not load"
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        """The value of an expression, as JSON has it; a script's error is a failure."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        """A key such as Tab or Enter, down and up."""
        text = {"Enter": "\r"}.get(key)
        code = {"Tab": 9, "Enter": 13, "Escape": 27}[key]
        same: dict[str, Any] = {
            "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 * shift
        }  # fmt: skip
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", **down, **same)
        self.call("Input.dispatchKeyEvent", type="keyUp", **same)

    def requests(self) -> list[str]:
        """What was asked for since the page was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def pdf(self, **options: Any) -> bytes:
        """The page as it prints."""
        return base64.b64decode(self.call("Page.printToPDF", **options)["data"])

    def picture(self, path: Path) -> None:
        """What the window shows, as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


class Browser:
    """A running Chromium."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._rest = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; what happens meanwhile is kept in `events`."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._reading, 1 << 20)
            assert more, "Chromium ended"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser with this profile folder; it ends with the block."""
    to_child, writing = os.pipe()
    reading, from_child = os.pipe()
    # the protocol's pipes are file descriptors 3 and 4; first out of the way, should they be taken
    script = f'exec 13<&{to_child} 14>&{from_child}; exec "$@" 3<&13 4>&14'
    process = subprocess.Popen(
        ["bash", "-c", script, "chromium", program(), *_SWITCHES, f"--user-data-dir={profile}"],
        pass_fds=(to_child, from_child), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(to_child)
    os.close(from_child)
    browser = Browser(reading, writing)
    try:
        yield browser
    finally:
        with suppress(AssertionError, OSError):
            browser.call("Browser.close")
        os.close(writing)
        os.close(reading)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
