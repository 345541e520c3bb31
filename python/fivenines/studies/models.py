"""What a study file says: parts as experiments, printed figures as data, claims as tests."""

from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.settings import Settings
from fivenines.studies.claims.kinds import AnyTest
from fivenines.studies.claims.places import FreeLevel
from fivenines.units import Duration

# Which form of a study is run: one that shows the way of things in half an hour, or the whole.
Form = Literal["quick", "full"]

Figure = Annotated[float, Field(allow_inf_nan=False)]


class Cite(Settings):
    """Who published it, and where."""

    authors: Annotated[list[str], Field(min_length=1, description="who wrote it")]
    title: str = Field(min_length=1, description="what it is called")
    year: int = Field(ge=1950, le=2100, description="when it was published")
    where: str = Field("", description="the journal, conference or page")


class PartSettings(Settings):
    """A part of a study: an experiment, and what its quick form changes."""

    experiment: dict[str, Any] = Field(
        default_factory=dict,
        description="the keys of an experiment file, merged deeply over the study's own `experiment`",
    )
    quick: dict[str, Any] = Field(
        default_factory=dict, description="what the quick form changes, merged deeply over that"
    )


class Unavailable(Settings):
    """What cannot be run here, and what it would take."""

    why: str = Field(min_length=1, description="what it would take: a cloud account")
    instead: str = Field("", description="what can be done instead")


class Published(Settings):
    """Printed figures of one measure at one place; with `by` those of each level of an axis."""

    source: str = Field(min_length=1, description="where they are printed: a table, a page")
    measure: str = Field(min_length=1, description="the measure by its name; times in ms")
    part: str | None = Field(None, description="the part that measures the same here")
    solution: str | None = Field(None, description="name of the solution")
    workload: str | None = Field(None, description="name of the workload")
    connections: int | None = Field(None, ge=1, description="number of connections")
    network: str | None = Field(None, description="name of the network")
    fault: str | None = Field(None, description="name of the fault")
    client: str | None = Field(None, description="name of the client; null: all together")
    at: FreeLevel = Field(default_factory=dict, description="levels of other axes: `{rtt: 10}`")
    n: int | None = Field(None, ge=1, description="number of trials; null: not printed")
    by: str | None = Field(
        None, description="an axis: `mean` and `sd` are by its levels. `variant`: by those of a sweep"
    )
    mean: Figure | dict[str, Figure] | None = Field(None, description="the mean, or each by its level")
    sd: Figure | dict[str, Figure] | None = Field(
        None, description="the standard deviation over the trials, or each by its level"
    )
    bound: bool = Field(False, description="the means are lower bounds: `more than 120 s`")
    seen: int | None = Field(None, ge=0, description="of an event: in how many of `n` trials")
    chosen: str | None = Field(None, description="of a sweep: the variant that was best")
    scale: str = Field("", description="what figures are in that are not in the unit: `strict = 100`")


class Claim(Settings):
    """What the study says, and the test by which it is judged."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", description="a short name, unique in the study")
    says: str = Field(min_length=1, description="the claim in a sentence")
    basis: Literal["measured", "stated"] = Field(
        "measured", description="whether the study measured it, or says it without figures"
    )
    fidelity: Literal["same", "scaled", "stand-in"] = Field(
        "same", description="same: as published. scaled: smaller or shorter. stand-in: by what stands for it"
    )
    note: str = Field("", description="what a reader must know to take the verdict rightly")
    test: AnyTest = Field(description="one test by its name: `{greater: {...}}`")


class Study(Settings):
    """A published study that is run again."""

    study: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", description="its name, as of its file")
    cite: Cite = Field(description="who published it")
    question: str = Field("", description="what it asks, in a sentence")
    differs: list[str] = Field(
        default_factory=list, description="what is not as it was published; heads the verdicts"
    )
    experiment: dict[str, Any] = Field(
        default_factory=dict, description="keys of an experiment file that all parts share"
    )
    quick: dict[str, Any] = Field(
        default_factory=dict, description="what the quick form of all parts changes"
    )
    parts: Annotated[dict[str, PartSettings], Field(min_length=1, description="what is run")]
    refuse_above: Annotated[Duration, Field(gt=0)] = Field(
        24 * 3600.0, description="a part that takes longer is run only where `--part` names it"
    )
    unavailable: dict[str, Unavailable] = Field(
        default_factory=dict,
        description="what claims name and cannot be run here, by the name of the solution, part, workload, "
        "network or fault",
    )
    published: list[Published] = Field(default_factory=list, description="figures as they were printed")
    claims: Annotated[list[Claim], Field(min_length=1, description="what is judged")]
