"""`fivenines init`: an experiment file to begin with, by questions or by options."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli import complete
from fivenines.errors import UsageError

if TYPE_CHECKING:
    from fivenines.experiment.starter import Wish

DEFAULT = Path("experiment.yaml")
# What is taken where nothing is said.
WORKLOAD, FAULT, CONNECTIONS, TRIALS = "oltp_read_write", "kill", 8, 3


def init(
    file: Annotated[
        Path, typer.Argument(help="The file to write; - for stdout.", metavar="[FILE]", allow_dash=True)
    ] = DEFAULT,
    solution: Annotated[
        list[str] | None,
        typer.Option(
            help="What is compared; may be repeated.", metavar="NAME", autocompletion=complete.solutions
        ),
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option(
            help=f"What it is asked; may be repeated. Default: {WORKLOAD}.",
            metavar="NAME",
            autocompletion=complete.workloads,
        ),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help=f"What is broken on purpose, or none; may be repeated. Default: {FAULT}.",
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
            help=f"Connections of the load; may be repeated. Default: {CONNECTIONS}.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help=f"Trials of each cell. Default: {TRIALS}.", metavar="N"),
    ] = None,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print it, write no file.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write an experiment file to begin with: it runs as it stands, and its comments teach the rest.

    \b
    fivenines init
    fivenines init mine.yaml --solution hot-standby --solution patroni
    fivenines init --solution galera --workload tpcc --fault freeze --stdout

    Without --solution it asks. `fivenines list solutions` (workloads, faults)
    says what there is. A fault that makes no sense for one of the solutions
    is for the others only.
    """
    from fivenines.cli import console

    printed = stdout or str(file) == "-"
    if not printed and not force:
        require_absent(file)
    solutions = list(solution or [])
    workloads, faults, numbers = list(workload or []), list(fault or []), list(connections or [])
    if not solutions:
        from fivenines.cli import questions

        require_somebody()
        solutions = questions.solutions()
        workloads = workloads or questions.workloads(WORKLOAD)
        faults = faults or questions.faults(solutions, FAULT)
        numbers = numbers or questions.connections(CONNECTIONS)
        trials = trials or questions.trials(TRIALS)
    wish = wanted(
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
    console.say(f"  {shlex.join(['fivenines', 'run', str(file), '--dry-run'])}   the plan")
    console.say(f"  {shlex.join(['fivenines', 'run', str(file)])}")


def require_absent(file: Path) -> None:
    """Before anything is asked: nothing would be overwritten.

    Raises:
        UsageError: the file is there.
    """
    if file.exists():
        raise UsageError(f"{file} exists: name another file, or overwrite it by --force")


def require_somebody() -> None:
    """Whether there is somebody to ask.

    Raises:
        UsageError: stdin or stderr is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "init: nobody can be asked here: say it by options, as in "
            "fivenines init mine.yaml --solution hot-standby --workload tpcc --fault kill"
        )


def wanted(
    name: str,
    solutions: list[str],
    workloads: list[str],
    faults: list[str],
    connections: list[int],
    trials: int,
) -> "Wish":
    """What the file is to be made of.

    Raises:
        UsageError: something is unknown, named twice, or makes no sense together.
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
    for one in faults:
        if why := misfit(one, solutions):
            raise UsageError(f"--fault {why}")
    if left := unmeasured(solutions, faults):
        raise UsageError(
            f"{left[0]} would not be measured, as no fault here makes sense for it: add --fault none, or "
            "leave it out"
        )
    words = [
        "fivenines",
        "init",
        *(word for one in solutions for word in ("--solution", one)),
        *(word for one in workloads for word in ("--workload", one)),
        *(word for one in faults for word in ("--fault", one)),
        *(word for one in connections for word in ("--connections", str(one))),
        "--trials",
        str(trials),
    ]
    return Wish(name, solutions, workloads, faults, connections, trials, shlex.join(words))


def require_known(option: str, section: str, name: str) -> None:
    """Whether a first file can be made of this kind.

    Raises:
        UsageError: there is none of this name, or it needs settings that nobody else can know.
    """
    from fivenines.experiment import choices
    from fivenines.experiment.starter import offered
    from fivenines.spelling import nearest

    known = offered(section)
    if name in known:
        return
    model = choices.models(section).get(name)
    if model is not None:
        keys = ", ".join(choices.needed(model, section))
        raise UsageError(
            f"{option} {name}: it needs settings of yours ({keys}), so write it into a file by hand: "
            "see docs/reference/experiment.md"
        )
    raise UsageError(f"{option}: there is no {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}")


def require_once(option: str, names: list[str]) -> None:
    """What is named twice would be measured twice.

    Raises:
        UsageError: something is.
    """
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{option} {twice} is named twice: name it once")


def made(wish: "Wish") -> tuple[str, str]:
    """The file's text, read by the reader of such files; and what it plans, in a line.

    Raises:
        UsageError: its name cannot be one, or this machine cannot run it.
    """
    from fivenines.analysis.wording import count
    from fivenines.cli.schema import file_for_editors
    from fivenines.experiment.plan import cells, expected_seconds, plan
    from fivenines.experiment.source import parse_experiment
    from fivenines.experiment.starter import starter
    from fivenines.units import about

    text = starter(wish, str(file_for_editors()))
    experiment = parse_experiment(text, "the new file", on_this_machine=True)
    trials = plan(experiment)
    seconds = expected_seconds(trials, experiment)
    number = len(cells(experiment))
    work = f"{count(number, 'cell')}, {count(len(trials), 'trial')}"
    return text, f"{work}, about {about(seconds)} once engines and data are in the cache"


def write(file: Path, text: str) -> None:
    """Write the file whole or not at all.

    Raises:
        UsageError: it has no folder to be in.
    """
    from fivenines.results.store import write_text

    if not file.absolute().parent.is_dir():
        raise UsageError(f"{file}: there is no folder {file.absolute().parent}")
    if file.is_dir():
        raise UsageError(f"{file} is a folder, not a file")
    write_text(file, text)
