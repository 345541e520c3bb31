"""Drive a real browser from a test: headless Chromium, by the DevTools protocol over a pipe.

Source: https://chromedevtools.github.io/devtools-protocol; with --remote-debugging-pipe messages are JSON,
each ended by a NUL, read from descriptor 3 and written to 4.
"""

import base64
import json
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from driven import started
from lab_support import PATIENCE

_LONGEST = 60.0 * PATIENCE


class Browser:
    """Run one browser with a separate profile in a separate process group (context manager)."""

    def __init__(self, profile: Path) -> None:
        self._process, self._to, self._from = started(profile)
        self._number = 0
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wake()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def page(self, url: str, width: int = 1280, height: int = 900) -> "Page":
        """Open a new page at this address."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        page.resize(width, height)
        page.call("Page.enable")
        # Each page gets a separate window: a page behind another one counts as hidden.
        page.call("Emulation.setFocusEmulationEnabled", enabled=True)
        page.call("Page.navigate", url=url)
        return page

    def sleep(self) -> None:
        """Stop the browser, as on a machine that sleeps: it reads nothing and no timer fires."""
        os.killpg(self._process.pid, signal.SIGSTOP)

    def wake(self) -> None:
        """Continue the stopped browser."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGCONT)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command to the browser and return its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            read = os.read(self._from, 1 << 20)
            assert read, "the browser has ended"
            self._rest += read
        first, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(first)
        assert isinstance(message, dict)
        return message


class Page:
    """Represent a page of a browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command to this page and return its answer."""
        return self._browser.call(method, self._session, **parameters)

    def resize(self, width: int, height: int) -> None:
        """Resize the window, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def ask(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """Return the text of an element, even if it is hidden; empty if the element does not exist."""
        return str(self.ask(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''"))

    def click(self, selector: str) -> None:
        """Press a button as a user could: it must exist, be enabled and be visible."""
        clicked = self.ask(
            "(b => { if (!b || b.disabled || !b.checkVisibility()) return false; b.click(); return true; })"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        assert clicked, f"{selector} cannot be pressed"

    def wait(self, condition: Callable[[], Any], what: str, seconds: float = _LONGEST) -> Any:
        """Wait until a condition is true and return its value."""
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} s"
            time.sleep(0.1)
        return value

    def shot(self, file: Path, whole: bool = True) -> None:
        """Take a screenshot of the page."""
        screenshot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(screenshot["data"]))
