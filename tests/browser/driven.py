"""A page in headless Chromium that is driven as a user would: pointer, keys, paper, scripts on and off.

Speaks the DevTools protocol through a pipe, so that no port and no library is needed. Needs Chromium
(`chromium`, or the program named by FIVENINES_CHROMIUM); its absence is a failure.
"""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_KEYS = {
    "Escape": 27,
    "Enter": 13,
    "Tab": 9,
    "ArrowLeft": 37,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "0": 48,
    "+": 187,
    "-": 189,
    " ": 32,
}


class Driven:
    """One page of a browser."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read, self._rest, self._last = write, read, b"", 0
        self._session = ""
        self.errors: list[str] = []
        """Errors of the page's console and scripts."""
        self.asked: list[str] = []
        """Addresses of all requests."""
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        attached = self._send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")

    def window(self, width: int, height: int = 900, dark: bool = False) -> None:
        """Set the size of the window in CSS px, and the preferred colour scheme."""
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", media="", features=[scheme])

    def paper(self, width: int = 703, height: int = 1032) -> None:
        """Emulate a sheet of A4 without its margins, until the next call of `window`."""
        self.window(width, height)
        self._send("Emulation.setEmulatedMedia", media="print")

    def scripts(self, on: bool) -> None:
        """Enable or disable the scripts of pages."""
        self._send("Emulation.setScriptExecutionDisabled", value=not on)

    def open(self, address: str | Path) -> None:
        """Show a page, and wait until it has loaded."""
        url = address.as_uri() if isinstance(address, Path) else address
        self._loaded = False
        self._send("Page.navigate", url=url)
        deadline = time.monotonic() + 60
        while not self._loaded and time.monotonic() < deadline:
            self._take()
        assert self._loaded, f"{url} did not load"

    def js(self, expression: str) -> Any:
        """Return the value of an expression in the page, or of its promise."""
        found = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str, seconds: float = 30) -> Any:
        """Wait until an expression is true, and return its value."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := self.js(expression):
                return found
            time.sleep(0.05)
        raise AssertionError(f"not so after {seconds} s: {expression}\n{self.errors}")

    def into_view(self, selector: str) -> tuple[float, float]:
        """Scroll to the first element, and return its centre."""
        place = self.js(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
            " one.scrollIntoView({block: 'center'}); const b = one.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return place[0], place[1]

    def move(self, x: float, y: float) -> None:
        """Move the pointer to a place of the window."""
        self._mouse("mouseMoved", x, y)

    def click(self, x: float, y: float, times: int = 1) -> None:
        """Click at a place of the window."""
        self.move(x, y)
        for each in range(1, times + 1):
            self._mouse("mousePressed", x, y, button="left", clickCount=each)
            self._mouse("mouseReleased", x, y, button="left", clickCount=each)

    def drag(self, x: float, y: float, to_x: float) -> None:
        """Press, move sideways, release."""
        self.move(x, y)
        self._mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in (0.5, 1.0):
            self._mouse("mouseMoved", x + part * (to_x - x), y, button="left", buttons=1)
        self._mouse("mouseReleased", to_x, y, button="left", clickCount=1)

    def wheel(self, x: float, y: float, up: float) -> None:
        """Turn the wheel at a place."""
        self._mouse("mouseWheel", x, y, deltaX=0, deltaY=-up)

    def press(self, key: str) -> None:
        """Press a key; one letter types it."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        about = {"key": key, "windowsVirtualKeyCode": _KEYS.get(key, 0), "text": text}
        self._send("Input.dispatchKeyEvent", type="keyDown", **about)
        self._send("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Insert text at the focus."""
        self._send("Input.insertText", text=text)

    def print(self) -> bytes:
        """Return the page as PDF."""
        return base64.b64decode(self._send("Page.printToPDF")["data"])

    def screenshot(self, path: Path, whole: bool = False) -> None:
        """Return the window, or the whole page, as PNG."""
        found = self._send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def _mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            found = self._take()
            if found.get("id") == self._last:
                assert "error" not in found, (method, found["error"])
                result: dict[str, Any] = found["result"]
                return result

    def _take(self) -> dict[str, Any]:
        """Return the next message, and record events."""
        while b"\0" not in self._rest:
            more = os.read(self._read, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        self._note(found.get("method", ""), found.get("params", {}))
        return found

    def _note(self, method: str, about: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.asked.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(about["exceptionDetails"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.errors.append(json.dumps(about["args"]))


def _moved(descriptor: int) -> int:
    """Duplicate a descriptor under a number of at least 20."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD, 20)
    os.close(descriptor)
    return moved


def started(profile: Path) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start a browser in a separate process group, and return it with its pipes."""
    program = shutil.which(os.environ.get("FIVENINES_CHROMIUM", "chromium"))
    assert program, "these tests need Chromium: apt-get install chromium"
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    command = [
        program,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
    ]
    # Chromium takes the pipe as its descriptors 3 and 4; ours are put out of their way, and handed over by
    # bash, as dash knows descriptors of one digit alone
    theirs_in, theirs_out = (_moved(one) for one in (theirs_in, theirs_out))
    shell = ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", *command]
    process = subprocess.Popen(
        shell,
        pass_fds=(theirs_in, theirs_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    os.close(theirs_in)
    os.close(theirs_out)
    return process, ours_out, ours_in


@contextmanager
def browser(profile: Path) -> Iterator[Driven]:
    """Run a browser with an empty profile within this context."""
    process, ours_out, ours_in = started(profile)
    try:
        yield Driven(ours_out, ours_in)
    finally:
        process.terminate()
        process.wait(timeout=30)
        os.close(ours_out)
        os.close(ours_in)
