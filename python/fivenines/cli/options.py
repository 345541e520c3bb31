"""Options and arguments that several commands share, with their help."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fivenines.cli import complete


class Format(StrEnum):
    """Output formats: text for people, Markdown for pull requests, JSON for programs."""

    text = "text"
    md = "md"
    json = "json"


AsFormat = Annotated[Format, typer.Option("--format", help="Output format: text, md or json.")]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]

Wide = Annotated[
    bool, typer.Option("--wide", help="Show all columns and unabbreviated values, without wrapping lines.")
]

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Override a setting of the experiment file format. Can be repeated.",
        metavar="KEY=VALUE",
    ),
]

Out = Annotated[Path | None, typer.Option(help="Output folder; default: runs/NAME-TIME.", metavar="DIR")]

Node = Annotated[
    str,
    typer.Argument(
        help="Node name, as shown by `fivenines status`.", metavar="NODE", autocompletion=complete.hosts
    ),
]

RunName = Annotated[
    str | None,
    typer.Argument(
        help="Run folder, its name under ./runs, or an experiment's name for its newest run; "
        "default: the newest run.",
        metavar="[RUN]",
        autocompletion=complete.runs,
    ),
]
