"""`fivenines serve`: all runs in a browser of this machine, the running one live."""

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
            help="A folder of runs, or one run; default: ./runs.", metavar="[RUNS]", show_default=False
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1; 0: any free one.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the address and nothing else.")] = False,
) -> None:
    """Show runs on a web page of this machine: the running one live, the others in their reports.

    \b
    fivenines serve
    fivenines serve runs/quickstart-20260102-101500
    fivenines run quickstart --serve

    The page answers on 127.0.0.1 alone, to whoever has the address with its token. From another
    machine: ssh -L PORT:127.0.0.1:PORT HOST, and open the same address there. It runs at the lowest
    priority; what it takes of the processors is shown on it, and kept with each trial.
    """
    from fivenines.cli import console
    from fivenines.serve.server import serve as answer

    def ready(url: str) -> None:
        # nobody has to wait for it in a pipe
        console.stdout().out(url, highlight=False)
        if not quiet:
            console.note("Ctrl-C ends it; runs go on without it")

    signal.signal(signal.SIGTERM, _end)
    answer(_root(folder), port, ready)


def _root(folder: str | None) -> Path:
    from fivenines import paths
    from fivenines.cli import runs

    # the first run may come later
    return paths.runs() if folder is None else runs.find(folder, groups=True)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
