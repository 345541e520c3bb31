"""From an inventory file to an inventory, or to one message with all mistakes in it."""

from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from fivenines.errors import UsageError
from fivenines.experiment import lab_checks
from fivenines.experiment.document import parse, read_text
from fivenines.experiment.mistakes import from_validation, shown, validated
from fivenines.experiment.spec import Experiment
from fivenines.lab.ssh.inventory import Inventory, LabSettings


def read(path: Path) -> Inventory:
    """The inventory in a file; files that it names are found from there.

    Raises:
        UsageError: it cannot be read or used; all mistakes with line and column.
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
        placed = [replace(one, place=one.place or source.place(one.path, one.at_key)) for one in mistakes]
        raise UsageError("\n".join(one.block(str(path)) for one in placed))
    if said := found.problems():
        raise UsageError("\n".join(f"{path}: {one}" for one in said))
    return found.located(path.parent)


def over_ssh(path: Path) -> LabSettings:
    """The lab that an inventory file is.

    Raises:
        UsageError: as `read`.
    """
    return LabSettings(kind="ssh", inventory=str(path.absolute()), machines=read(path))


def located(lab: LabSettings, base: Path) -> LabSettings:
    """The same, with its inventory read, unless that was done before; its file is found from `base`.

    Raises:
        UsageError: as `read`.
    """
    if lab.inventory is None or lab.machines is not None:
        return lab
    return over_ssh(base / lab.inventory)


def on_machines(experiment: Experiment, path: Path) -> Experiment:
    """The experiment on the machines of an inventory, whatever its file says of a lab.

    Raises:
        UsageError: as `read`; or it asks for what they cannot do.
    """
    return possible(experiment.model_copy(update={"lab": over_ssh(path)}))


def possible(experiment: Experiment) -> Experiment:
    """The same, if its machines, which are known by now, can do what it asks for.

    Raises:
        UsageError: they cannot.
    """
    if found := lab_checks.mistakes(experiment):
        said = "\n".join(f"    {one.text}" for one in found)
        where = experiment.lab.inventory
        raise UsageError(f"{experiment.name} cannot run on the machines of {where}:\n{said}")
    return experiment
