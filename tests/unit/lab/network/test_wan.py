"""The emulator's Python face: a small Python program stands for fivenines-core."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.network import wan
from fivenines.lab.network.wan import Emulator, Traffic, takes_large_frames
from fivenines.lab.settings import LinkSettings

_ANSWERS = """
import json, os, socket, sys
fd = int(sys.argv[sys.argv.index("--control-fd") + 1])
control = socket.socket(fileno=fd)
stream = control.makefile("rw")
stream.write('{"ok": true}\\n'); stream.flush()
heard = open(HEARD, "w")
for line in stream:
    heard.write(line); heard.flush()
    asked = json.loads(line)
    answer = {"ok": True}
    if asked["do"] == "stats":
        counts = dict(frames=7, bytes=700, dropped_queue=1, dropped_loss=2, dropped_cut=3, dropped_port=4)
        pairs = [("w0", "w1"), ("w0", "w2"), ("w1", "w0")]
        answer["links"] = [{"from": a, "to": b, **counts} for a, b in pairs]
        answer["ports"] = [{"port": "w0", "overrun": 10}, {"port": "w1", "overrun": 0}]
    if asked["do"] == "set" and asked["from"] == "w9":
        answer = {"ok": False, "error": "no port is called 'w9'"}
    stream.write(json.dumps(answer) + "\\n"); stream.flush()
"""
_REFUSES = "import sys; sys.exit('no packet sockets today')"

Start = Callable[[str], Emulator]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a program in the place of `nsenter … fivenines-core wan`."""
    started: list[Emulator] = []
    real = subprocess.Popen

    def popen(command: list[str], **options: Any) -> Any:
        core = command.index("core")
        return real([sys.executable, "-c", program[0], *command[core:]], **options)

    def run(text: str) -> Emulator:
        program.append(text.replace("HEARD", repr(str(tmp_path / "heard"))))
        program.pop(0)
        started.append(Emulator(7, ["w0", "w1"], tmp_path / "wan.log"))
        return started[-1]

    program = [""]
    monkeypatch.setattr(wan, "core_binary", lambda: "core")
    monkeypatch.setattr(subprocess, "Popen", popen)
    yield run
    for emulator in started:
        emulator.end()


def test_a_link_is_set_in_the_emulators_units(start: Start, tmp_path: Path) -> None:
    link = LinkSettings(rtt=0.01, jitter=0.002, bandwidth=57_000, loss=0.5, reorder=0.1, queue=1.5)
    start(_ANSWERS).set("w0", "w1", link)
    (line,) = (tmp_path / "heard").read_text().splitlines()
    assert json.loads(line) == {
        "do": "set",
        "from": "w0",
        "to": "w1",
        "link": {
            "latency_us": 5000,
            "jitter_us": 2000,
            "bandwidth": 57_000,
            "loss": 0.5,
            "reorder": 0.1,
            "queue_us": 1_500_000,
        },
    }


def test_all_that_found_no_room_counts_as_dropped_by_the_queue(start: Start) -> None:
    traffic = start(_ANSWERS).traffic()
    assert traffic["w0", "w1"] == Traffic(7, 700, 1 + 4 + 10, 2), "including unread frames"
    assert traffic["w0", "w2"] == traffic["w1", "w0"] == Traffic(7, 700, 1 + 4, 2)


def test_reports_a_refusal_and_an_end(start: Start) -> None:
    emulator = start(_ANSWERS)
    with pytest.raises(FiveninesError, match="the link emulator failed: no port is called 'w9'"):
        emulator.set("w9", "w1", LinkSettings())
    emulator._popen.kill()
    emulator._popen.wait()
    with pytest.raises(FiveninesError, match="the link emulator failed: "):
        emulator.traffic()


def test_an_emulator_that_cannot_start_says_why(start: Start) -> None:
    with pytest.raises(FiveninesError, match="link emulator failed: no packet sockets today"):
        start(_REFUSES)


@pytest.mark.parametrize(
    ("links", "large"),
    [
        ([], True),
        ([LinkSettings(rtt=1.0)], True),
        ([LinkSettings(bandwidth=10**9)], True),
        ([LinkSettings(), LinkSettings(bandwidth=100 * 10**6)], False),
        ([LinkSettings(), LinkSettings(loss=0.01)], False),
        ([LinkSettings(rtt=0.1, reorder=0.01)], False),
    ],
)
def test_large_frames_only_where_they_do_no_harm(links: list[LinkSettings], large: bool) -> None:
    assert takes_large_frames(links) is large
