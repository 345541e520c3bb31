"""Read inventory files; one error lists everything that is wrong."""

from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from fivenines.base.errors import UsageError
from fivenines.experiment.document import parse, read_text
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation import lab as lab_checks
from fivenines.experiment.validation.mistakes import from_validation, shown, validated
from fivenines.lab.ssh.inventory import Inventory, LabSettings


def read(path: Path) -> Inventory:
    """Read an inventory; files that it names are relative to it.

    Raises:
        UsageError: the file is not readable or has errors; all of them with line and column.
    """
    source = parse(read_text(path), str(path))
    if not isinstance(source.data, dict):
        raise UsageError(f"{path}: found {shown(source.data)}, but an inventory is a mapping with `hosts:`")
    mistakes = source.mistakes
    if not mistakes:
        try:
            found: Inventory = validated(Inventory, source.data)
        except ValidationError as error:
            mistakes = from_validation(Inventory, error.errors())
    if mistakes:
        placed = [
            replace(mistake, place=mistake.place or source.place(mistake.path, mistake.at_key))
            for mistake in mistakes
        ]
        raise UsageError("\n".join(one.block(str(path)) for one in placed))
    if problems := found.problems():
        raise UsageError("\n".join(f"{path}: {problem}" for problem in problems))
    return found.located(path.parent)


def over_ssh(path: Path) -> LabSettings:
    """Return the lab on the machines of an inventory file.

    Raises:
        UsageError: as `read`.
    """
    return LabSettings(kind="ssh", inventory=str(path.absolute()), machines=read(path))


def located(lab: LabSettings, base: Path) -> LabSettings:
    """Return the lab with its inventory read; the file is relative to `base`.

    Raises:
        UsageError: as `read`.
    """
    if lab.inventory is None or lab.machines is not None:
        return lab
    return over_ssh(base / lab.inventory)


def possible(experiment: Experiment) -> Experiment:
    """Require that the machines of the experiment can run it, and return it.

    Raises:
        UsageError: they cannot.
    """
    if found := lab_checks.mistakes(experiment):
        reasons = "\n".join(f"    {mistake.text}" for mistake in found)
        where = experiment.lab.inventory
        raise UsageError(f"{experiment.name} cannot run on the machines of {where}:\n{reasons}")
    return experiment
