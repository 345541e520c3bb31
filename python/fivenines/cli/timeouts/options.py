"""Options that `tolerate` and `tune` share."""

from pathlib import Path
from typing import Annotated

import typer

Death = Annotated[
    str, typer.Option(help="Fault of which the primary dies: kill, host-kill or power-loss.", metavar="FAULT")
]

ToWrite = Annotated[Path, typer.Option(help="Experiment file to write, and then to run.", metavar="FILE")]

Resume = Annotated[
    bool, typer.Option("--resume", help="Continue the last run of the file, or the run of --out.")
]
