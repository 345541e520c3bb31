"""What an experiment file can name, each with a line about it: for lists, questions and first files."""

from collections.abc import Mapping

from fivenines.access.settings import AccessSettings
from fivenines.faults.settings import FaultSettings
from fivenines.managers.settings import ManagerSettings
from fivenines.plugins import kinds
from fivenines.settings import Settings
from fivenines.solutions.settings import SolutionSettings
from fivenines.workloads.settings import WorkloadSettings

BASES: Mapping[str, tuple[str, type[Settings]]] = {
    "solutions": ("solution", SolutionSettings),
    "workloads": ("workload", WorkloadSettings),
    "faults": ("fault", FaultSettings),
    "managers": ("kind", ManagerSettings),
    "access": ("kind", AccessSettings),
}
"""The key that names a kind, and what all kinds share."""


def models(section: str) -> dict[str, type[Settings]]:
    """The settings of each kind, by its name."""
    key, base = BASES[section]
    return dict(sorted(kinds(f"fivenines.{section}", base, key).items()))


def lines(section: str) -> dict[str, str]:
    """A line about each kind, by its name."""
    return {name: line(section, name, model) for name, model in models(section).items()}


def line(section: str, name: str, model: type[Settings]) -> str:
    """What the model says about the kind of this name, as one model may stand for several."""
    key, _ = BASES[section]
    return model.about.get(name) or model.model_fields[key].description or ""


def needed(model: type[Settings], section: str) -> list[str]:
    """The keys, beside its own name, without which a kind cannot be used."""
    key, _ = BASES[section]
    return [name for name, info in model.model_fields.items() if info.is_required() and name != key]
