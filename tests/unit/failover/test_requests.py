"""Requests of scripts to the lab: each is served once and gets its own answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from script_host import ScriptHost

from fivenines.failover import requests
from fivenines.failover.requests import LOG, Requests


@pytest.fixture
def host(tmp_path: Path) -> ScriptHost:
    return ScriptHost("node1", tmp_path)


@pytest.fixture
def served(host: ScriptHost) -> Iterator[list[list[str]]]:
    """Serve requests; return what was requested."""
    seen: list[list[str]] = []

    def serve(asked_on: Any, words: list[str]) -> str | None:
        assert asked_on is host
        seen.append(words)
        return None if words == ["nothing"] else f"done: {' '.join(words)}"

    words = ("fence", "entry", "nothing")
    running = Requests([host], dict.fromkeys(words, serve))  # type: ignore[list-item]
    yield seen
    running.stop()


def ask(host: ScriptHost, words: str) -> str:
    text = requests.script().replace(f"timeout {requests._PATIENCE}", "timeout 5")
    done = host.script(["sh", "-c", f"{text}\nrequest {words}"])
    return done.stdout


def test_each_request_gets_its_answer(host: ScriptHost, served: list[list[str]]) -> None:
    assert ask(host, "fence node2") == "done: fence node2\n"
    assert ask(host, 'entry "node3"') == "done: entry node3\n"
    assert served == [["fence", "node2"], ["entry", "node3"]]
    assert list((host.node / "run").iterdir()) == [], "no pipe is left"


def test_a_request_without_an_answer_ends_with_none(host: ScriptHost, served: list[list[str]]) -> None:
    text = requests.script().replace(f"timeout {requests._PATIENCE}", "timeout 0.3")
    assert host.script(["sh", "-c", f"{text}\nrequest nothing"]).stdout == ""
    assert ask(host, "fence node2") == "done: fence node2\n"
    assert served == [["nothing"], ["fence", "node2"]]


def test_a_script_that_has_ended_holds_nothing_up(host: ScriptHost, served: list[list[str]]) -> None:
    with (host.node / "log" / LOG).open("a") as log:
        log.write("1-1 fence node2\nnot a request at all?\n1-2 paint node2\n")
    assert ask(host, "fence node3") == "done: fence node3\n"
    assert served[0] == ["fence", "node2"] and served[-1] == ["fence", "node3"]


def test_requests_of_an_earlier_start_are_not_served_again(host: ScriptHost) -> None:
    (host.node / "log" / LOG).write_text("1-1 fence node2\n")
    seen: list[list[str]] = []

    def serve(asked_on: Any, words: list[str]) -> str:
        seen.append(words)
        return "done"

    running = Requests([host], {"fence": serve})  # type: ignore[list-item]
    try:
        assert ask(host, "fence node3") == "done\n"
    finally:
        running.stop()
    assert seen == [["fence", "node3"]]
