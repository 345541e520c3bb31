"""Parts that end once their claims are decided: what decides, and that looking does not raise the error."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from planted_figures import Planted, judge
from synthetic_interleaved import SyntheticBlock, write_interleaved_run

from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.analysis.statistics.sequential import at_level, level, nominal_of, nominal_of_blocks
from fivenines.base.errors import UsageError
from fivenines.experiment.defaults import as_dict
from fivenines.experiment.source import parse_parts
from fivenines.results import layout
from fivenines.results.store import open_run, write_json
from fivenines.studies.claims.figures import Sample, TrialValue
from fivenines.studies.looks import is_closed, looks
from fivenines.studies.run import Changes, choose
from fivenines.studies.source import Loaded, parse_study

STUDY = """\
study: small
cite: {authors: [A. Person], title: On servers, year: 2020}
experiment: {workloads: [oltp_read_write], connections: [8]}
parts:
  speed:
    experiment:
      design: interleaved
      interleaved: {blocks: 10}
      until_decided: {at_least: 3, within: 20m}
      solutions:
        - {solution: standalone, name: fast, durability: relaxed}
        - {solution: standalone, name: slow}
  fixed:
    experiment: {solutions: [{solution: standalone, name: alone}]}
claims:
  - id: faster
    says: The fast one does at least 5 % more.
    test: {greater: {measure: tps, part: speed, a: fast, b: slow, by: 1.05}}
  - id: much-faster
    says: The fast one does at least 12 % more.
    test: {greater: {measure: tps, part: speed, a: fast, b: slow, by: 1.12}}
