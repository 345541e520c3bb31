"""The section `decide:` of an experiment: what a solution must do, and what is preferred of those that do."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from fivenines.requirements.condition import Condition, Requirement, parse_requirement
from fivenines.requirements.measures import measure_named
from fivenines.settings import Settings, told

Axis = Literal["workload", "connections", "network"]
"""What a decision may depend on: what whoever runs the database knows. The next fault is not."""

AXES: tuple[Axis, ...] = ("workload", "connections", "network")

REQUIREMENTS = ("not_recovered = 0", "lost = 0", "violated = 0", "split_brain = 0")
"""What is needed where the experiment says nothing; so far as the run has measured it."""

PREFER = ("tps", "outage_writes", "latency_p99")


def _known(name: str) -> str:
    try:
        measure = measure_named(name)
    except ValueError as error:
        raise told(str(error)) from None
    if measure.kind == "event":
        raise told(f"{name} is a matter of needs, not of preference: write it under `requirements`")
    if measure.more is None:
        raise told(
            f"nothing can be preferred by {name}, as neither more nor less of it is better: write a "
            f"condition on it under `requirements`, as {name} <= 2"
        )
    return name


Preference = Annotated[str, AfterValidator(_known)]


def _default_requirements() -> list[Requirement]:
    return [parse_requirement(text) for text in REQUIREMENTS]


class DecideSettings(Settings):
    """Needs are gates: who misses one is not taken. Of the others the best by the preferences is."""

    requirements: list[Condition] = Field(
        default_factory=_default_requirements,
        description="what a solution must do, as [outage_writes < 10s, lost = 0, hosts <= 4], or as keys: "
        "{outage_writes: < 10s}",
    )
    prefer: list[Preference] = Field(
        list(PREFER),
        min_length=1,
        description="measures by which the best is chosen: by the first; of those that it cannot tell "
        "apart by the next",
    )
    by: list[Axis] = Field(list(AXES), description="conditions that have a decision of their own each")

    @property
    def usual_needs(self) -> bool:
        """Whether the needs are those of everybody: then those that were not measured are left out."""
        return [requirement.text for requirement in self.requirements] == list(REQUIREMENTS)

    @field_validator("requirements", mode="before")
    @classmethod
    def _mapping(cls, value: object) -> object:
        """`{outage_writes: "< 10s", lost: {at_most: 10%}}` as a list."""
        if not isinstance(value, dict):
            return value
        words = {"at_most": "<=", "at_least": ">=", "below": "<", "above": ">"}
        found = []
        for name, said in value.items():
            each = said if isinstance(said, dict) else {"": said}
            for how, limit in each.items():
                if how and how not in words:
                    raise told(f"{name}: {how!r} is none of {', '.join(words)}")
                start = words.get(how, "" if str(limit).lstrip()[:1] in "<>=" else "=")
                found.append(f"{name} {start} {limit}")
        return found
