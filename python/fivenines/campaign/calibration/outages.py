"""Calibration of outages: 50 ms, 500 ms and 5 s behind a proxy, measured as in any trial.

The load is an open loop with even successes a few ms apart, so the last success before an outage is close to
it. The kinds of failure alternate, and outages begin at random places within the 10 ms slots of the time
line. New connections are attempted alongside the load, as densely as after any fault.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import replace

from fivenines.analysis.availability.availability import Outage
from fivenines.analysis.trials import measure_all
from fivenines.campaign.calibration.base import ENGINE, CalibrationContext, Calibrator
from fivenines.campaign.calibration.judging import MeasuredOutage, Who, judge_outages
from fivenines.campaign.calibration.proxied import How, PlannedOutage, Planted, ProxiedDeployment
from fivenines.campaign.calibration.trials import DATA, UNDER_LOAD, planted_trial
from fivenines.results.calibration import Line
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import FaultRecord
from fivenines.results.store import StoredTrial

# Length in seconds and number of outages: in full, and when short.
LENGTHS = {0.05: (12, 4), 0.5: (8, 2), 5.0: (4, 2)}

# Seconds of undisturbed load before the first outage, which give the ordinary gap.
_QUIET = 2.0

# Seconds from the end of an outage to the beginning of the next.
_BETWEEN = 0.75

# Seconds before the first outage, after the plan was sent, and of load after the last one.
_MARGIN = 1.0

_HOW: tuple[How, How] = ("silent", "reset")

_EXPERIMENT = """\
name: calibration
trials: 1
solutions: [{{solution: standalone, engine: {engine}}}]
workloads: [{{workload: oltp_update_non_index, {data}}}]
connections: [4]
load: {{rate: 250}}
ledger: {{probe: {{every: 10ms, calm: 10ms}}}}
timing: {{warmup: 1s, steady: {steady:.3f}s, recovery: 1s, settle: 5s}}
"""


class Outages(Calibrator):
    """Plants outages, and measures them by the analysis of a trial."""

    name = "outages"
    title = "Outages behind a proxy"
    order = 1
    seconds = (55.0, 25.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        expected = schedule(random.Random(context.seed), short=context.short)
        steady = _QUIET + _MARGIN + expected[-1].at + expected[-1].seconds + _MARGIN
        planted: list[Planted] = []

        def plant(up: ProxiedDeployment) -> None:
            context.tell(f"{len(expected)} outages, about {steady:.0f} s of load")
            # the warm-up of 1 s is within the first part
            now = time.monotonic() + 1.0 + _QUIET
            up.proxy.plan([replace(item, at=now + item.at) for item in expected])
            planted.extend(up.proxy.planted(len(expected)))

        context.tell("deploying one server behind the proxy")
        text = _EXPERIMENT.format(engine=ENGINE, data=DATA, steady=steady)
        trial = planted_trial(context, text, ProxiedDeployment, {UNDER_LOAD: plant})
        return judge_outages(measured(trial, expected, planted))


def schedule(chance: random.Random, *, short: bool) -> list[PlannedOutage]:
    """Return all outages in random order, `at` counted from the first one."""
    lengths = [
        (length, _HOW[number % 2])
        for length, (full, few) in LENGTHS.items()
        for number in range(few if short else full)
    ]
    chance.shuffle(lengths)
    result, at = [], 0.0
    for length, how in lengths:
        at += chance.uniform(0.0, 0.05)
        # Up to a slot longer, so that the end also lies anywhere within a slot.
        result.append(PlannedOutage(how, at, length, length + chance.uniform(0.0, SLOT_MS / 1000)))
        at += length + _BETWEEN
    return result


def measured(
    trial: StoredTrial, expected: Sequence[PlannedOutage], planted: Sequence[Planted]
) -> list[MeasuredOutage]:
    """Return the outages that the analysis measures if each planted outage counts as a fault."""
    record = trial.record
    assert record.windows is not None
    start = record.load.started_monotonic_ns
    moments = [((item.began - start) / 1e6, (item.ended - start) / 1e6) for item in planted]
    faults = [
        FaultRecord(
            kind=f"planted {item.how}",
            node="proxy",
            role="",
            at=began,
            verified=True,
            detail="planted",
            ended=ended,
            ended_verified=True,
        )
        for item, (began, ended) in zip(planted, moments, strict=True)
    ]
    windows = record.windows.model_copy(update={"steady_end": moments[0][0]})
    with_faults = record.model_copy(update={"faults": faults, "windows": windows})
    (measures,) = measure_all([StoredTrial(trial.folder, with_faults)])
    result = []
    for item, (began, ended), fault in zip(expected, moments, measures.faults, strict=True):
        seen: dict[Who, Outage | None] = {"sessions": fault.availability.writes}
        # Only if the load attempts new connections.
        if fault.availability.connections is not None:
            seen["connections"] = fault.availability.connections
        result += [
            MeasuredOutage(
                how=item.how,
                who=who,
                nominal_ms=item.nominal * 1000,
                planted_ms=ended - began,
                measured_ms=outage.ms if outage and outage.back else None,
                ordinary_ms=outage.steady_ms if outage else 0.0,
                noticed=bool(outage and outage.noticed),
            )
            for who, outage in seen.items()
        ]
    return result
