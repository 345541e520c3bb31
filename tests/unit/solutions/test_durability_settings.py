"""`durability:` as a word and by role: parsing, values by role, refusals."""

from typing import Any

import pytest
from pydantic import ValidationError

from fivenines.experiment.validation import checks
from fivenines.solutions.durability import DurabilitySettings
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.patroni.settings import PatroniSettings
from fivenines.solutions.replication.settings import ReplicationSettings
from fivenines.solutions.settings import SolutionSettings

RELAXED = {"primary": "relaxed", "standby": "strict"}


def _read(given: Any) -> DurabilitySettings:
    return DurabilitySettings.model_validate(given)


@pytest.mark.parametrize(
    ("given", "words", "written", "by_role", "at_start"),
    [
        ("strict", "strict", "strict", False, "strict"),
        ("relaxed", "relaxed", "relaxed", False, "relaxed"),
        ("adaptive", "adaptive", "adaptive", True, "strict"),
        ({}, "strict", "strict", False, "strict"),
        ({"standby": "relaxed", "primary": "relaxed"}, "relaxed", "relaxed", False, "relaxed"),
        (RELAXED, "primary relaxed, standby strict", RELAXED, True, "strict"),
        (
            {"standby": "relaxed"},
            "primary strict, standby relaxed",
            {"primary": "strict", "standby": "relaxed"},
            True,
            "strict",
        ),
    ],
)
def test_a_word_stands_for_all_roles(
    given: Any, words: str, written: Any, by_role: bool, at_start: str
) -> None:
    read = _read(given)
    assert str(read) == words
    assert read.model_dump(mode="json") == written
    assert _read(read.model_dump(mode="json")) == read
    assert (read.by_role, read.at_start) == (by_role, at_start)


@pytest.mark.parametrize("wrong", ["none", 1, True, {"primary": "x"}, {"standby": "adaptive"}, {"a": 1}])
def test_other_words_are_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        _read(wrong)


@pytest.mark.parametrize(
    ("given", "primary", "accompanied", "expected"),
    [
        (RELAXED, True, False, "relaxed"),
        (RELAXED, True, True, "relaxed"),
        (RELAXED, False, False, "strict"),
        ("adaptive", True, True, "relaxed"),
        ("adaptive", True, False, "strict"),
        ("adaptive", False, False, "strict"),
        ({"primary": "adaptive", "standby": "relaxed"}, False, False, "relaxed"),
    ],
)
def test_a_nodes_durability_follows_its_role(
    given: Any, primary: bool, accompanied: bool, expected: str
) -> None:
    assert _read(given).for_role(primary=primary, accompanied=accompanied) == expected


def _problems(settings: SolutionSettings) -> str:
    found = checks.problems(settings)
    assert len(found) <= 1
    return found[0] if found else ""


def _replication(**given: Any) -> SolutionSettings:
    return ReplicationSettings(**{"solution": "replication", **given})


def _hot_standby(**given: Any) -> SolutionSettings:
    return HotStandbySettings(**{"solution": "hot-standby", **given})


def _patroni(**given: Any) -> SolutionSettings:
    return PatroniSettings(**{"solution": "patroni", **given})


def _galera(**given: Any) -> SolutionSettings:
    return GaleraSettings(**{"solution": "galera", **given})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (_replication(durability=RELAXED, mode="after_sync"), ""),
        (_replication(durability="adaptive", engine="mysql-9.7"), ""),
        (
            _replication(durability="adaptive", mode="after_sync", semi_sync_timeout=0.5),
            "semi_sync_timeout: 500ms is too short",
        ),
        (_replication(durability=RELAXED, semi_sync_timeout=0.5, mode="after_sync"), ""),
        (_replication(durability=RELAXED, server={"Sync-Binlog": 5}), "server.Sync-Binlog: "),
        (_replication(durability="relaxed", server={"sync_binlog": 5}), ""),
        (
            _replication(durability="adaptive", manager={"kind": "pacemaker"}, mode="after_sync"),
            "durability: strict",
        ),
        (_hot_standby(durability=RELAXED, synchronous_commit="off"), ""),
        (_hot_standby(durability="adaptive", synchronous_commit="off"), ""),
        (
            _hot_standby(durability=RELAXED, synchronous_commit="remote_write"),
            "it sends a standby only what is on that disk. Write synchronous_commit: off (1-safe), or choose "
            "solution replication with mode: after_sync",
        ),
        (
            _hot_standby(durability=RELAXED, synchronous_commit="local"),
            "synchronous_commit local waits for the disk",
        ),
        (_hot_standby(durability={"standby": "relaxed"}), "durability.standby: a standby of PostgreSQL"),
        (
            _hot_standby(durability=RELAXED, synchronous_commit="off", server={"fsync": False}),
            "server.fsync: ",
        ),
        (_patroni(durability="adaptive", synchronous_commit="off"), ""),
        (_patroni(durability="adaptive"), "synchronous_commit on and durability adaptive"),
        (_galera(durability=RELAXED), "galera does not support durability by role"),
        (_galera(durability="relaxed"), ""),
    ],
)
def test_unsupported_durability_is_refused_with_the_reason(settings: SolutionSettings, message: str) -> None:
    problem = _problems(settings)
    assert message in problem and bool(message) is bool(problem)
