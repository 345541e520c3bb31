"""From an experiment file to a validated experiment, or to one message with all mistakes in it."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fivenines.errors import UsageError
from fivenines.experiment import (
    checks,
    clients_checks,
    document,
    duet_checks,
    measure_checks,
    names,
    networks,
    renamed,
    sweep_checks,
    sweeps,
    trials_checks,
    work_checks,
)
from fivenines.experiment.allowed import Shape
from fivenines.experiment.clients import located
from fivenines.experiment.document import Document
from fivenines.experiment.mistakes import Mistake, from_validation, shown, validated
from fivenines.experiment.spec import (
    AnyFault,
    AnySolution,
    AnyWorkload,
    Connections,
    Experiment,
)
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.settings import Settings
from fivenines.solutions.settings import SolutionSettings

_S = TypeVar("_S", bound=Settings)


def load_experiment(path: Path, only: Sequence[str] = ()) -> tuple[Experiment, str]:
    """The experiment in a file, with all names filled in, and the file's text.

    Where `only` names solutions, this machine need not be able to run the others.

    Raises:
        UsageError: the file cannot be read or used; all mistakes with line and column.
    """
    text = document.read_text(path)
    return parse_experiment(text, str(path), on_this_machine=True, only=only), text


def parse_experiment(
    text: str, file: str, *, on_this_machine: bool = False, only: Sequence[str] = ()
) -> Experiment:
    """The experiment in a text; `file` is how messages call it.

    With `on_this_machine` what this user cannot run on this machine is a mistake, too; where `only`
    names solutions, of these.
    """
    source = renamed.modern(document.parse(text, file))
    if not isinstance(source.data, dict):
        known = ", ".join(Experiment.model_fields)
        raise UsageError(
            f"{file}:{source.place(())}: found {shown(source.data)}, but an experiment is a mapping"
            f"\n    allowed: the keys {known}"
        )
    experiment, found = _validated(source, only if on_this_machine else None)
    if experiment is None or found:
        raise UsageError(_all_mistakes(source, found))
    return _named(experiment, Path(source.file).parent)


def solution_from(settings: dict[str, Any], origin: str) -> SolutionSettings:
    """The settings of one solution, from a command line; `origin` heads the messages.

    Raises:
        UsageError: the settings are wrong or make no sense.
    """
    solution = _given(AnySolution, SolutionSettings, settings, origin, sweep_checks.alone)
    return solution.model_copy(update={"name": solution.name or solution.default_name()})


def fault_from(settings: dict[str, Any], origin: str) -> FaultSettings:
    """The settings of one fault, from a command line; `origin` heads the messages.

    Raises:
        UsageError: the settings are wrong or make no sense.
    """
    settings, words = renamed.today(settings)
    for word in words:
        renamed.warn(word, origin)
    return _given(AnyFault, FaultSettings, settings, origin)


def network_from(settings: dict[str, Any], origin: str) -> NetworkSettings:
    """The network that a command line describes; `origin` heads the messages.

    Raises:
        UsageError: the settings are wrong or make no sense.
    """
    return _given(NetworkSettings, NetworkSettings, settings, origin)


def _given(
    kind: Any,
    model: type[_S],
    settings: dict[str, Any],
    origin: str,
    also: Callable[[_S], list[str]] = lambda _: [],
) -> _S:
    """Settings of a kind from a command line; `also` says what else makes no sense in them."""
    try:
        given: _S = validated(kind, settings)
    except ValidationError as error:
        found = from_validation(model, error.errors(), Shape.of(kind))
        raise UsageError("\n".join(one.block(origin) for one in found)) from None
    if said := [*checks.problems(given), *also(given)]:
        raise UsageError("\n".join(f"{origin}: {one}" for one in said))
    return given


def _validated(
    source: Document, on_this_machine: Sequence[str] | None
) -> tuple[Experiment | None, list[Mistake]]:
    """The experiment if it has the right form, and all mistakes, of form and of sense.

    `on_this_machine`: the solutions that this machine must be able to run, [] for all; None: none.
    """
    experiment: Experiment | None = None
    base = Path(source.file).parent
    data, links = networks.spread(source.data)
    data, variants = sweeps.spread(data)
    data = clients_checks.with_total(data)

    def in_file(some: Iterable[Mistake]) -> list[Mistake]:
        return variants.in_file(links.in_file(one) for one in some)

    found = [*source.mistakes, *links.mistakes, *variants.mistakes]
    unread = {mistake.path for mistake in found}
    try:
        experiment = validated(Experiment, data)
    except ValidationError as error:
        reported = in_file(from_validation(Experiment, error.errors()))
        found += [one for one in reported if one.at_key or one.path not in unread]
    parts = _parts(data)
    found += in_file(checks.mistakes(parts))
    if on_this_machine is not None:
        found += in_file(checks.machine_mistakes(parts.solutions, on_this_machine))
    found += checks.missing_files(parts.workloads, base)
    if experiment is not None:
        found += checks.late_ends(parts.faults, experiment.timing.recovery)
        found += checks.load_mistakes(experiment.load, experiment.timing, base)
        found += checks.availability_mistakes(experiment.availability)
        found += checks.cost_mistakes(experiment.cost)
        found += checks.threshold_mistakes(parts, experiment.thresholds)
        found += checks.ledger_mistakes(experiment.ledger, parts.workloads)
        found += in_file(sweep_checks.mistakes(experiment))
        found += trials_checks.mistakes(experiment)
        found += measure_checks.mistakes(experiment)
        if not checks.problems(experiment.load):
            found += in_file(work_checks.mistakes(experiment))
        found += in_file(duet_checks.mistakes(experiment))
        found += in_file(clients_checks.mistakes(experiment, parts, base))
    name = source.data.get("name")
    if isinstance(name, str) and (problem := names.problem_of(name)):
        found.append(Mistake(None, ("name",), f"name: found {shown(name)}; {problem}"))
    return experiment, found


def _parts(data: dict[str, Any]) -> checks.Parts:
    """The entries of the lists that are valid, whatever else is wrong in the file."""
    return checks.Parts(
        solutions=_valid(AnySolution, data.get("solutions")),
        workloads=_valid(AnyWorkload, data.get("workloads")),
        faults=_valid(AnyFault, data.get("faults")),
        networks=_valid(NetworkSettings, data.get("network")),
        connections=_valid(Connections, data.get("connections")),
        clients=clients_checks.names(data),
    )


def _valid(kind: Any, items: object) -> list[tuple[int, Any]]:
    valid: list[tuple[int, Any]] = []
    for index, item in enumerate(items if isinstance(items, list) else []):
        with suppress(ValidationError):
            valid.append((index, validated(kind, item)))
    return valid


def _all_mistakes(source: Document, found: Sequence[Mistake]) -> str:
    placed = [
        Mistake(one.place or source.place(one.path, one.at_key), one.path, one.text, one.allowed)
        for one in found
    ]
    placed.sort(key=lambda one: one.place or source.place(()))
    blocks = list(dict.fromkeys(one.block(source.file) for one in placed))
    if len(blocks) == 1:
        return blocks[0]
    return "\n".join([f"{source.file} has {len(blocks)} mistakes:", *blocks])


def _named(experiment: Experiment, base: Path) -> Experiment:
    """All solutions and workloads with their names; files, which `base` holds, with their paths."""
    solutions = zip(experiment.solutions, checks.solution_names(experiment.solutions), strict=True)
    workloads = zip(experiment.workloads, checks.workload_names(experiment.workloads), strict=True)
    return experiment.model_copy(
        update={
            "load": experiment.load.located(base),
            "clients": located(experiment.clients, base),
            "solutions": [one.model_copy(update={"name": name}) for one, name in solutions],
            "workloads": [
                one.located(base).model_copy(update={"name": name}) for one, name in workloads
            ],
        }
    )
