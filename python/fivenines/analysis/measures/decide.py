"""Settings of the section `decide:`: requirements on solutions, and preferences among those that pass."""

from typing import Literal

from pydantic import Field, field_validator

from fivenines.analysis.measures.cases import CaseSettings
from fivenines.analysis.measures.condition import Condition, Requirement, parse_requirement
from fivenines.analysis.measures.preference import Preference, as_conditions
from fivenines.base.settings import Settings
from fivenines.base.units import Fraction

# A decision may depend on the conditions that a user knows in advance. The next fault is not one of them.
Axis = Literal["workload", "connections", "network"]

AXES: tuple[Axis, ...] = ("workload", "connections", "network")

# The default requirements. A run that did not measure one of them is judged without it.
REQUIREMENTS = ("not_recovered = 0", "lost = 0", "violated = 0", "split_brain = 0")

PREFER = ("tps", "outage_writes", "latency_p99")


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
    cases: list[CaseSettings] = Field(
        default_factory=list,
        description="named conditions with a separate decision each, as reads with few connections; instead "
        "of `by`. A case that no cell covers is reported as not measured",
    )

    _mapping = field_validator("requirements", mode="before")(as_conditions)

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

    def of_case(self, case: CaseSettings) -> "DecideSettings":
        """Return the settings of a case: its own, and where it has none those of the section."""
        own = {name: getattr(case, name) for name in ("requirements", "prefer", "margin")}
        return self.model_copy(
            update={"cases": [], "by": [], **{k: v for k, v in own.items() if v is not None}}
        )

    def problems(self) -> list[str]:
        return [*self._contradictions(), *self._doubled()]

    def _doubled(self) -> list[str]:
        names = [case.name for case in self.cases]
        twice = [f"decide: two cases are called {name!r}" for name in names if names.count(name) > 1]
        both = ["decide: `cases` replaces `by`: leave one of them out"]
        return [*dict.fromkeys(twice), *(both if names and "by" in self.model_fields_set else [])]

    def _contradictions(self) -> list[str]:
        if self.accept and not self.default_requirements and len(self.judged) < len(self.requirements):
            return [
                "decide: `accept: [loss]` contradicts the requirement on `lost`: leave one of them out, or "
                "accept some loss by a limit, as lost <= 5%"
            ]
        return []
