"""What a calibration is worth for a run."""

import pytest

from fivenines.analysis.calibration import ROUND_SPREAD, TRIAL_SPREAD, doubts, spreads, verdict
from fivenines.results.basics import Machine
from fivenines.results.calibration import Calibration, Line, Step

HERE = Machine(
    hostname="here",
    kernel="Linux 6.1",
    os="x",
    cpu="c",
    cores=2,
    memory_bytes=1,
    python="3.11",
    user="root",
    limits="",
    congestion_control="cubic",
)
NOW = "2026-03-01T12:00:00+00:00"


def line(within: bool | None) -> Line:
    return Line(planted="p", measured="m", error="e", bounds="b", within=within)


def step(name: str, *within: bool | None, short: bool = False, failure: str = "") -> Step:
    return Step(
        name=name,
        title=name.title(),
        at="2026-02-20T12:00:00+00:00",
        seconds=1.0,
        short=short,
        lines=[line(item) for item in within],
        failure=failure,
    )


def of(*steps: Step) -> Calibration:
    return Calibration(fivenines="1.0", machine=HERE, steps=list(steps))


def test_one_of_this_machine_and_recent_speaks_for_it() -> None:
    assert doubts(of(step("links", True)), HERE, "1.0", NOW) == []


@pytest.mark.parametrize("nothing", [None, of()])
def test_none(nothing: Calibration | None) -> None:
    assert doubts(nothing, HERE, "1.0", NOW) == ["this machine was not calibrated"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hostname": "there"}, "it is of another machine (here, c)"),
        ({"cpu": "d"}, "it is of another machine (here, c)"),
        ({"kernel": "Linux 6.2"}, "it is of another kernel (Linux 6.1)"),
        ({"cores": 4}, "the machine had 2 cores then, and 4 now"),
        ({"user": "ordinary"}, "it was made as root, not as an ordinary user"),
    ],
)
def test_another_machine(change: dict[str, object], message: str) -> None:
    machine = HERE.model_copy(update=change)
    assert doubts(of(step("links", True)), machine, "1.0", NOW) == [message]


def test_old_quick_and_of_another_version() -> None:
    calibration = of(step("links", True, short=True))
    assert doubts(calibration, HERE, "1.1", "2026-04-20T12:00:00+00:00") == [
        "it was made by fivenines 1.0, not 1.1",
        "it was 59 days old",
        "it was a quick one, with few repetitions (links)",
    ]


def test_what_was_not_measured_is_said() -> None:
    calibration = of(step("links", True)).model_copy(update={"missing": ["rows", "same"]})
    assert doubts(calibration, HERE, "1.0", NOW) == ["it did not measure rows and same"]


def test_noise_is_known_only_where_both_kinds_were_measured() -> None:
    same = step("same", None, None)
    first, second = same.lines
    trials = first.model_copy(update={"figures": {TRIAL_SPREAD: 0.15}})
    rounds = second.model_copy(update={"figures": {ROUND_SPREAD: 0.08}})
    assert spreads(of(same.model_copy(update={"lines": [trials, rounds]}))) == (0.15, 0.08)
    assert spreads(of(same.model_copy(update={"lines": [trials, second]}))) is None
    assert spreads(None) is None


def test_verdict() -> None:
    sound = of(step("links", True, True), step("same", None, True))
    assert (sound.sound, verdict(sound)) == (True, "3 of 3 lines within bounds")
    bad = of(step("links", True, False, False), step("rows", failure="no room"))
    assert not bad.sound
    assert verdict(bad) == "1 of 3 lines within bounds; out of bounds: links (2); failed: rows"
