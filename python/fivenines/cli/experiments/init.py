"""`fivenines init`: create an experiment file from options or interactively."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.base.errors import UsageError
from fivenines.cli import complete

if TYPE_CHECKING:
    from fivenines.experiment.starter import Wish

DEFAULT = Path("experiment.yaml")
# Defaults.
WORKLOAD, FAULT, CONNECTIONS, TRIALS = "oltp_read_write", "kill", 8, 3


def init(
    file: Annotated[
        Path, typer.Argument(help="File to write; - for stdout.", metavar="[FILE]", allow_dash=True)
    ] = DEFAULT,
    solution: Annotated[
        list[str] | None,
        typer.Option(
            help="Solution to compare. Can be repeated.", metavar="NAME", autocompletion=complete.solutions
        ),
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Workload to run. Can be repeated. Default: {WORKLOAD}.",
            metavar="NAME",
            autocompletion=complete.workloads,
        ),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Fault to inject, or none. Can be repeated. Default: {FAULT}.",
            metavar="NAME",
            autocompletion=complete.faults,
        ),
    ] = None,
    connections: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            max=100_000,
            metavar="N",
            help=f"Connections of the load. Can be repeated. Default: {CONNECTIONS}.",
        ),
    ] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, max=1000, help=f"Trials per cell. Default: {TRIALS}.", metavar="N")
    ] = None,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the file instead of writing it.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Create a commented experiment file that is ready to run.

    \b
    fivenines init
    fivenines init mine.yaml --solution hot-standby --solution patroni
    fivenines init --solution galera --workload tpcc --fault freeze --stdout

    Without --solution it asks interactively. `fivenines list solutions` (workloads,
    faults) lists the choices. A fault that does not apply to a solution is used
    for the other solutions only.
    """
    from fivenines.cli.output import console

    printed = stdout or str(file) == "-"
    if not printed and not force:
        require_absent(file)
    solutions = list(solution or [])
    workloads, faults, numbers = list(workload or []), list(fault or []), list(connections or [])
    if not solutions:
        from fivenines.cli.experiments import questions

        require_terminal()
        solutions = questions.solutions()
        workloads = workloads or questions.workloads(WORKLOAD)
        faults = faults or questions.faults(solutions, FAULT)
        numbers = numbers or questions.connections(CONNECTIONS)
        trials = trials or questions.trials(TRIALS)
    wish = wish_of(
        "experiment" if printed else file.stem,
        solutions,
        workloads or [WORKLOAD],
        faults or [FAULT],
        numbers or [CONNECTIONS],
        trials or TRIALS,
    )
    text, about = made(wish)
    if printed:
        console.stdout().out(text.rstrip("\n"), highlight=False)
        console.note(about)
        return
    write(file, text)
    console.say(f"{file}: {about}", "bold")
    console.say("next:")
    console.say(f"  {shlex.join(['fivenines', 'run', str(file), '--dry-run'])}   to show the plan")
    console.say(f"  {shlex.join(['fivenines', 'run', str(file)])}")


def require_absent(file: Path) -> None:
    """Require that the file does not exist, before the first question.

    Raises:
        UsageError: the file exists.
    """
    if file.exists():
        raise UsageError(f"{file} exists. Name another file, or overwrite it with --force")


def require_terminal() -> None:
    """Require a terminal for the questions.

    Raises:
        UsageError: stdin or stderr is not a terminal.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "init: cannot ask questions without a terminal. Use options, as in "
            "fivenines init mine.yaml --solution hot-standby --workload tpcc --fault kill"
        )


def wish_of(
    name: str,
    solutions: list[str],
    workloads: list[str],
    faults: list[str],
    connections: list[int],
    trials: int,
) -> "Wish":
    """Return the contents of the file.

    Raises:
        UsageError: a name is unknown or repeated, or the choices contradict each other.
    """
    from fivenines.experiment.starter import Wish, misfit, unmeasured

    for option, section, names in (
        ("--solution", "solutions", solutions),
        ("--workload", "workloads", workloads),
        ("--fault", "faults", faults),
    ):
        for one in names:
            require_known(option, section, one)
        require_once(option, names)
    require_once("--connections", [str(number) for number in connections])
    for fault in faults:
        if why := misfit(fault, solutions):
            raise UsageError(f"--fault {why}")
    if left := unmeasured(solutions, faults):
        raise UsageError(
            f"{left[0]} would not be measured, as none of the faults applies to it. Add --fault none, or "
            "leave it out"
        )
    words = [
        "fivenines",
        "init",
        *(word for solution in solutions for word in ("--solution", solution)),
        *(word for workload in workloads for word in ("--workload", workload)),
        *(word for fault in faults for word in ("--fault", fault)),
        *(word for connection in connections for word in ("--connections", str(connection))),
        "--trials",
        str(trials),
    ]
    return Wish(name, solutions, workloads, faults, connections, trials, shlex.join(words))


def require_known(option: str, section: str, name: str) -> None:
    """Require a known kind that needs no further settings.

    Raises:
        UsageError: the name is unknown, or the kind needs settings that only the user knows.
    """
    from fivenines.base.spelling import nearest
    from fivenines.experiment import choices
    from fivenines.experiment.starter import offered

    known = offered(section)
    if name in known:
        return
    model = choices.models(section).get(name)
    if model is not None:
        keys = ", ".join(choices.needed(model, section))
        raise UsageError(
            f"{option} {name}: needs settings that have no default ({keys}). Add it to the file by hand, "
            "see docs/reference/experiment.md"
        )
    raise UsageError(
        f"{option}: unknown name {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}"
    )


def require_once(option: str, names: list[str]) -> None:
    """Require that no name is repeated.

    Raises:
        UsageError: a name is repeated.
    """
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{option} {twice} is repeated. Name it once")


def made(wish: "Wish") -> tuple[str, str]:
    """Return the file's text, after parsing it, and a summary of its plan in one line.

    Raises:
        UsageError: the file's name is not a valid name, or this machine cannot run the file.
    """
    from fivenines.analysis.wording import count
    from fivenines.base.units import about
    from fivenines.cli.machine.schema import file_for_editors
    from fivenines.experiment.plan import cells, expected_seconds, plan
    from fivenines.experiment.source import parse_experiment
    from fivenines.experiment.starter import starter

    text = starter(wish, str(file_for_editors()))
    experiment = parse_experiment(text, "the new file", on_this_machine=True)
    trials = plan(experiment)
    seconds = expected_seconds(trials, experiment)
    number = len(cells(experiment))
    work = f"{count(number, 'cell')}, {count(len(trials), 'trial')}"
    return text, f"{work}, about {about(seconds)} once engines and data are in the cache"


def write(file: Path, text: str) -> None:
    """Write the file atomically.

    Raises:
        UsageError: the file's folder does not exist.
    """
    from fivenines.results.store import write_text

    if not file.absolute().parent.is_dir():
        raise UsageError(f"{file}: the folder {file.absolute().parent} does not exist")
    if file.is_dir():
        raise UsageError(f"{file} is a folder. Name a file")
    write_text(file, text)
