"""`fivenines list`: list what an experiment file can name, and the examples."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from enum import StrEnum
from typing import Annotated

import typer

from fivenines.cli.options import AsJson


class What(StrEnum):
    """Values of the argument WHAT."""

    solutions = "solutions"
    workloads = "workloads"
    faults = "faults"
    managers = "managers"
    access = "access"
    measures = "measures"
    examples = "examples"


def list_(
    what: Annotated[
        What | None,
        typer.Argument(
            help="One of solutions, workloads, faults, managers, access, measures, examples; default: the "
            "names of all of them.",
            metavar="[WHAT]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the available solutions, workloads, faults, managers, access, measures or examples.

    \b
    fivenines list
    fivenines list solutions
    fivenines list faults
    fivenines list measures
    fivenines list examples
    """
    from fivenines.cli.output import console
    from fivenines.experiment import choices, examples

    if what is None:
        _list_names(as_json)
        return
    if what is What.measures:
        _list_measures(as_json)
        return
    examples_asked = what is What.examples
    rows = examples.descriptions() if examples_asked else list(choices.lines(what.value).items())
    if as_json:
        console.as_json([{"name": name, "about": about} for name, about in rows])
    else:
        console.table(["name", "about"], rows)
    if examples_asked:
        console.note(f"To run one: fivenines run NAME. To copy and edit one: {examples.FOLDER}")


def _list_names(as_json: bool) -> None:
    """Print the names of everything, without descriptions."""
    from fivenines.analysis.measures.measures import listing
    from fivenines.cli.output import console
    from fivenines.experiment import choices, examples

    names = {what.value: list(choices.lines(what.value)) for what in What if what not in _LISTED_APART}
    names[What.measures.value] = [str(row["name"]) for row in listing()]
    names[What.examples.value] = examples.names()
    if as_json:
        console.as_json(names)
        return
    console.table(["what", "names"], [[what, ", ".join(listed)] for what, listed in names.items()])
    console.note("With descriptions: fivenines list WHAT")


# Their names come from elsewhere than those of an experiment's sections.
_LISTED_APART = (What.measures, What.examples)


def _list_measures(as_json: bool) -> None:
    """Print each measure with its unit, its better direction and the trials that have it."""
    from fivenines.analysis.measures.measures import listing
    from fivenines.cli.output import console

    rows = listing()
    if as_json:
        console.as_json(rows)
        return
    heads = list(rows[0])
    console.table(heads, [list(row.values()) for row in rows], names=["name"])
