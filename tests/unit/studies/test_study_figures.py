"""Figures of synthetic runs and of print, as the judge asks for them."""

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_clients import run_of_two_clients
from synthetic_run import Matrix, Recipe, variants, write_run

from fivenines.analysis.statistics.means import of_moments
from fivenines.results import layout
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import CellKey
from fivenines.results.store import open_run, write_json
from fivenines.studies.claims.figures import Level, Place
from fivenines.studies.claims.greater import Greater
from fivenines.studies.claims.limit import Limit
from fivenines.studies.measured import PartFigures, RunFigures, on_a_grid
from fivenines.studies.models import Published, Unavailable
from fivenines.studies.printed import PrintedFigures
from fivenines.studies.spots import level_of, spots_of

NETWORKS = [
    {"name": "near", "link": {"rtt": "1ms", "bandwidth": None}},
    {"name": "far", "link": {"rtt": "100ms", "bandwidth": None}},
]
MATRIX = Matrix(
    [
        Recipe("fast", tps=2000, outage=2000),
        Recipe("slow", tps=500, outage=4000, lost=5, bottleneck=True, gone=1),
        *variants("tuned", {0: Recipe("", tps=800), 1000: Recipe("", tps=2400)}),
    ],
    faults=["none", "kill"],
    networks=NETWORKS,
    trials=4,
)


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> RunFigures:
    """Of a part that has run, and one that has not."""
    folder = tmp_path_factory.mktemp("study")
    write_run(folder / "all", MATRIX)
    other = CellKey(solution="fast", workload="later", connections=4, network="near", fault="none")
    parts = [
        PartFigures("all", [], folder / "all"),
        PartFigures("later", spots_of("later", {}, [other]), folder / "later"),
    ]
    return RunFigures(parts, {"aurora": Unavailable(why="a cloud account")})


def _place(solution: str, network: str = "near", fault: str | None = None) -> Place:
    return Place(part="all", solution=solution, network=network, fault=fault)


def test_before_a_fault_trials_with_any_fault_are_together(figures: RunFigures) -> None:
    result = figures.sample("tps", _place("fast"))
    assert result.summary.n == len(result.values) == 8
    assert result.summary.mean == pytest.approx(2000, rel=0.1)
    assert len({value.trial for value in result.values}) == 8
    assert figures.sample("tps", _place("fast", fault="kill")).summary.n == 4
    assert figures.sample("tps", _place("fast", fault="")).summary.n == 4


def test_what_a_fault_did_is_of_trials_with_one(figures: RunFigures) -> None:
    result = figures.sample("outage_writes", _place("fast"))
    assert result.summary.n == 4 and result.summary.mean == pytest.approx(2000, rel=0.2)


def test_an_outage_without_an_end_is_a_bound(figures: RunFigures) -> None:
    result = figures.sample("outage_writes", _place("slow"))
    assert [value.bound for value in result.values].count(True) == result.summary.bounds == 1


def test_a_load_that_was_the_clients_limit_says_so(figures: RunFigures) -> None:
    assert "the client was the bottleneck in 8 of 8 trials" in figures.sample("tps", _place("slow")).limited
    assert not figures.sample("tps", _place("fast")).limited
    assert not figures.sample("outage_writes", _place("slow")).limited


def test_a_load_of_failures_says_so(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "all", Matrix([Recipe("a")], faults=["none", "kill"], trials=2))
    for trial in open_run(folder).complete:
        ended = {"transactions": {"ok": 100, "failed": 2, "in_doubt": 0}}
        load = LoadSummary.of({**trial.record.load.document, **ended})
        write_json(trial.folder / layout.TRIAL, trial.record.model_copy(update={"load": load}))
    of = RunFigures([PartFigures("all", [], folder)], {})
    quiet, broken = (of.sample("tps", Place(fault=fault)) for fault in ("", "kill"))
    assert quiet.failing == (
        "more than 1 % of transactions failed in 2 of 2 trials, most often with "
        "2013 connection_lost <to server>"
    ), "and where something was broken they have to fail"
    assert not broken.failing
    assert not of.sample("connect_p50", Place(fault="")).failing


def test_events_are_counted_where_they_could_be_seen(figures: RunFigures) -> None:
    lost = figures.events("lost", _place("slow", fault="kill"))
    assert (lost.seen, lost.n) == (4, 4)
    assert figures.events("lost", _place("fast", fault="kill")).seen == 0


def test_what_is_of_the_whole_load_is_of_one_fault(figures: RunFigures) -> None:
    several = "several faults match (none, kill): name one"
    assert figures.events("lost", _place("slow")).missing == several
    assert figures.sample("connects_refused", _place("slow")).missing == several
    assert "several" not in figures.events("lost", _place("slow", fault="")).missing


def test_a_round_trip_is_an_axis(figures: RunFigures) -> None:
    place = Place(part="all", solution="fast")
    assert list(figures.levels("rtt", place)) == [Level("1", 1.0), Level("100", 100.0)]
    at = figures.sample("tps", place.at("rtt", "100"))
    assert at.summary == figures.sample("tps", _place("fast", "far")).summary
    assert figures.sample("tps", place).missing == ("several networks match (near, far): name one")


