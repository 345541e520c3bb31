"""Whether others changed what was measured, and by how much at most."""

from dataclasses import replace

import numpy as np
import pytest

from fivenines.analysis.performance.latency import Latency
from fivenines.analysis.performance.load import bottleneck
from fivenines.analysis.resources.machine import Sharing, sharing
from fivenines.analysis.resources.series import Series
from fivenines.results.load_parts import GeneratorUse, Limit
from fivenines.results.load_summary import LoadSummary


def _times(mean: float, p99: float) -> Latency:
    return Latency(1000, 5.0, mean, mean, mean, mean, p99, p99, p99, p99)


ALONE = Sharing(
    2,
    lab=1.9,
    others=0.02,
    steal=0.0,
    idle=0.05,
    named=[],
    waited=_times(1.0, 6.0),
    latency=_times(8.0, 20.0),
)


def test_waiting_for_the_servers_under_test_is_expected() -> None:
    assert ALONE.waits_matter and ALONE.scarce
    assert not ALONE.disturbed


def test_others_matter_where_processors_are_scarce_or_responses_contain_the_wait() -> None:
    shared = replace(ALONE, lab=1.0, others=0.9, steal=0.1)
    assert shared.disturbed
    assert shared.gain == pytest.approx(1.0)
    # twice the throughput is half the response time, in a closed loop
    assert shared.mean_excess_ms == pytest.approx(4.0)
    roomy = replace(shared, lab=0.4, others=0.9, idle=0.6, waited=_times(0.1, 0.4))
    assert not roomy.disturbed and roomy.gain is None and roomy.mean_excess_ms is None
    assert replace(roomy, waited=_times(0.5, 3.0)).disturbed
    assert replace(ALONE, waited=None, others=1.0, lab=0.9).disturbed


def test_shares_are_of_the_window() -> None:
    t = np.arange(0, 11_000, 1000.0)

    def grows(per_second: float) -> Series:
        return Series(t, per_second * t / 1000)

    samples = {
        "cores": Series(t, np.full(len(t), 2.0)),
        "machine_cores": Series(t, np.full(len(t), 2.0)),
        "lab_s": grows(0.8),
        "others_s": grows(0.5),
        "busy_s": grows(1.4),
        "steal_s": grows(0.1),
        "idle_s": grows(0.5),
        "controller_s": grows(0.02),
        # reported from the first moment at which it used something
        "others_s:cc (user a)": Series(t[5:], 0.5 * (t[5:] - 4000) / 1000),
    }
    result = sharing(samples, (2000, 7000), None, None)
    assert result is not None
    assert (result.cores, round(result.lab, 6), round(result.others, 6)) == (2, 0.8, 0.5)
    assert result.taken == pytest.approx(0.6)
    assert result.named[0][0] == "cc (user a)"
    few = {**samples, "machine_cores": Series(t, np.full(len(t), 64.0)), "others_s": grows(20)}
    elsewhere = sharing(few, (2000, 7000), None, None)
    assert elsewhere is not None and elsewhere.others == pytest.approx(1.4 - 0.82)
    assert sharing({}, (2000, 7000), None, None) is None


def test_only_limits_of_its_own_are_the_generators_where_the_machine_was_watched() -> None:
    limits = [Limit(kind="busy", text="Busy."), Limit(kind="waited", text="Waited.")]
    load = LoadSummary(client=GeneratorUse(limit="Busy. Waited.", limits=limits, bottleneck=True))
    assert bottleneck(load) == "Busy. Waited."
    assert bottleneck(load, watched=True) == "Busy."
    waited = LoadSummary(client=GeneratorUse(limit="Waited.", limits=limits[1:], bottleneck=True))
    assert bottleneck(waited, watched=True) == ""
