"""The kinds that an experiment file can name, with their descriptions."""

from collections.abc import Mapping
from importlib import import_module

from fivenines.base.plugins import kinds
from fivenines.base.settings import Settings

# The key that names a kind of each section.
KEYS: Mapping[str, str] = {
    "solutions": "solution",
    "workloads": "workload",
    "faults": "fault",
    "managers": "kind",
    "access": "kind",
}

# The package that defines the kinds of each section.
PACKAGES: Mapping[str, str] = {
    "solutions": "fivenines.solutions",
    "workloads": "fivenines.load.workloads",
    "faults": "fivenines.faults",
    "managers": "fivenines.failover.managers",
    "access": "fivenines.failover.proxies",
}

_BASES = {
    "solutions": "SolutionSettings",
    "workloads": "WorkloadSettings",
    "faults": "FaultSettings",
    "managers": "ManagerSettings",
    "access": "AccessSettings",
}


def base(section: str) -> type[Settings]:
    """Return the class that all kinds of a section share; the other sections are not imported."""
    found: type[Settings] = getattr(import_module(f"{PACKAGES[section]}.settings"), _BASES[section])
    return found


def models(section: str) -> dict[str, type[Settings]]:
    """Return the settings model of each kind, by name."""
    return dict(sorted(kinds(PACKAGES[section], base(section), KEYS[section]).items()))


def lines(section: str) -> dict[str, str]:
    """Return the description of each kind, by name."""
    return {name: line(section, name, model) for name, model in models(section).items()}


def line(section: str, name: str, model: type[Settings]) -> str:
    """Return the description of a kind; one model may define several kinds."""
    key = KEYS[section]
    return model.about.get(name) or model.model_fields[key].description or ""


def needed(model: type[Settings], section: str) -> list[str]:
    """Return the required keys of a kind other than its name."""
    key = KEYS[section]
    return [name for name, info in model.model_fields.items() if info.is_required() and name != key]
