"""The program `fivenines`: its entry point, and the only place that handles errors.

The registry lists the commands. A command is imported when it runs, so that `--help` answers at once.
"""

import gc
import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from fivenines import paths, private
from fivenines.cli import computing, console, mistyped
from fivenines.cli.registry import Program
from fivenines.errors import FiveninesError, RenamedWarning

INTERRUPTED = 130

app = typer.Typer(
    name="fivenines",
    cls=Program,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from fivenines.cli import version  # noqa: PLC0415  (only here)

        version.version()
        raise typer.Exit


@app.callback()
def program(
    version_: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Measures what high-availability databases really give: speed, failover time, lost data.

    \b
    A first experiment, without root, in about four minutes:
      fivenines doctor
      fivenines run quickstart
      fivenines report

    Every command explains itself: fivenines run --help
    """


def main() -> None:
    """Entry point of the program."""
    # what is imported stays: garbage collection would look at it dozens of times, a tenth of a short command
    gc.set_threshold(200_000, 20, 100)
    sys.exit(execute(sys.argv[1:]))


def execute(arguments: list[str]) -> int:
    """Run one command line; the exit code. Never raises, never shows a traceback."""
    private.begin()
    warnings.showwarning = _warned
    try:
        _close_what_is_open(arguments)
        with computing.told():
            code = app(arguments, prog_name="fivenines", standalone_mode=False)
        if code == INTERRUPTED:  # what typer makes of Ctrl-C
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
        # the reader of our output went away, as in `fivenines ... | head`: not our error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        return _mistyped(error, arguments) if _is_mistyped(error) else _crashed(error, arguments)


def _warned(message: Warning | str, category: type[Warning], *_place: object, **_more: Any) -> None:
    """Those that are meant for users; libraries warn their developers."""
    if issubclass(category, RenamedWarning):
        console.note(f"hint: {message}", "yellow")


def _close_what_is_open(arguments: list[str]) -> None:
    """Other accounts are kept out of our folders, also where an older version left them open."""
    if not {"-h", "--help"} & set(arguments):
        for folder in (paths.cache(), paths.playground()):
            if said := private.close(folder):
                console.note(said)


def _is_mistyped(error: Exception) -> bool:
    """Whether typer refuses the command line; its class is private and moved between versions."""
    return callable(getattr(error, "format_message", None)) and hasattr(error, "exit_code")


def _mistyped(error: Any, arguments: list[str]) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "fivenines"
    message = mistyped.message(error)
    if path.endswith(" bench") and hasattr(error, "option_name"):
        from fivenines.cli import bench_foreign  # noqa: PLC0415

        message = bench_foreign.advice(arguments[arguments.index("bench") + 1 :]) or message
    if not message:  # no command at all: help has been shown
        return 2
    console.note(f"error: {message}", "red")
    console.note(f"see: {path} --help")
    return 2


def _crashed(error: Exception, arguments: list[str]) -> int:
    """An error that nobody foresaw: its details go to a file that can be sent to us."""
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
        where = f"details are in {log}"
    except OSError as cannot:
        where = f"details could not be written to {log}: {cannot.strerror}"
    console.note(f"error: unexpected, a mistake in fivenines: {reason}\n{where}", "red")
    return 1
