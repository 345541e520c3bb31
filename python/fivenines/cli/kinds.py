"""`fivenines list`: what an experiment file can name."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from fivenines.cli.options import AsJson


class What(StrEnum):
    """What can be listed."""

    solutions = "solutions"
    workloads = "workloads"
    faults = "faults"
    managers = "managers"
    access = "access"
    measures = "measures"


def list_(
    what: Annotated[What, typer.Argument(help="What to list.")],
    as_json: AsJson = False,
) -> None:
    """List what an experiment file can name, each with a line about it.

    \b
    fivenines list solutions
    fivenines list faults
    fivenines list measures
    """
    from fivenines.cli import console

    rows = _measures() if what is What.measures else _kinds(what)
    if as_json:
        console.as_json([{"name": name, "about": about} for name, about in rows])
    else:
        console.table(["name", "about"], rows)


def _measures() -> list[tuple[str, str]]:
    from fivenines.needs.measures import MEASURES

    kinds = {"rate": "per second", "time": "a time", "event": "by trials", "number": "a number"}
    return [(one.name, f"{one.noun} ({kinds[one.kind]})") for one in MEASURES.values()]


def _kinds(what: What) -> list[tuple[str, str]]:
    from fivenines.access.settings import AccessSettings
    from fivenines.faults.settings import FaultSettings
    from fivenines.managers.settings import ManagerSettings
    from fivenines.plugins import kinds
    from fivenines.solutions.settings import SolutionSettings
    from fivenines.workloads.settings import WorkloadSettings

    where: dict[What, tuple[Callable[[], dict[str, type]], str]] = {
        What.solutions: (lambda: kinds("fivenines.solutions", SolutionSettings, "solution"), "solution"),
        What.workloads: (lambda: kinds("fivenines.workloads", WorkloadSettings, "workload"), "workload"),
        What.faults: (lambda: kinds("fivenines.faults", FaultSettings, "fault"), "fault"),
        What.managers: (lambda: kinds("fivenines.managers", ManagerSettings, "kind"), "kind"),
        What.access: (lambda: kinds("fivenines.access", AccessSettings, "kind"), "kind"),
    }  # fmt: skip
    found, key = where[what]
    return [
        (name, model.model_fields[key].description or "")  # type: ignore[attr-defined]
        for name, model in sorted(found().items())
    ]