"""


def _run(tmp_path: Path, loaded: Loaded) -> Path:
    """A run of the part `speed`, whose true ratio is 1.12."""
    folder = write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=4, noise=0.02))
    manifest = open_run(folder).manifest
    part = loaded.experiments["full"][0]
    write_json(folder / layout.MANIFEST, manifest.model_copy(update={"experiment": as_dict(part.experiment)}))
    return folder


def test_a_part_waits_for_its_claims_alone(tmp_path: Path) -> None:
    loaded = parse_study(STUDY, "x.yaml")
    _run(tmp_path, loaded)
    every = looks(choose(loaded, "full", [], []), tmp_path)
    assert list(every) == ["speed"]
    assert not every["speed"]()  # the claim at the true ratio is open
    assert looks(choose(loaded, "full", ["faster"], []), tmp_path)["speed"]()


def test_a_part_without_claims_never_ends_early(tmp_path: Path) -> None:
    text = STUDY.replace("part: speed", "part: fixed, connections: 8").replace(
        "a: fast, b: slow", "a: alone, b: alone"
    )
    loaded = parse_study(text, "x.yaml")
    _run(tmp_path, loaded)
    assert not looks(choose(loaded, "full", [], []), tmp_path)["speed"]()


def test_a_number_of_trials_leaves_the_rule_out() -> None:
    loaded = parse_study(STUDY, "x.yaml")
    (speed, _) = choose(loaded, "full", [], [], Changes(trials=5)).plans
    assert speed.part.experiment.until_decided is None and speed.trials == 5


def test_intervals_allow_for_all_looks(tmp_path: Path) -> None:
    loaded = parse_study(STUDY, "x.yaml")
    run = open_run(_run(tmp_path, loaded))
    assert nominal_of_blocks(run) == level(3, 10)
    # The part has three trials of cells with faults, so nothing can end earlier there.
    assert nominal_of(run) == level(3, 3) == 0.95


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "at_least: 3",
            "at_least: 10",
            "until_decided.at_least: the largest number of trials or blocks is 10",
        ),
        ("blocks: 10", "blocks: 201", "the largest number with `until_decided` is 200"),
        (
            "{blocks: 10}",
            "{blocks: 10}\n      trials: {at_least: 2, at_most: 9, until: {measure: tps, within: 10%}}",
            "`trials.until` ends trials by another rule",
        ),
    ],
)
def test_a_rule_without_an_effect_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_study(STUDY.replace(old, new), "x.yaml")


def test_only_studies_have_claims() -> None:
    text = "name: x\nsolutions: [standalone]\nworkloads: [oltp_read_only]\nuntil_decided: {}\ntrials: 5\n"
    with pytest.raises(UsageError, match=r"x.yaml:4:16: until_decided: only parts of a study have claims"):
        parse_parts(text, "x.yaml")


# --- the error of claims that are looked at --------------------------------------------------------------

AT_LEAST, AT_MOST, CAMPAIGNS = 3, 9, 500


GREATER = {"measure": "tps", "a": "a", "b": "b", "by": 1.5}
SAME = {"measure": "tps", "a": "a", "b": "b", "within": "50%"}
ORDER = {"measure": "tps", "of": ["a", "b"], "margin": 0.5, "is": "<="}
GAINS = {
    "measure": "tps",
    "a": {"solution": "a", "connections": 2, "over": {"solution": "b", "connections": 2}},
    "b": {"solution": "a", "connections": 1, "over": {"solution": "b", "connections": 1}},
}

# Logarithms of throughput, of every block or trial: solution, level.
Drawn = dict[tuple[str, str], np.ndarray]


def _at_the_limit(draw: np.random.Generator, ratio: float, levels: tuple[str, ...], machine: float) -> Drawn:
    """Blocks whose true ratio of a to b is the limit of the claim; the machine moves both."""
    drawn = {}
    for name in levels:
        mood = draw.normal(0, machine, AT_MOST)
        drawn["a", name] = math.log(ratio) + mood + draw.normal(0, 0.02, AT_MOST)
        drawn["b", name] = mood + draw.normal(0, 0.02, AT_MOST)
    return drawn


def _planted(drawn: Drawn, number: int, nominal: float | None, paired: bool) -> Planted:
    samples = {}
    for (solution, name), logarithms in drawn.items():
        values = [1000 * math.exp(x) for x in logarithms[:number]]
        summary: Summary = summarise(values)
        summary = summary if nominal is None else at_level(summary, nominal)
        trials = tuple(TrialValue(f"{name}-{n}", value) for n, value in enumerate(values))
        samples["tps", solution, name] = Sample(summary, trials, unit="block" if paired else "trial")
    return Planted(samples)


def _decided(
    seed: int,
    test: dict[str, object],
    ratio: float,
    levels: tuple[str, ...],
    nominal: float | None,
    paired: bool,
) -> bool:
    """Whether a campaign is ever decided, at a true ratio for which no decision is right."""
    drawn = _at_the_limit(np.random.default_rng(seed), ratio, levels, 0.1 if paired else 0.02)
    return any(
        is_closed(judge(_planted(drawn, number, nominal, paired), **test))
        for number in range(AT_LEAST, AT_MOST + 1)
    )


def _share(decided: Callable[[int], bool]) -> float:
    return sum(decided(seed) for seed in range(CAMPAIGNS)) / CAMPAIGNS


# 5 %, and what chance adds to it in 500 campaigns (one in a hundred times).
LIMIT = 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / CAMPAIGNS)


@pytest.mark.parametrize(
    ("test", "ratio", "levels", "paired"),
    [
        ({"greater": GREATER}, 1.5, ("",), True),
        ({"greater": GREATER}, 1.5, ("",), False),
        ({"same": SAME}, 1.5, ("",), True),
        ({"order": ORDER}, 1.5, ("",), True),
        ({"greater": GAINS}, 1.3, ("1", "2"), True),
    ],
    ids=["greater-blocks", "greater-trials", "same", "order", "ratio-of-ratios"],
)
def test_claims_at_their_limit_are_decided_in_at_most_5_percent_of_campaigns(
    test: dict[str, object], ratio: float, levels: tuple[str, ...], paired: bool
) -> None:
    nominal = level(AT_LEAST, AT_MOST)
    assert _share(lambda seed: _decided(seed, test, ratio, levels, nominal, paired)) <= LIMIT


def test_without_the_correction_looking_would_raise_the_error() -> None:
    assert _share(lambda seed: _decided(seed, {"greater": GREATER}, 1.5, ("",), None, True)) > LIMIT
