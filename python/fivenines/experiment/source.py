"""Read and validate experiment files; one error lists everything that is wrong."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fivenines.base.errors import UsageError
from fivenines.base.settings import Settings
from fivenines.experiment import document, inventory, names, networks, parts, sweeps
from fivenines.experiment.document import Document
from fivenines.experiment.sections.clients import located
from fivenines.experiment.sections.stacks import variants as of_sweep
from fivenines.experiment.sections.workload import AnyWorkload
from fivenines.experiment.spec import AnyFault, AnySolution, Connections, Experiment
from fivenines.experiment.validation import admission as admission_checks
from fivenines.experiment.validation import checks
from fivenines.experiment.validation import clients as clients_checks
from fivenines.experiment.validation import interleaved as interleaved_checks
from fivenines.experiment.validation import lab as lab_checks
from fivenines.experiment.validation import load as load_checks
from fivenines.experiment.validation import measures as measure_checks
from fivenines.experiment.validation import program as program_checks
from fivenines.experiment.validation import searches as search_checks
from fivenines.experiment.validation import settle as settle_checks
from fivenines.experiment.validation import stacks as stack_checks
from fivenines.experiment.validation import sweeps as sweep_checks
from fivenines.experiment.validation import trials as trials_checks
from fivenines.experiment.validation import work as work_checks
from fivenines.experiment.validation import workloads as workload_checks
from fivenines.experiment.validation.allowed import Shape
from fivenines.experiment.validation.mistakes import Mistake, Place, from_validation, shown, validated
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.solutions.settings import SolutionSettings

_S = TypeVar("_S", bound=Settings)


@dataclass(frozen=True)
class Part:
    """An experiment of a file, and the places of its values; without a name it is the whole file.

    `title` is the name of the whole file.
    """

    name: str
    title: str
    experiment: Experiment
    source: Document


def load_parts(path: Path, only: Sequence[str] = (), lab: LabSettings | None = None) -> list[Part]:
    """Return the experiments in a file, with all names: one, or one for each of its `parts`.

    If `only` names solutions, this machine need not be able to run the others. `lab` replaces the file's.

    Raises:
        UsageError: the file is not readable or has errors; all of them with line and column.
    """
    text = document.read_text(path)
    return parse_parts(text, str(path), on_this_machine=True, only=only, lab=lab)


def load_experiment(path: Path, only: Sequence[str] = ()) -> tuple[Experiment, str]:
    """Return the experiment in a file without parts, and the file's text; see `load_parts`."""
    text = document.read_text(path)
    return parse_experiment(text, str(path), on_this_machine=True, only=only), text


def parse_experiment(
    text: str, file: str, *, on_this_machine: bool = False, only: Sequence[str] = ()
) -> Experiment:
    """Return the experiment in a text without parts; see `parse_parts`.

    Raises:
        UsageError: as `parse_parts`; or the text has parts.
    """
    found = parse_parts(text, file, on_this_machine=on_this_machine, only=only)
    if [one.name for one in found] != [""]:
        raise UsageError(f"{file} has parts, but one experiment is needed here")
    return found[0].experiment


def parse_parts(
    text: str,
    file: str,
    *,
    on_this_machine: bool = False,
    only: Sequence[str] = (),
    lab: LabSettings | None = None,
) -> list[Part]:
    """Return the experiments in a text; messages name it `file`.

    With `on_this_machine`, solutions (all, or those in `only`) that this user cannot run on this
    machine are errors, too. `lab` replaces the experiments' own.
    """
    source = document.parse(text, file)
    if not isinstance(source.data, dict):
        known = ", ".join([*Experiment.model_fields, parts.KEY])
        raise UsageError(
            f"{file}:{source.place(())}: found {shown(source.data)}, but an experiment is a mapping"
            f"\n    allowed: the keys {known}"
        )
    drafts, found = parts.drafts(source)
    read, own = experiments(drafts, only if on_this_machine else None, lab)
    own += [
        placed(mistake, part.source)
        for part in read
        for mistake in trials_checks.outside_a_study(part.experiment)
    ]
    require_sound(source, [*source.mistakes, *found], own)
    return read


def experiments(
    drafts: Sequence[parts.Draft],
    on_this_machine: Sequence[str] | None = None,
    lab: LabSettings | None = None,
) -> tuple[list[Part], list[Mistake]]:
    """Return the experiments of drafts, and the errors in all of them, each with its place.

    `on_this_machine`: the solutions that this machine must be able to run, [] for all; None: none.
    `lab` replaces the experiments' own.
    """
    read: list[Part] = []
    mistakes: list[Mistake] = []
    for draft in drafts:
        source = draft.source
        experiment, own = _validated(source, on_this_machine)
        mistakes += [placed(one, source, draft.name) for one in own]
        if experiment is not None and not own:
            named = _named(experiment, Path(source.file).parent, lab)
            read.append(Part(draft.name, draft.title or named.name, named, source))
    return read, mistakes


def solution_from(settings: dict[str, Any], origin: str) -> SolutionSettings:
    """Validate the settings of a solution from a command line; messages begin with `origin`.

    Raises:
        UsageError: the settings are wrong or contradict each other.
    """
    solution = _given(AnySolution, SolutionSettings, settings, origin, sweep_checks.alone)
    return solution.model_copy(update={"name": solution.name or solution.default_name()})


def fault_from(settings: dict[str, Any], origin: str) -> FaultSettings:
    """Validate the settings of a fault from a command line; messages begin with `origin`.

    Raises:
        UsageError: the settings are wrong or contradict each other.
    """
    return _given(AnyFault, FaultSettings, settings, origin)


