"""Model of a study file: parts as experiments, published figures as data, claims as tests."""

from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration
from fivenines.studies.claims.kinds import AnyTest
from fivenines.studies.claims.places import FreeLevel

# Form of a study: a short one of about half an hour, or the complete one.
Form = Literal["quick", "full"]

Figure = Annotated[float, Field(allow_inf_nan=False)]


class Cite(Settings):
    """Citation of the publication."""

    authors: Annotated[list[str], Field(min_length=1, description="authors")]
    title: str = Field(min_length=1, description="title")
    year: int = Field(ge=1950, le=2100, description="year of publication")
    where: str = Field("", description="journal, conference or page")


class PartSettings(Settings):
    """A part of a study: an experiment, and the changes of its quick form."""

    experiment: dict[str, Any] = Field(
        default_factory=dict,
        description="keys of an experiment file, merged recursively into the study's `experiment`",
    )
    quick: dict[str, Any] = Field(
        default_factory=dict, description="changes of the quick form, merged recursively into these keys"
    )


class Unavailable(Settings):
    """A name in claims that cannot be run here, with the reason."""

    why: str = Field(min_length=1, description="missing prerequisite, as a cloud account")
    instead: str = Field("", description="alternative")


class Published(Settings):
    """Published figures of one measure at one place; with `by` those of each level of an axis."""

    source: str = Field(min_length=1, description="source within the publication: a table, a page")
    measure: str = Field(min_length=1, description="name of the measure; times in ms")
    part: str | None = Field(None, description="name of the part that measures the same here")
    solution: str | None = Field(None, description="name of the solution")
    workload: str | None = Field(None, description="name of the workload")
    connections: int | None = Field(None, ge=1, description="number of connections")
    network: str | None = Field(None, description="name of the network")
    fault: str | None = Field(None, description="name of the fault")
    client: str | None = Field(None, description="name of the client; null: all clients together")
    at: FreeLevel = Field(default_factory=dict, description="levels of other axes: `{rtt: 10}`")
    n: int | None = Field(None, ge=1, description="number of trials; null: not published")
    by: str | None = Field(
        None, description="axis whose levels `mean` and `sd` list; `variant`: the variants of a sweep"
    )
    mean: Figure | dict[str, Figure] | None = Field(None, description="mean, or means by level")
    sd: Figure | dict[str, Figure] | None = Field(
        None, description="standard deviation over the trials, or standard deviations by level"
    )
    bound: bool = Field(False, description="the means are lower bounds: `more than 120 s`")
    seen: int | None = Field(None, ge=0, description="for an event: number of the `n` trials that have it")
    chosen: str | None = Field(None, description="for a sweep: the best variant")
    scale: str = Field("", description="scale of figures that are not in the measure's unit: `strict = 100`")


class Claim(Settings):
    """A claim of the study, and the test that judges it."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", description="short name, unique in the study")
    says: str = Field(min_length=1, description="the claim in a sentence")
    basis: Literal["measured", "stated", "ours"] = Field(
        "measured",
        description="measured: the study measured it; stated: it states it without figures; ours: the "
        "authors did not claim it, so it is counted apart",
    )
    fidelity: Literal["same", "scaled", "stand-in"] = Field(
        "same", description="same: as published; scaled: smaller or shorter; stand-in: by a substitute"
    )
    note: str = Field("", description="note that a reader must know to interpret the verdict")
    test: AnyTest = Field(description="one test by its name: `{greater: {...}}`")


class Study(Settings):
    """A published study that is replicated."""

    study: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", description="name of the study, as that of its file")
    cite: Cite = Field(description="citation of the publication")
    question: str = Field("", description="question of the study, in a sentence")
    differs: list[str] = Field(
        default_factory=list, description="differences from the publication, shown above the verdicts"
    )
    experiment: dict[str, Any] = Field(
        default_factory=dict, description="keys of an experiment file that all parts share"
    )
    quick: dict[str, Any] = Field(default_factory=dict, description="changes of the quick form of all parts")
    parts: Annotated[dict[str, PartSettings], Field(min_length=1, description="experiments, by name")]
    refuse_above: Annotated[Duration, Field(gt=0)] = Field(
        24 * 3600.0, description="a part that takes longer runs only if `--part` names it"
    )
    unavailable: dict[str, Unavailable] = Field(
        default_factory=dict,
        description="names that cannot be run here: solutions, parts, workloads, networks or faults",
    )
    published: list[Published] = Field(default_factory=list, description="published figures")
    claims: Annotated[list[Claim], Field(min_length=1, description="claims to judge")]
