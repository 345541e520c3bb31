"""The program `fivenines`: its entry point, and the only place that handles errors.

The registry lists the commands. A command is imported when it runs, so that `--help` starts fast.
"""

import gc
import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from fivenines.base import paths, private
from fivenines.base.errors import FiveninesError
from fivenines.cli import mistyped
from fivenines.cli.output import computing, console
from fivenines.cli.registry import Program

INTERRUPTED = 130

app = typer.Typer(
    name="fivenines",
    cls=Program,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(requested: bool) -> None:
    if requested:
        from fivenines.cli.machine import version  # noqa: PLC0415  (only here)

        version.version()
        raise typer.Exit


@app.callback()
def program(
    version_: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Measure what high-availability databases deliver: throughput, failover time, data loss.

    \b
    Run a first experiment (about four minutes, no root needed):
      fivenines doctor
      fivenines run quickstart
      fivenines report

    Help for one command: fivenines run --help

    \b
    Words that the commands use:
      solution   a cluster with its settings, such as Galera with three nodes
      access     what clients connect to: the nodes, a proxy, a virtual IP
      lab        the hosts of a deployment: namespaces of this machine, or
                 machines of an inventory
      cell       one solution with one workload, number of connections,
                 network and fault
      trial      one measurement of a cell; several give an interval
      ledger     numbered writes that are looked for after a fault: it shows
                 lost and stale rows
    """


def main() -> None:
    """Run the program with the arguments of the process."""
    # Imported objects stay alive: repeated garbage collections cost a tenth of a short command's run time.
    gc.set_threshold(200_000, 20, 100)
    sys.exit(execute(sys.argv[1:]))


def execute(arguments: list[str]) -> int:
    """Run one command line and return its exit code. Never raises or prints a traceback."""
    private.begin()
    warnings.showwarning = _hide_warning
    try:
        _close_folders(arguments)
        with computing.shown():
            code = app(arguments, prog_name="fivenines", standalone_mode=False)
        if code == INTERRUPTED:  # Typer's exit code for Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except FiveninesError as error:
        console.note(f"error: {error}", "red")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        console.note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe, as in `fivenines ... | head`: this is no error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        return _mistyped(error, arguments) if _is_mistyped(error) else _crashed(error, arguments)


def _hide_warning(*_warning: object, **_more: object) -> None:
    """Hide the warnings of libraries, which are meant for their developers."""


def _close_folders(arguments: list[str]) -> None:
    """Close our folders to other accounts, in case an older version left them open."""
    if not {"-h", "--help"} & set(arguments):
        for folder in (paths.cache(), paths.playground()):
            if message := private.close(folder):
                console.note(message)


def _is_mistyped(error: Exception) -> bool:
    """Return whether Typer rejected the command line; its class is private and has moved."""
    return callable(getattr(error, "format_message", None)) and hasattr(error, "exit_code")


def _mistyped(error: Any, arguments: list[str]) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "fivenines"
    message = mistyped.message(error)
    if path.endswith(" bench") and hasattr(error, "option_name"):
        from fivenines.cli.bench import foreign as bench_foreign  # noqa: PLC0415

        message = bench_foreign.advice(arguments[arguments.index("bench") + 1 :]) or message
    if not message:  # there is no command, and help has been shown
        return 2
    console.note(f"error: {message}", "red")
    console.note(f"see: {path} --help")
    return 2


def _crashed(error: Exception, arguments: list[str]) -> int:
    """Report an unexpected error and write its details to a file that can be sent to us."""
    import traceback  # noqa: PLC0415
    from datetime import UTC, datetime  # noqa: PLC0415

    from fivenines import __version__  # noqa: PLC0415

    now = datetime.now(UTC)
    log = paths.crashes() / f"{now:%Y%m%dT%H%M%SZ}-{os.getpid()}.log"
    details = [
        f"fivenines {__version__}, Python {sys.version}",
        f"command: {arguments!r}",
        f"folder: {Path.cwd()}",
        "".join(traceback.format_exception(error)),
    ]
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("\n".join(details), encoding="utf-8")
        where = f"details: {log}"
    except OSError as cannot:
        where = f"cannot write the details to {log}: {cannot.strerror}"
    console.note(f"error: unexpected error (a bug in fivenines): {reason}\n{where}", "red")
    return 1
