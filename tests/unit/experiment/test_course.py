"""When what of a load is: phases as planned, and windows as they became."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.course import course
from fivenines.experiment.plan import CHECK_SECONDS, REJOIN_SECONDS, expected_seconds, is_at_most, plan
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import FaultRecord

TIMING = "timing: {warmup: 2s, steady: 6s, recovery: 7s}\n"


def experiment(load: str = "{}", workload: str = "tatp", more: str = "") -> Experiment:
    text = f"name: x\nsolutions: [standalone]\nworkloads: [{workload}]\nload: {load}\n{TIMING}{more}"
    return parse_experiment(text, "x.yaml")


def done(seconds: float, start: float, end: float, completed: bool = True) -> LoadSummary:
    work = {"from_s": start, "to_s": end}
    return LoadSummary.of({"duration_s": seconds, "completed": completed, "cut": not completed, "work": work})


def test_a_load_of_a_time_has_the_phases_of_the_file() -> None:
    quiet, faulty = (course(experiment(), False, faulty) for faulty in (False, True))
    assert (quiet.warmup, quiet.steady_end, quiet.end, quiet.works) == (2, 8, 8, False)
    assert faulty.end == 15
    windows = faulty.windows(LoadSummary.of({"duration_s": 15.2}), injected=True)
    assert (windows.warmup_end, windows.steady_end, windows.end) == (2000, 8000, 15_000)


def test_the_window_ends_when_the_load_stopped_not_when_its_last_answer_came() -> None:
    faulty = course(experiment(), False, True)
    assert (
        faulty.windows(LoadSummary.of({"duration_s": 15.2, "stopped_s": 14.6}), injected=True).end == 14_600
    )
    # a program that says only how long it took
    assert faulty.windows(LoadSummary.of({"duration_s": 14.9}), injected=True).end == 14_900
    early = faulty.windows(LoadSummary.of({"duration_s": 7.5, "stopped_s": 7}), injected=False)
    assert (early.warmup_end, early.steady_end, early.end) == (2000, 7000, 7000)


def test_fixed_work_begins_after_the_warm_up_and_may_last_as_long_as_its_cap() -> None:
    planned = course(experiment("{transactions: 500, cap: 60s}"), False, False)
    assert (planned.warmup, planned.end, planned.works) == (2, 62, True)
    assert course(experiment("{transactions: 500}"), False, False).end == 2 + 3600


def test_windows_of_fixed_work_are_those_of_the_work() -> None:
    planned = course(experiment("{transactions: 500, cap: 60s}"), False, False)
    # the generator waited two more seconds for the ledger
    windows = planned.windows(done(13.5, 2.001, 11.5), injected=False)
    assert (windows.warmup_end, windows.steady_end, windows.end) == (2001, 11_500, 11_500)


def test_work_that_was_cut_is_watched_until_the_load_ended() -> None:
    planned = course(experiment("{transactions: 500, cap: 60s}"), False, True)
    windows = planned.windows(done(63.5, 2.0, 31.0, completed=False), injected=True)
    assert (windows.steady_end, windows.end) == (8000, 62_000)


def test_a_fault_ends_the_steady_window_of_work_that_goes_on() -> None:
    planned = course(experiment("{transactions: 500, cap: 60s}"), False, True)
    windows = planned.windows(done(20.0, 2.0, 19.9), injected=True)
    assert (windows.steady_end, windows.end) == (8000, 19_900)
    before = planned.windows(done(5.0, 2.0, 4.9), injected=False)
    assert (before.steady_end, before.end) == (4900, 4900)


def test_work_that_was_done_before_its_fault_is_reported() -> None:
    planned = course(experiment("{transactions: 500, cap: 60s}"), False, True)
    event = planned.too_early(done(5.0, 2.0, 4.9), "kill")
    assert event is not None
    assert (event.t, event.kind) == (4900, "failed")
    assert event.detail == (
        "kill: the work was done after 4.9 s, before the fault at 8 s; no fault was injected"
    )


def test_a_fault_that_struck_once_the_work_was_done_is_too_late() -> None:
    planned = course(experiment("{transactions: 500, cap: 60s}"), False, True)
    load = done(10.0, 2.0, 8.05)

    def struck(at: float) -> FaultRecord:
        return FaultRecord(kind="kill", node="node1", role="primary", at=at, verified=True, detail="")

    event = planned.too_early(load, "kill", [struck(8060.0), struck(9000.0)])
    assert event is not None
    assert event.detail == (
        "kill: the work was done after 8.05 s, before the fault at 8.06 s; its effect was not measured"
    )
    assert planned.too_early(load, "kill", [struck(8049.0), struck(9000.0)]) is None
    timed = course(experiment(), False, True)
    assert timed.too_early(LoadSummary.of({"duration_s": 15.2}), "kill") is None


def test_a_workload_that_ends_itself_has_no_warm_up_and_no_longer_window_than_its_work() -> None:
    planned = course(experiment(workload="bulkload"), True, False)
    assert (planned.warmup, planned.end, planned.works) == (0, 8, True)
    windows = planned.windows(done(3.01, 0.0, 3.0), injected=False)
    assert (windows.warmup_end, windows.steady_end, windows.end) == (0, 3000, 3000)
    assert course(experiment("{cap: 90s}", "bulkload"), True, False).end == 90


def setup(of: Experiment) -> float:
    """What the plan expects of its only solution until the load."""
    (found,) = {one.setup_seconds for one in of.solutions}
    return found


def test_the_plan_says_at_most_where_loads_end_when_their_work_is_done() -> None:
    timed = experiment()
    assert not is_at_most(plan(timed), timed)
    work = experiment("{transactions: 9, cap: 1m}", more="trials: 1\nfaults: [kill]\n")
    assert is_at_most(plan(work), work)
    longest = setup(work) + 2 + 60 + REJOIN_SECONDS + CHECK_SECONDS
    assert expected_seconds(plan(work), work) == longest
    bulk = experiment("{cap: 1m}", "bulkload", "trials: 1\n")
    assert is_at_most(plan(bulk), bulk)
    assert expected_seconds(plan(bulk), bulk) == setup(bulk) + 60 + CHECK_SECONDS


@pytest.mark.parametrize(
    ("load", "workload", "more", "said"),
    [
        ("{transactions: 9}", "bulkload", "", "workloads[0]: 'bulkload' ends by itself"),
        ("{transactions: 9, cap: 5s}", "tatp", "faults: [kill]\n", "faults[0]: kill is injected after"),
        ("{connection_steps: [4@3s, 8@5s]}", "tatp", "", "connections: found [8], but"),
        ("{connection_steps: [4@3s, 8@9s]}", "tatp", "", "load.connection_steps: the steps last 12s"),
        (
            "{transactions: 9}",
            "tatp",
            "design: interleaved\n",
            "load.transactions: in an interleaved comparison",
        ),
        ("{connection_steps: [4@3s, 8@5s]}", "tatp", "design: interleaved\n", "load.connection_steps: in a"),
    ],
)
def test_what_makes_no_sense_together_is_reported(load: str, workload: str, more: str, said: str) -> None:
    connections = "" if "found" not in said else "connections: [5, 8]\n"
    with pytest.raises(UsageError) as refused:
        experiment(load, workload, more + connections)
    assert said.replace("[8], but", "[5, 8], but") in str(refused.value)


def test_connections_of_the_steps_are_their_greatest_number() -> None:
    asked = experiment("{connection_steps: [4@3s, 16@5s]}", more="connections: [16]\n")
    assert asked.load.most_connections() == 16
