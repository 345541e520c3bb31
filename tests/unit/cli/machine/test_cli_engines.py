"""`fivenines engines`: the list, fetching and removing."""

import json

import pytest
from cli_support import Fivenines, Pretend

from fivenines.base.errors import UsageError
from fivenines.software.base import EngineStatus, Report


class Engine:
    name = "postgres-18"
    description = "PostgreSQL 18"

    def __init__(self) -> None:
        self.here = False

    def status(self) -> EngineStatus:
        if self.here:
            return EngineStatus(True, "18.6", 44_000_000, "/cache/postgres-18")
        return EngineStatus(False, detail="not pulled yet")

    def pull(self, report: Report) -> None:
        report("fetching", 0.5)
        self.here = True

    def remove(self) -> None:
        self.here = False


@pytest.fixture
def known(pretend: Pretend) -> Engine:
    engine = Engine()

    def find(name: str) -> Engine:
        if name != engine.name:
            raise UsageError(f"unknown engine {name!r}\n    allowed: {engine.name}")
        return engine

    pretend("fivenines.software.store", engines=lambda: [engine], engine=find)
    return engine


def test_engines_are_listed(fivenines: Fivenines, known: Engine) -> None:
    answer = fivenines("engines", "list")
    assert answer.out.splitlines() == [
        "engine       installed  version  size",
        "postgres-18  no         -           -",
    ]
    assert answer.err == "to show descriptions: fivenines engines list --wide\n"
    assert fivenines("engines", "list", "--wide").out.splitlines() == [
        "engine       installed  version  size  description",
        "postgres-18  no         -           -  PostgreSQL 18 (not pulled yet)",
    ]
    (row,) = json.loads(fivenines("engines", "list", "--json").out)
    assert (row["name"], row["installed"]) == ("postgres-18", False)


def test_an_engine_is_pulled_and_removed(fivenines: Fivenines, known: Engine) -> None:
    answer = fivenines("engines", "pull", "postgres-18")
    assert (answer.code, answer.out) == (0, "postgres-18 18.6: 44 MB, /cache/postgres-18\n")
    assert fivenines("engines", "remove", "postgres-18").out == "removed postgres-18\n"
    assert not known.here


def test_nothing_is_pulled_when_one_name_is_wrong(fivenines: Fivenines, known: Engine) -> None:
    answer = fivenines("engines", "pull", "postgres-18", "nonesuch")
    assert (answer.code, known.here) == (2, False)
    assert answer.err == "error: unknown engine 'nonesuch'\n    allowed: postgres-18\n"


@pytest.mark.parametrize("arguments", [[], ["--all", "postgres-18"]])
def test_engines_are_named_or_all_are_meant(
    fivenines: Fivenines, known: Engine, arguments: list[str]
) -> None:
    answer = fivenines("engines", "pull", *arguments)
    assert answer.code == 2 and "--all" in answer.err
