"""The live page in a real browser during a real run: two viewers, one that does not read, one that sleeps."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from lab_browser import Browser, Page
from lab_support import GENTLE, HEAD, LIMIT, OPERATOR, PATIENCE, kill, program, timing

from fivenines.base import locks
from fivenines.results import layout, store
from fivenines.results.journal import Tail, parsed

SOLUTION = (
    "solutions: [{solution: hot-standby, name: pair, engine: postgres-18, standbys: 1, "
    f"manager: {OPERATOR}}}]\n"
)
EXPERIMENT = (
    HEAD.replace("trials: 1", "trials: 2")
    + SOLUTION
    + kill()
    + GENTLE
    # Long enough to be seen next to other tests: the next trial's page begins anew.
    + timing(recovery=15)
)


class Serving:
    """Run `fivenines serve` for a folder, and start runs in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = folder / "runs" / "one"
        (folder / "live.yaml").write_text(EXPERIMENT)
        self.process = subprocess.Popen(
            program("serve"),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def start(self) -> "subprocess.Popen[str]":
        with (self.folder / "run.err").open("w") as log:
            return subprocess.Popen(
                program("run", "live.yaml", "--out", "runs/one"),
                cwd=self.folder,
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def deaf(self) -> socket.socket:
        """Connect a viewer that requests the run and never reads a byte."""
        host, _, rest = self.url.removeprefix("http://").partition("/")
        name, _, port = host.partition(":")
        token = rest.partition("token=")[2]
        viewer = socket.create_connection((name, int(port)))
        viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        viewer.sendall(
            f"GET /runs/one HTTP/1.1\r\nHost: {host}\r\nCookie: fivenines-{port}={token}\r\n\r\n".encode()
        )
        return viewer

    def events(self) -> list[str]:
        return [line["event"] for line in parsed(Tail(self.run / layout.JOURNAL).read())]

    def end(self) -> None:
        if (running := locks.active(self.run / layout.LOCK)) is not None:
            with suppress(ProcessLookupError):
                os.kill(running.pid, signal.SIGTERM)
        self.process.terminate()
        self.process.wait(30 * PATIENCE)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    made = Serving(tmp_path)
    yield made
    made.end()


def _says(page: Page, selector: str, text: str, seconds: float = LIMIT) -> None:
    try:
        page.wait(lambda: text in page.text(selector), "", seconds)
    except AssertionError:
        shown = [page.text(each) for each in (selector, "#status", "#link", "#answer")]
        raise AssertionError(f"{selector} does not say {text!r}: {shown}") from None


def _sees_a_failover(page: Page) -> None:
    """Check the live trial: figures, the fault with its events, the new primary, charts."""
    _says(page, "#events", "fault")
    _says(page, "#events", "promoted")
    _says(page, "#now", "longest time without a success")
    _says(page, "#nodes", "node2: writable")
    drawn = "document.querySelectorAll('#trial .chart canvas').length"
    page.wait(lambda: page.ask(drawn) == 3, "the charts are not drawn")
    first, second = page.text("#events li:first-child"), page.text("#events li:nth-child(2)")
    assert "fault" in first and second.startswith("+"), (first, second)


# The page has the lowest priority: next to other tests it misses what a trial is about to leave.
@pytest.mark.long
def test_a_run_is_watched_stopped_and_continued_from_a_browser(serving: Serving, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile") as browser, Browser(tmp_path / "other") as sleeper:
        wide, narrow = browser.page(serving.url), browser.page(serving.url, 390)
        wide.wait(lambda: wide.ask("document.querySelector('#none')?.checkVisibility()"), "no run yet")
        run = serving.start()
        # At once, so that it is the first trial however busy the machine is.
        _says(wide, "#what", "0001")
        wide.click("#stop")
        _says(narrow, "#status", "stopping")
        asleep = sleeper.page(serving.url)
        _says(asleep, "#status", "stopping")
        deaf = serving.deaf()
        _says(asleep, "#events", "fault")
        sleeper.sleep()
        _sees_a_failover(wide)
        _sees_a_failover(narrow)
        assert narrow.ask("document.documentElement.scrollWidth") <= 390
        assert run.wait(LIMIT) == 130
        assert "stopped on request; 1 trial is left" in (tmp_path / "run.err").read_text()
        _says(wide, "#status", "stopped")
        _says(narrow, "#done", "1 of 2")
        sleeper.wake()
        _says(asleep, "#status", "stopped")
        _says(asleep, "#link", "live")
        _says(asleep, "#trials", "pair")
        asleep.click("#resume")
        _says(asleep, "#answer", "continues")
        _says(wide, "#status", "running")
        _says(wide, "#what", "0002")
        _says(wide, "#status", "finished")
        _says(asleep, "#done", "2 of 2")
        report = "fetch(document.querySelector('#report').href).then(found => found.text())"
        assert "</html>" in wide.ask(report)
        deaf.close()
    assert serving.process.poll() is None
    events = serving.events()
    assert (events.count("run-opened"), events.count("trial-finished")) == (2, 2)
    assert "campaign-stopped" in events
    for trial in store.open_run(serving.run).complete:
        # Viewers are counted, and are not the controller.
        assert trial.record.serve_cpu is not None and trial.record.serve_cpu > 0
        assert not (trial.folder / layout.LOAD / layout.TICKS).exists()


def test_a_run_that_was_killed_is_seen_to_be(serving: Serving, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile") as browser:
        page = browser.page(serving.url)
        run = serving.start()
        _says(page, "#status", "running")
        _says(page, "#phase", "for")
        run.kill()
        run.wait()
        _says(page, "#status", "interrupted")
        assert page.ask("document.querySelector('#stop').disabled") is True
        assert page.ask("document.querySelector('#resume').disabled") is False


def test_a_run_shows_itself(tmp_path: Path) -> None:
    (tmp_path / "live.yaml").write_text(EXPERIMENT)
    run = subprocess.Popen(
        program("run", "live.yaml", "--out", "one", "--serve", "--progress", "json"),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None and run.stdout is not None
    url = run.stderr.readline().strip().removeprefix("live page: ")
    try:
        with Browser(tmp_path / "profile") as browser:
            page = browser.page(url)
            _says(page, "#status", "running")
            line = next(line for line in run.stdout if '"trial-live"' in line)
            assert json.loads(line)["trial"] in ("0001", "0002")
            host = locks.active(tmp_path / "one" / layout.LOCK)
            assert host is not None and host.pid == run.pid
            run.send_signal(signal.SIGINT)
            assert run.wait(LIMIT) == 130
            _says(page, "#link", "no connection")
    finally:
        run.kill()
        run.wait()
    deadline = time.monotonic() + LIMIT
    while _is_open(url):
        assert time.monotonic() < deadline, "the page goes on without its run"
        time.sleep(0.1)


def _is_open(url: str) -> bool:
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0
