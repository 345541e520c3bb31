"""Settings of the section `decide:`: requirements on solutions, and preferences among those that pass."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from fivenines.analysis.measures.condition import Condition, Requirement, parse_requirement
from fivenines.analysis.measures.measures import measure_named
from fivenines.base.settings import Settings, invalid
from fivenines.base.units import Fraction

# A decision may depend on the conditions that a user knows in advance. The next fault is not one of them.
Axis = Literal["workload", "connections", "network"]

AXES: tuple[Axis, ...] = ("workload", "connections", "network")

# The default requirements. A run that did not measure one of them is judged without it.
REQUIREMENTS = ("not_recovered = 0", "lost = 0", "violated = 0", "split_brain = 0")

PREFER = ("tps", "outage_writes", "latency_p99")


def _known(name: str) -> str:
    try:
        measure = measure_named(name)
    except ValueError as error:
        raise invalid(str(error)) from None
    if measure.kind == "event":
        raise invalid(f"{name} is a requirement, not a preference: write it under `requirements`")
    if measure.more is None:
        raise invalid(
            f"{name} cannot be a preference, as neither more nor less of it is better: write a "
            f"condition on it under `requirements`, such as {name} <= 2"
        )
    return name


Preference = Annotated[str, AfterValidator(_known)]


def _default_requirements() -> list[Requirement]:
    return [parse_requirement(text) for text in REQUIREMENTS]


class DecideSettings(Settings):
    """Requirements exclude solutions; preferences rank those that remain."""

    requirements: list[Condition] = Field(
        default_factory=_default_requirements,
        description="conditions that a solution must meet, such as [outage_writes < 10s, lost = 0, "
        "hosts <= 4]; or as keys: {outage_writes: < 10s}",
    )
    prefer: list[Preference] = Field(
        list(PREFER),
        min_length=1,
        description="measures by which solutions are ranked: the first decides, the next one breaks "
        "inconclusive comparisons",
    )
    margin: Fraction = Field(
        0.05,
        lt=1,
        description="smallest difference by which a preference decides, as 5%: a smaller one, even if it is "
        "measured precisely, is no reason to choose. 0: any measured difference decides",
    )
    accept: list[Literal["loss"]] = Field(
        default_factory=list,
        description="risks that you accept. loss: solutions that may lose acknowledged rows in a failover "
        "are not excluded, neither by their design nor by the trials",
    )
    by: list[Axis] = Field(list(AXES), description="conditions with a separate decision for each value")

    @property
    def default_requirements(self) -> bool:
        """Return whether the requirements are the defaults; unmeasured ones are then left out."""
        return [requirement.text for requirement in self.requirements] == list(REQUIREMENTS)

    @property
    def judged(self) -> list[Requirement]:
        """Return the requirements without those on accepted risks."""
        accepted = {"loss": "lost"}
        waived = {accepted[risk] for risk in self.accept}
        return [requirement for requirement in self.requirements if requirement.measure.name not in waived]

    def problems(self) -> list[str]:
        if self.accept and not self.default_requirements and len(self.judged) < len(self.requirements):
            return [
                "decide: `accept: [loss]` contradicts the requirement on `lost`: leave one of them out, or "
                "accept some loss by a limit, as lost <= 5%"
            ]
        return []

    @field_validator("requirements", mode="before")
    @classmethod
    def _mapping(cls, value: object) -> object:
        """Convert `{outage_writes: "< 10s", lost: {at_most: 10%}}` to a list of conditions."""
        if not isinstance(value, dict):
            return value
        words = {"at_most": "<=", "at_least": ">=", "below": "<", "above": ">"}
        conditions = []
        for name, limits in value.items():
            for word, limit in (limits if isinstance(limits, dict) else {"": limits}).items():
                if word and word not in words:
                    raise invalid(f"{name}: {word!r} is not one of {', '.join(words)}")
                relation = words.get(word, "" if str(limit).lstrip()[:1] in "<>=" else "=")
                conditions.append(f"{name} {relation} {limit}")
        return conditions
