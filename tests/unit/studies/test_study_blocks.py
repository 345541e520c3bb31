"""Claims that are judged by the blocks of an interleaved comparison."""

import math
from pathlib import Path

import numpy as np
import pytest
from planted_figures import Planted, judge
from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import Matrix, Recipe

from fivenines.analysis.statistics.means import summarise
from fivenines.base.errors import UsageError
from fivenines.results import layout
from fivenines.studies.claims.figures import Sample, TrialValue
from fivenines.studies.claims.verdicts import Status
from fivenines.studies.judged import judge as judge_study
from fivenines.studies.source import parse_study

STUDY = """\
study: small
cite: {authors: [A. Person], title: On servers, year: 2020}
experiment: {workloads: [oltp_read_write], connections: [8]}
parts:
  speed:
    experiment:
      design: interleaved
      interleaved: {blocks: 4}
      solutions:
        - {solution: standalone, name: fast, durability: relaxed}
        - {solution: standalone, name: slow}
claims:
  - id: faster
    says: The fast one does at least 5 % more.
    test: {greater: {measure: tps, part: speed, a: fast, b: slow, by: 1.05}}
  - id: answers-sooner
    says: The fast one answers sooner.
    test: {order: {measure: latency_mean, part: speed, of: [fast, slow], is: "<"}}
"""


def _results(folder: Path, text: str = STUDY) -> dict[str, tuple[str, str]]:
    loaded = parse_study(text, "x.yaml")
    result = judge_study(loaded.study, "full", loaded.experiments["full"], folder)
    return {item.claim.id: (item.result, " ".join(item.sentences)) for item in result.claims}


def test_windows_of_blocks_decide_what_trials_of_the_same_noise_could_not(tmp_path: Path) -> None:
    # The machine's speed moves by a third within each block; the ratio is 1.12.
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=4, noise=0.02))
    results = _results(tmp_path)
    assert results["faster"][0] == results["answers-sooner"][0] == "holds"
    assert "fast is 1.12 times slow" in results["faster"][1]


def test_blocks_that_differ_leave_it_open(tmp_path: Path) -> None:
    block = SyntheticBlock(blocks=4, noise=0.01, shifts=[0.2, -0.2, 0.15, -0.15])
    write_interleaved_run(tmp_path / "speed", block)
    assert _results(tmp_path)["faster"][0] == "inconclusive"


def test_one_block_has_no_interval(tmp_path: Path) -> None:
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=1))
    result, text = _results(tmp_path)["faster"]
    assert result == "inconclusive" and "fast has 1 block; an interval requires two" in text


def test_blocks_that_did_not_run_and_broken_ones(tmp_path: Path) -> None:
    assert _results(tmp_path)["faster"][0] == "not run"
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=2, broken=2))
    assert _results(tmp_path)["faster"][0] == "not run"
    (tmp_path / "speed" / layout.MANIFEST).unlink()


def test_a_percentile_of_few_answers_is_missing(tmp_path: Path) -> None:
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=4, tps=(100.0, 90.0)))
    text = STUDY.replace("latency_mean", "latency_p99")
    assert (
        "windows of speed have too few answers for latency_p99"
        in _results(tmp_path, text)["answers-sooner"][1]
    )


def test_measures_without_windows_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"host_cpu is not measured .* interleaved comparison only measures tps"
    ):
        parse_study(STUDY.replace("measure: latency_mean", "measure: host_cpu"), "x.yaml")


def test_faults_of_an_interleaved_part_are_measured_by_trials(tmp_path: Path) -> None:
    text = (
        STUDY.replace("      interleaved:", "      faults: [kill]\n      interleaved:")
        + """\
  - id: back-soon
    says: It is back within a minute.
    test: {limit: {measure: outage_writes, part: speed, solution: fast, at_most: 1m}}
  - id: nothing-lost
    says: Nothing is lost.
    test: {never: {measure: lost, part: speed, solution: fast, at_most: 60%}}
"""
    )
    text = text.replace(
        "{solution: standalone, name: fast, durability: relaxed}", "{solution: hot-standby, name: fast}"
    )
    matrix = Matrix([Recipe("fast", outage=2000), Recipe("slow", outage=2000)], faults=["kill"], trials=6)
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=4), matrix)
    results = _results(tmp_path, text)
    assert {name: result for name, (result, _) in results.items()} == {
        "faster": "holds",
        "answers-sooner": "holds",
        "back-soon": "holds",
        "nothing-lost": "holds",
    }