def network_from(settings: dict[str, Any], origin: str) -> NetworkSettings:
    """Validate the settings of a network from a command line; messages begin with `origin`.

    Raises:
        UsageError: the settings are wrong or contradict each other.
    """
    return _given(NetworkSettings, NetworkSettings, settings, origin)


def _given(
    kind: Any,
    model: type[_S],
    settings: dict[str, Any],
    origin: str,
    also: Callable[[_S], list[str]] = lambda _: [],
) -> _S:
    """Validate settings from a command line; `also` returns further problems."""
    try:
        given: _S = validated(kind, settings)
    except ValidationError as error:
        found = from_validation(model, error.errors(), Shape.of(kind))
        raise UsageError("\n".join(one.block(origin) for one in found)) from None
    if problems := [*checks.problems(given), *also(given)]:
        raise UsageError("\n".join(f"{origin}: {problem}" for problem in problems))
    return given


def _validated(
    source: Document, on_this_machine: Sequence[str] | None
) -> tuple[Experiment | None, list[Mistake]]:
    """Return the experiment if its form is valid, and all errors.

    `on_this_machine`: the solutions that this machine must be able to run, [] for all; None: none.
    `lab` replaces the experiments' own.
    """
    experiment: Experiment | None = None
    base = Path(source.file).parent
    data, links = networks.spread(source.data)
    data, variants = sweeps.spread(data)
    data = clients_checks.with_total(data)

    def in_file(some: Iterable[Mistake]) -> list[Mistake]:
        return variants.in_file(links.in_file(one) for one in some)

    found = [*links.mistakes, *variants.mistakes]
    unread = {mistake.path for mistake in [*source.mistakes, *found]}
    try:
        experiment = validated(Experiment, data)
    except ValidationError as error:
        reported = in_file(from_validation(Experiment, error.errors()))
        found += [one for one in reported if one.at_key or one.path not in unread]
    entries = _entries(data)
    found += in_file(checks.mistakes(entries))
    if on_this_machine is not None:
        found += in_file(checks.machine_mistakes(entries.solutions, on_this_machine))
    found += checks.missing_files(entries.workloads, base)
    if experiment is not None:
        found += checks.late_ends(entries.faults, experiment.timing.recovery.at_most)
        found += checks.load_mistakes(experiment.load, experiment.timing, base)
        found += checks.availability_mistakes(experiment.availability)
        found += checks.cost_mistakes(experiment.cost)
        found += checks.threshold_mistakes(entries, experiment.thresholds)
        found += checks.ledger_mistakes(experiment.ledger, entries.workloads)
        found += workload_checks.mistakes(experiment)
        found += load_checks.mistakes(experiment)
        found += in_file(admission_checks.mistakes(experiment))
        found += in_file(sweep_checks.mistakes(experiment))
        found += trials_checks.mistakes(experiment)
        found += in_file(search_checks.mistakes(experiment))
        found += in_file(settle_checks.mistakes(experiment))
        found += measure_checks.mistakes(experiment)
        if not checks.problems(experiment.load):
            found += in_file(work_checks.mistakes(experiment))
        found += in_file(interleaved_checks.mistakes(experiment))
        found += in_file(lab_checks.mistakes(experiment))
        found += in_file(clients_checks.mistakes(experiment, entries, base))
        found += in_file(stack_checks.mistakes(experiment, base))
        called = checks.workload_names(experiment.workloads)
        found += in_file(program_checks.mistakes(experiment, called))
    name = source.data.get("name")
    if isinstance(name, str) and (problem := names.problem_of(name)):
        found.append(Mistake(None, ("name",), f"name: found {shown(name)}; {problem}"))
    return experiment, found


def _entries(data: dict[str, Any]) -> checks.Parts:
    """Return the valid entries of the lists, whatever else is wrong in the file."""
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


def placed(mistake: Mistake, source: Document, part: str = "") -> Mistake:
    """Return the error with its place; an error without a place names its part."""
    place = mistake.place or source.place(mistake.path, mistake.at_key)
    text = f"in part {part}: {mistake.text}" if part and not mistake.path else mistake.text
    return Mistake(place, mistake.path, text, mistake.allowed)


def require_sound(source: Document, found: Sequence[Mistake], others: Sequence[Mistake]) -> None:
    """Refuse a file with errors: those `found` in it, and `others`, which have their place.

    Raises:
        UsageError: with all of them in order; errors that parts share are listed once.
    """
    every = [*(placed(one, source) for one in found), *others]
    every.sort(key=lambda one: one.place or Place(1, 1))
    blocks = list(dict.fromkeys(one.block(source.file) for one in every))
    if len(blocks) == 1:
        raise UsageError(blocks[0])
    if blocks:
        raise UsageError("\n".join([f"{source.file} has {len(blocks)} errors:", *blocks]))


def _named(experiment: Experiment, base: Path, lab: LabSettings | None) -> Experiment:
    """Fill in the names of solutions and workloads, and the paths of files, relative to `base`."""
    solutions = zip(experiment.solutions, checks.solution_names(experiment.solutions), strict=True)
    workloads = zip(experiment.workloads, checks.workload_names(experiment.workloads), strict=True)
    complete = experiment.model_copy(
        update={
            "lab": lab or inventory.located(experiment.lab, base),
            "load": experiment.load.located(base),
            "clients": located(experiment.clients, base),
            "stacks": [each.located(base) for one in experiment.stacks for each in of_sweep(one)],
            "solutions": [one.model_copy(update={"name": name}) for one, name in solutions],
            "workloads": [one.located(base).model_copy(update={"name": name}) for one, name in workloads],
        }
    )
    return inventory.possible(program_checks.spread(complete))
