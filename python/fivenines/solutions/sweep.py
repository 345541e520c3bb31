"""Sweeps: try settings of a solution with several values, so that its best case can be compared."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from fivenines.analysis.measures.measures import measure_named
from fivenines.base.settings import Settings, invalid

# Former names of measures, for old files and runs.
_BEFORE = {"throughput": "tps"}


def _measure(name: object) -> object:
    if not isinstance(name, str):
        return name
    try:
        measure = measure_named(_BEFORE.get(name, name))
    except ValueError as error:
        raise invalid(str(error)) from None
    if not measure.valued:
        raise invalid(f"{name} has no value in each trial: choose a measure that has one, such as tps")
    if measure.more is None:
        raise invalid(
            f"{name} cannot decide which variant is best, as neither more nor less of it is better: "
            "choose another measure"
        )
    return measure.name


# A measure for a sweep: each trial has a value of it, and more or less of it is better.
SweepMeasure = Annotated[str, BeforeValidator(_measure)]

BestFor = Literal["each", "workload", "all"]

JudgedOn = Literal["other-trials", "same-trials"]


class SweepSettings(Settings):
    """Settings with lists of values; every combination becomes a variant of the solution.

    `sweep: {KEY: [VALUE, ...]}` is short for `sweep: {settings: {KEY: [VALUE, ...]}}`. Nested keys are
    written with dots, as `server.innodb_io_capacity` or `manager.misses`. One half of the trials chooses the
    best variant, and the other half compares it with other solutions, unless `judged_on` differs.
    """

    settings: dict[str, list[Any]] = Field(
        description="settings of the solution, each with the values to try; all combinations are tried"
    )
    by: SweepMeasure = Field(
        "tps",
        description="measure that decides about the best variant, as tps or outage_writes (`fivenines list "
        "measures`)",
    )
    best_for: BestFor = Field(
        "each",
        description="scope of a best case. each: every workload, number of connections and network; "
        "workload: each workload, over all connections and networks; all: one for the whole experiment. Over "
        "several, variants are ranked by the geometric mean of ratios",
    )
    judged_on: JudgedOn = Field(
        "other-trials",
        description="other-trials: one half of the trials chooses, the other half is reported; same-trials: "
        "all trials choose and are reported, as in many studies: this overestimates the best case, and the "
        "report says so",
    )


class VariantSettings(Settings):
    """A variant: one combination of values, already set in the solution."""

    of: str = Field(min_length=1, description="name of the swept solution")
    settings: dict[str, Any] = Field(description="swept settings with this variant's values")
    by: SweepMeasure = Field("tps", description="as in the sweep")
    best_for: BestFor = Field("each", description="as in the sweep")
    judged_on: JudgedOn = Field("other-trials", description="as in the sweep")
