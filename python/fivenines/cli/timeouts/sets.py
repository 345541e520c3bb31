"""The sets of timeouts of a solution with the settings of a command line."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fivenines.base.errors import UsageError

if TYPE_CHECKING:
    from fivenines.solutions.settings import SolutionSettings

GIVEN = "as given"


@dataclass(frozen=True, eq=False)
class TimeoutSet:
    """One set of timeouts.

    Attributes:
        name: name of its solution in the experiment.
        entry: the solution as in an experiment file, without its name.
        values: its timeouts by setting.
    """

    name: str
    entry: Mapping[str, Any]
    values: Mapping[str, str | int]

    @property
    def words(self) -> str:
        """Return its timeouts in a line."""
        return ", ".join(f"{key.removeprefix('manager.')} {value}" for key, value in self.values.items())


def sets_of(solution: str, settings: list[str]) -> tuple[TimeoutSet, list[TimeoutSet]]:
    """Return the set of the given settings, and all sets from the quickest to the calmest.

    Sets that contradict the given settings are left out. A set that equals the given settings is the given
    one.

    Raises:
        UsageError: the settings are wrong, or the solution has no timeouts to choose.
    """
    from fivenines.cli.assignments import put
    from fivenines.cli.deployment.up import described
    from fivenines.experiment.source import solution_from

    entry = described(solution, settings, command="tune")
    own = solution_from(deepcopy(entry), "tune")
    timeouts = own.timeouts
    if not timeouts:
        raise UsageError(f"tune {solution}: it has no timeouts to choose\n    allowed: {_with_timeouts()}")
    keys = list(timeouts[0])
    given = TimeoutSet(GIVEN, entry, {key: _shown(own, key) for key in keys})
    sets: list[TimeoutSet] = []
    problem = ""
    for place, values in enumerate(timeouts, start=1):
        one: dict[str, Any] = deepcopy(entry)
        for key, value in values.items():
            put(one, key.split("."), value, f"tune {solution}", "kind")
        if "manager" in one:
            assert own.failover_manager is not None
            one["manager"].setdefault("kind", own.failover_manager.kind)
        try:
            model = solution_from(deepcopy(one), f"tune {solution}")
        except UsageError as error:
            problem = str(error)
            continue
        alike = model.model_copy(update={"name": own.name}) == own
        sets.append(given if alike else TimeoutSet(f"set {place}", one, values))
    if not sets:
        raise UsageError(f"tune {solution}: no set of timeouts fits these settings: {problem}")
    return given, sets


def _shown(own: "SolutionSettings", key: str) -> str | int:
    """Return a setting as an experiment file has it."""
    value: Any = own.model_dump(mode="json")
    for part in key.split("."):
        value = value[part]
    return value if isinstance(value, int) else str(value)


def _with_timeouts() -> str:
    """Return the solutions that have timeouts to choose, by their default settings."""
    from fivenines.base import plugins
    from fivenines.experiment.source import solution_from
    from fivenines.solutions.settings import SolutionSettings

    names = []
    for name in plugins.kinds("fivenines.solutions", SolutionSettings, "solution"):
        try:
            if solution_from({"solution": name}, name).timeouts:
                names.append(name)
        except UsageError:
            continue  # it needs settings
    return ", ".join(names)