# --- pairs of pairs, and orders ----------------------------------------------------------------------


def blocks(prefix: str, logarithms: np.ndarray, mean: float) -> Sample:
    """Return the values of blocks by their logarithms around a mean."""
    values = tuple(TrialValue(f"{prefix}-{n}", mean * math.exp(x)) for n, x in enumerate(logarithms))
    return Sample(summarise([item.value for item in values]), values, unit="block")


def _gains(light: float, heavy: float, seed: int, machine: float = 0.3) -> Planted:
    """Two solutions under two workloads, whose gain differs; the machine's speed differs by block."""
    rng = np.random.default_rng(seed)
    samples = {}
    for level, gain in (("1", light), ("2", heavy)):
        mood = rng.normal(0, machine, 5)
        for name, mean in (("a", gain), ("b", 1.0)):
            samples["tps", name, level] = blocks(level, mood + rng.normal(0, 0.01, 5), 1000 * mean)
    return Planted(samples)


GAINS = {
    "measure": "tps",
    "a": {"solution": "a", "connections": 2, "over": {"solution": "b", "connections": 2}},
    "b": {"solution": "a", "connections": 1, "over": {"solution": "b", "connections": 1}},
}


@pytest.mark.parametrize(("heavy", "status"), [(1.4, "holds"), (1.2, "inconclusive"), (1.0, "contradicted")])
def test_a_ratio_of_ratios_of_two_workloads_is_paired_within_each(heavy: float, status: Status) -> None:
    assert judge(_gains(1.2, heavy, 3), greater=GAINS).status == status


def test_a_ratio_between_workloads_is_not_paired() -> None:
    test = {
        "measure": "tps",
        "a": {"solution": "a", "connections": 1},
        "b": {"solution": "a", "connections": 2},
    }
    # Different blocks: the moods of the machine do not cancel out.
    assert judge(_gains(1.3, 1.2, 3), greater=test).status == "inconclusive"


def test_the_speed_of_blocks_does_not_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    noise, moods = rng.normal(0, 0.01, 5), rng.normal(0, 1, 5)
    intervals = []
    for machine in (0.0, 1.0):
        samples = {
            ("tps", "a", ""): blocks("block", machine * moods + noise, 1200.0),
            ("tps", "b", ""): blocks("block", machine * moods, 1000.0),
        }
        (atom,) = judge(Planted(samples), greater={"measure": "tps", "a": "a", "b": "b"}).atoms
        assert atom.span is not None
        intervals.append((atom.span.low, atom.span.estimate, atom.span.high))
    assert intervals[0] == pytest.approx(intervals[1])


def test_an_order_of_four_solutions_is_judged_in_their_blocks() -> None:
    rng = np.random.default_rng(7)
    mood = rng.normal(0, 0.3, 5)
    samples = {
        ("tps", name, ""): blocks("block", mood + rng.normal(0, 0.01, 5), mean)
        for name, mean in (("a", 1300.0), ("b", 1200.0), ("c", 1100.0), ("d", 1000.0))
    }
    order = {"measure": "tps", "of": ["a", "b", "c", "d"], "is": ">"}
    assert judge(Planted(samples), order=order).tally == "3 of 3 hold"
    assert judge(Planted(samples), order=order | {"of": ["a", "c", "b", "d"]}).status == "contradicted"
    alone = Planted({key: Sample(item.summary, item.values) for key, item in samples.items()})
    assert judge(alone, order=order).status == "inconclusive"


def _share(decides: object, campaigns: int) -> float:
    return sum(decides(seed) for seed in range(campaigns)) / campaigns  # type: ignore[operator]


@pytest.mark.parametrize("machine", [0.02, 0.3])
def test_a_ratio_at_the_limit_is_decided_in_at_most_5_percent_of_campaigns(machine: float) -> None:
    def decided(seed: int) -> bool:
        return judge(_gains(1.2, 1.2, seed, machine), greater=GAINS).status != "inconclusive"

    assert _share(decided, 1000) < 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / 1000)
