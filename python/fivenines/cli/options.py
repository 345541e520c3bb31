"""Options and arguments that several commands have, with their one help."""

from enum import StrEnum
from typing import Annotated

import typer

from fivenines.cli import complete


class Format(StrEnum):
    """How an answer is told: to a person, in a pull request, to a program."""

    text = "text"
    md = "md"
    json = "json"


AsFormat = Annotated[Format, typer.Option("--format", help="text, md or json.")]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]

Wide = Annotated[
    bool, typer.Option("--wide", help="All columns, figures in full, however long the lines are.")
]

Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A setting, as in an experiment file.", metavar="KEY=VALUE")
]

Node = Annotated[
    str,
    typer.Argument(
        help="A node, as `fivenines status` calls it.", metavar="NODE", autocompletion=complete.hosts
    ),
]

RunName = Annotated[
    str | None,
    typer.Argument(
        help="A run's folder, its name under ./runs, or an experiment's name for "
        "its newest run; default: the newest of all.",
        metavar="[RUN]",
        autocompletion=complete.runs,
    ),
]