def test_a_swept_solution_is_its_best_case(figures: RunFigures) -> None:
    result = figures.sample("tps", _place("tuned"))
    assert result.summary.n == 4 and result.summary.mean == pytest.approx(2400, rel=0.1)
    assert figures.sample("tps", _place("tuned [spin=0]")).missing.startswith("there is no cell")


def test_a_variant_that_is_named_is_not_the_best_case(figures: RunFigures) -> None:
    place = _place("tuned")
    slow, quick = (figures.sample("tps", place.at("variant.settings.spin", n)) for n in (0, 1000))
    assert slow.summary.mean == pytest.approx(800, rel=0.1)
    assert quick.summary.mean == pytest.approx(2400, rel=0.1)
    assert slow.summary.n == quick.summary.n == 8
    assert not {value.trial for value in slow.values} & {value.trial for value in quick.values}


def test_a_few_variants_of_several_are_not_one_cell(tmp_path: Path) -> None:
    spins = {0: Recipe("", tps=800), 1000: Recipe("", tps=2400), 1500: Recipe("", tps=810)}
    group = [
        replace(variant, variant={**(variant.variant or {}), "group": str(n < 2)})
        for n, variant in enumerate(variants("tuned", spins))
    ]
    write_run(tmp_path / "all", Matrix(group, faults=["none"], trials=4))
    part = RunFigures([PartFigures("all", [], tmp_path / "all")], {})
    missing = part.sample("tps", Place(solution="tuned").at("variant.group", "True")).missing
    assert missing == ("several variants match (tuned [spin=0], tuned [spin=1000]): name one")


def test_variants_of_a_sweep(figures: RunFigures) -> None:
    variants = figures.variants(_place("tuned"))
    assert (variants.chosen, variants.more, set(variants.samples)) == ("1000", True, {"0", "1000"})
    assert figures.variants(_place("fast")).missing == "fast is not swept"


def test_a_choice_for_a_workload_is_looked_at_condition_by_condition(tmp_path: Path) -> None:
    spins = {0: Recipe("", tps=800), 1000: Recipe("", tps=2400, bottleneck=True)}
    recipes = variants("tuned", spins, best_for="workload")
    write_run(tmp_path / "all", Matrix(recipes, connections=[1, 8], faults=["none"], trials=4))
    part = RunFigures([PartFigures("all", [], tmp_path / "all")], {})
    place = Place(solution="tuned")
    assert part.variants(place).missing == "several connections match (1, 8): name one"
    result = part.variants(place.at("connections", 8))
    assert [sample.summary.n for sample in result.samples.values()] == [4, 4]
    assert result.samples["1000"].limited and not result.samples["0"].limited


def test_what_is_not_there_says_why(figures: RunFigures) -> None:
    assert figures.sample("tps", Place(part="later")).missing == "the part later has not run"
    assert figures.sample("tps", Place(solution="aurora")).unavailable == "aurora: a cloud account"
    assert "there is no cell with part all, solution fsat" in figures.sample("tps", _place("fsat")).missing
    client = Place(part="all", solution="fast", network="near", client="a")
    assert "client a" in figures.sample("tps", client).missing


def test_a_client_has_figures_of_its_own(tmp_path: Path) -> None:
    part = PartFigures("two", [], run_of_two_clients(tmp_path).folder)
    of = RunFigures([part], {})
    place = Place(part="two")
    assert [level.name for level in of.levels("client", place)] == ["ann", "bob"]
    ann, bob = (of.sample("tps", place.at("client", name)) for name in ("ann", "bob"))
    assert ann.summary.mean == pytest.approx(400, rel=0.2)
    assert bob.summary.mean == pytest.approx(100, rel=0.2)
    assert (ann.summary.n, bob.source) == (2, "two")
    away = [of.sample("outage_writes", place.at("client", name)) for name in ("ann", "bob")]
    assert [round(item.summary.mean or 0, -3) for item in away] == [2000, 5000]
    # measures of the cluster belong to no client, and an unknown client has none
    assert "all clients together" in of.sample("host_cpu", place.at("client", "ann")).missing
    assert "all clients together" in of.events("lost", place.at("client", "ann")).missing
    assert "client eve" in of.sample("tps", place.at("client", "eve")).missing


def test_outages_that_fell_into_one_slot_are_known_to_a_slot(tmp_path: Path) -> None:
    write_run(tmp_path / "away", Matrix([Recipe("a", outage=2000.0)], trials=3))
    of = RunFigures([PartFigures("all", [], tmp_path / "away")], {})
    result = of.sample("outage_writes", Place()).summary
    assert result.sd and len({value.value for value in of.sample("outage_writes", Place()).values}) > 1
    for sd, mean, bounds, expected in (
        (0.0, 10.0, 0, 10 / 12**0.5),
        (0.0, 10.0, 3, 0.0),
        (3.0, 10.0, 0, 3.0),
    ):
        known = of_moments(3, mean, sd, bounds=bounds)
        assert on_a_grid("outage_writes", known).sd == pytest.approx(expected)
    assert on_a_grid("tps", of_moments(3, 10.0, 0.0)).sd == 0


