"""Options of DRBD's sections net and disk, as users paste them from resource files."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import solution_from
from fivenines.solutions.drbd.options import unflushed
from fivenines.solutions.drbd.resource import resource_file
from fivenines.solutions.drbd.settings import DrbdOptions, DrbdSettings


def _message(net: dict[str, object], disk: dict[str, object]) -> str:
    text = {"solution": "drbd", "machines": "virtual-machines", "drbd": {"net": net, "disk": disk}}
    try:
        solution_from(text, "x")
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("net", "disk", "why"),
    [
        ({"ping-timeout": 5}, {"al-extents": 1237}, ""),
        ({"max-buffers": "36k", "after-sb-1pri": "discard-secondary", "tcp_cork": "no"}, {}, ""),
        ({}, {"c-max-rate": "100M", "disk-flushes": False, "read-balancing": "64K-striping"}, ""),
        ({}, {"size": "100M", "max-bio-bvecs": 1}, ""),
        ({"protocol": "A"}, {}, "write `protocol`"),
        ({}, {"fencing": "resource-only"}, "write `manager: {fence: true}`"),
        ({"ping-timeout": 5, "ping_timeout": 5}, {}, "the same option as ping-timeout"),
        ({"ping-int": "10s"}, {}, "whole numbers from 1 to 120, without a unit"),
        ({"timeout": 0}, {}, "whole numbers from 1 to 600"),
        ({"ping_timeoot": 5}, {}, "did you mean 'ping_timeout'?"),
        ({"al-extents": 1237}, {}, "it belongs to `disk`"),
        ({"rr_conflict": "retry"}, {}, "one of disconnect, call-pri-lost, violently"),
        ({}, {"disk_barrier": "on"}, "one of yes, no"),
    ],
)
def test_options_that_drbd_refuses_are_refused(
    net: dict[str, object], disk: dict[str, object], why: str
) -> None:
    message = _message(net, disk)
    assert why in message and bool(message) is bool(why)


def test_an_option_replaces_the_default_in_either_spelling() -> None:
    settings = DrbdSettings(solution="drbd", drbd=DrbdOptions(net={"ping-timeout": 5}))
    assert settings.net["ping_timeout"] == 5
    text = resource_file("C", settings.net, {}, {"node1": "10.0.0.1"})
    assert text.count("ping-timeout") == 1 and "ping-timeout 5;" in text


@pytest.mark.parametrize(
    ("disk", "risk"),
    [
        ({"disk-flushes": "no"}, "disk_flushes off: "),
        ({"md_flushes": False, "disk-flushes": "no"}, "md_flushes and disk_flushes off: "),
        ({"disk_flushes": True, "disk_barrier": "no", "disk_drain": False}, ""),
    ],
)
def test_a_disk_that_is_not_flushed_may_lose_rows(
    disk: dict[str, str | int | float | bool], risk: str
) -> None:
    assert unflushed(disk).startswith(risk) and bool(unflushed(disk)) is bool(risk)
    facts = DrbdSettings(solution="drbd", drbd=DrbdOptions(disk=disk)).facts()
    assert facts.may_lose == unflushed(disk)
