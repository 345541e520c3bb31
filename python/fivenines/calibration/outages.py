"""Outages of 50 ms, 500 ms and 5 s behind a proxy of ours, measured as those of any trial.

The load is an open loop: its successes come evenly, a few ms apart, so that the last success before an outage
is known to be close to it. Lengths alternate in how the proxy is away, and begin at a random place within the
10 ms slots of the time line. New connections are tried beside the load as densely as after any fault.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import replace

from fivenines.analysis.availability import Outage
from fivenines.analysis.trials import measure_all
from fivenines.calibration.base import ENGINE, CalibrationContext, Calibrator
from fivenines.calibration.judging import MeasuredOutage, Who, judge_outages
from fivenines.calibration.proxied import How, Planted, ProxiedDeployment, Wanted
from fivenines.calibration.trials import DATA, UNDER_LOAD, planted_trial
from fivenines.results.calibration import Line
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import FaultRecord
from fivenines.results.store import StoredTrial

# Seconds, and how many of each are planted: in full, and when short.
LENGTHS = {0.05: (12, 4), 0.5: (8, 2), 5.0: (4, 2)}

# Seconds of undisturbed load before the first one, by which an ordinary gap is known.
_QUIET = 2.0

# Seconds from the end of one to the beginning of the next.
_BETWEEN = 0.75

# Seconds between giving the orders and the first one, and of load after the last one.
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


def schedule(chance: random.Random, *, short: bool) -> list[Wanted]:
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
        # up to a slot longer, so that its end, too, lies anywhere within a slot
        result.append(Wanted(how, at, length, length + chance.uniform(0.0, SLOT_MS / 1000)))
        at += length + _BETWEEN
    return result


def measured(
    trial: StoredTrial, expected: Sequence[Wanted], planted: Sequence[Planted]
) -> list[MeasuredOutage]:
    """Return what the analysis makes of the trial, if each planted outage is told to it as a fault."""
    record = trial.record
    assert record.windows is not None
    start = int(record.load["started_monotonic_ns"])
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
    told = record.model_copy(update={"faults": faults, "windows": windows})
    (measures,) = measure_all([StoredTrial(trial.folder, told)])
    result = []
    for item, (began, ended), fault in zip(expected, moments, measures.faults, strict=True):
        seen: dict[Who, Outage | None] = {"sessions": fault.availability.writes}
        # where the load tries new connections beside
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