def test_the_number_of_hosts_is_exact(tmp_path: Path) -> None:
    recipes = [Recipe("known", known=True), Recipe("unknown")]
    write_run(tmp_path / "hosts", Matrix(recipes, trials=1))
    of = RunFigures([PartFigures("all", [], tmp_path / "hosts")], {})
    known = of.sample("hosts", Place(solution="known"))
    assert (known.summary.mean, known.exact) == (2, True)
    assert "recorded" in of.sample("hosts", Place(solution="unknown")).missing
    printed = PrintedFigures([Published(source="text", measure="hosts", mean=2.0)])
    assert printed.sample("hosts", Place()).exact
    # one trial is enough for what no chance changes
    for most, status in ((2, "holds"), (1, "contradicted")):
        test = Limit(measure="hosts", solution=["known"], at_most=most)
        assert test.judge(of).status == status


def test_printed_clients_are_levels() -> None:
    of = PrintedFigures(
        [
            Published(source="T1", measure="tps", solution="a", client=name, mean=400.0)
            for name in ("ann", "bob")
        ]
    )
    assert [level.name for level in of.levels("client", Place(solution="a"))] == ["ann", "bob"]
    assert not of.levels("client", Place(solution="b"))


def test_printed_figures_of_a_client_are_not_of_all_together() -> None:
    of = PrintedFigures([Published(source="T1", measure="tps", solution="a", client="ann", mean=400.0)])
    assert of.sample("tps", Place(solution="a", client="ann")).summary.mean == 400
    assert of.sample("tps", Place(solution="a")).missing
    assert of.sample("tps", Place(solution="a", client="bob")).missing


@pytest.mark.parametrize(
    ("axis", "value", "level"),
    [
        ("rtt", "10ms", Level("10", 10.0)),
        ("bandwidth", "57kbit/s", Level("57kbit/s", 57_000.0)),
        ("mode", "after_sync", Level("after_sync")),
        ("rate", 100, Level("100", 100.0)),
        ("on", True, Level("true")),
    ],
)
def test_settings_are_levels(axis: str, value: object, level: Level) -> None:
    assert level_of(axis, value) == level


PRINTED = PrintedFigures(
    [
        Published.model_validate(item)
        for item in (
            {
                "source": "T1",
                "measure": "tps",
                "solution": "a",
                "n": 30,
                "by": "connections",
                "mean": {"1": 80.0, "32": 800.0},
                "sd": {"1": 17.0, "32": 300.0},
            },
            {"source": "text", "measure": "tps", "solution": "b", "mean": 70.0, "scale": "a = 100"},
            {"source": "T2", "measure": "lost", "solution": "a", "seen": 0, "n": 12},
            {
                "source": "T3",
                "measure": "tps",
                "solution": "swept",
                "by": "variant",
                "n": 5,
                "mean": {"0": 10.0, "1000": 20.0},
                "sd": {"0": 1.0, "1000": 1.0},
                "chosen": "1000",
            },
        )
    ]
)


def test_printed_figures_have_moments_and_no_values() -> None:
    result = PRINTED.sample("tps", Place(solution="a", connections=32))
    assert (result.summary.n, result.summary.mean, result.summary.sd) == (30, 800.0, 300.0)
    assert result.summary.ci_low is not None and not result.values and result.source == "T1"
    assert PRINTED.sample("tps", Place(solution="a", connections=8)).missing == "not published"
    assert PRINTED.sample("latency_mean", Place(solution="a")).missing == "not published"


def test_a_mean_alone_proves_nothing() -> None:
    result = PRINTED.sample("tps", Place(solution="b", workload="any"))
    assert (result.summary.mean, result.summary.sd, result.summary.ci_low) == (70.0, None, None)
    assert result.source == "text (a = 100)"


def test_a_printed_bound_stays_one() -> None:
    more = {
        "source": "text: more than",
        "measure": "outage_writes",
        "solution": "a",
        "mean": 120_000,
        "bound": True,
    }
    known = {"source": "text", "measure": "outage_writes", "solution": "b", "n": 9, "mean": 8000, "sd": 500}
    figures = PrintedFigures([Published.model_validate(item) for item in (more, known)])
    result = figures.sample("outage_writes", Place(solution="a")).summary
    assert (result.mean, result.bounds, result.ci_high) == (120_000, result.n, None)
    test = Greater.model_validate({"measure": "outage_writes", "a": "a", "b": "b"})
    (atom,) = test.atoms(figures)
    assert atom.status == "inconclusive" and "a is at least" in atom.sentence
    assert "not back in" not in atom.sentence


def test_printed_events_levels_and_variants() -> None:
    assert PRINTED.events("lost", Place(solution="a")).n == 12
    levels = PRINTED.levels("connections", Place(solution="a"))
    assert [level.number for level in levels] == [1.0, 32.0]
    swept = PRINTED.variants(Place(solution="swept"))
    assert swept.chosen == "1000" and swept.samples["1000"].summary.mean == 20.0
