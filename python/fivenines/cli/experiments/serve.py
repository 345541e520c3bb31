"""`fivenines serve`: show runs in a web browser."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import signal
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer


def serve(
    folder: Annotated[
        str | None,
        typer.Argument(
            help="Folder of runs, or one run; default: ./runs.", metavar="[RUNS]", show_default=False
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0: any free port.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the address.")] = False,
) -> None:
    """Show running experiments live and finished runs in a web browser.

    \b
    fivenines serve
    fivenines serve runs/quickstart-20260102-101500
    fivenines run quickstart --serve

    The server listens on 127.0.0.1 only, and the address contains a secret token. To open it from
    another machine: ssh -L PORT:127.0.0.1:PORT HOST. The server runs at the lowest priority. The page
    shows its CPU usage, which is also stored with each trial.
    """
    from fivenines.cli.output import console
    from fivenines.report.live.server import serve as answer

    def ready(url: str) -> None:
        # `out` flushes, so that a reader in a pipe sees the address at once.
        console.stdout().out(url, highlight=False)
        if not quiet:
            console.note("Press Ctrl-C to stop. Running experiments continue")

    signal.signal(signal.SIGTERM, _end)
    answer(_root(folder), port, ready)


def _root(folder: str | None) -> Path:
    from fivenines.base import paths
    from fivenines.cli.experiments import runs

    # The folder need not exist before the first run.
    return paths.runs() if folder is None else runs.find(folder, groups=True)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
