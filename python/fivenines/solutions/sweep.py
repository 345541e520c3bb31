"""Sweeps: settings of a solution that are tried out, so that its best case can be compared."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from fivenines.requirements.measures import measure_named
from fivenines.settings import Settings, told

_BEFORE = {"throughput": "tps"}
"""Words of before for measures, which old files and runs have."""


def _measure(name: object) -> object:
    if not isinstance(name, str):
        return name
    try:
        measure = measure_named(_BEFORE.get(name, name))
    except ValueError as error:
        raise told(str(error)) from None
    if not measure.valued:
        raise told(f"{name} has no value in each trial: a sweep chooses by one that has, as tps")
    if measure.more is None:
        raise told(f"nothing is best by {name}, as neither more nor less of it is better")
    return measure.name


SweepMeasure = Annotated[str, BeforeValidator(_measure)]
"""What a sweep may choose by: what each trial has a value of, and of which more or less is better."""

BestFor = Literal["each", "workload", "all"]

JudgedOn = Literal["other-trials", "same-trials"]


class SweepSettings(Settings):
    """Settings with lists of values, of which every combination becomes a variant of the solution.

    `sweep: {KEY: [VALUE, ...]}` is short for `sweep: {settings: {KEY: [VALUE, ...]}}`. Keys inside others
    are written with dots, as `server.innodb_io_capacity` or `manager.misses`. The best variant is chosen
    on one half of the trials, and compared with other solutions on the other half, unless `judged_on` says
    otherwise.
    """

    settings: dict[str, list[Any]] = Field(
        description="settings of the solution, each with the values to try; several make the product"
    )
    by: SweepMeasure = Field(
        "tps",
        description="measure that the best is chosen by, as tps or outage_writes (`fivenines list measures`)",
    )
    best_for: BestFor = Field(
        "each",
        description="each: every workload, number of connections and network has a best case of its "
        "own; workload: each workload has one, over all connections and networks; all: there is one. Over "
        "several, variants are ranked by the geometric mean of ratios",
    )
    judged_on: JudgedOn = Field(
        "other-trials",
        description="other-trials: one half of the trials chooses, the other half is reported; same-trials: "
        "all trials choose, and the same ones are reported, as studies do: the best case is flattered then, "
        "and the report says so",
    )


class VariantSettings(Settings):
    """What a sweep made of a solution: one combination of values, already set in the solution."""

    of: str = Field(min_length=1, description="name of the solution that is swept")
    settings: dict[str, Any] = Field(description="the swept settings with the values of this one")
    by: SweepMeasure = Field("tps", description="as in the sweep")
    best_for: BestFor = Field("each", description="as in the sweep")
    judged_on: JudgedOn = Field("other-trials", description="as in the sweep")
