"""`fivenines tolerate`: find the longest hiccup that a cluster survives without a failover."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path
from typing import Annotated

import typer

from fivenines.base.errors import UsageError
from fivenines.cli import complete
from fivenines.cli.experiments.charges import YesOption
from fivenines.cli.experiments.parallel import OversubscribeOption, ParallelOption
from fivenines.cli.options import Out
from fivenines.cli.timeouts.experiment_file import Searched, death_named, written
from fivenines.cli.timeouts.options import Death, Resume, ToWrite

DEFAULT = Path("tolerate.yaml")


def tolerate(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    solution: Annotated[
        list[str],
        typer.Argument(
            help="Solutions to measure.", metavar="SOLUTION...", autocompletion=complete.solutions
        ),
    ],
    hiccup: Annotated[
        list[str] | None,
        typer.Option(
            help="Fault that kills no server and ends by itself. Can be repeated. Default: freeze.",
            metavar="FAULT",
            autocompletion=complete.faults,
        ),
    ] = None,
    death: Death = "kill",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Setting of the solution, if there is only one. Can be repeated.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    at_least: Annotated[str, typer.Option(help="Shortest hiccup to try.", metavar="TIME")] = "500ms",
    at_most: Annotated[str, typer.Option(help="Longest hiccup to try.", metavar="TIME")] = "30s",
    trials: Annotated[
        int, typer.Option(min=6, max=200, help="Largest number of trials of each search.", metavar="N")
    ] = 20,
    file: ToWrite = DEFAULT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write the file and show the plan; run nothing.")
    ] = False,
    resume: Resume = False,
    out: Out = None,
    parallel: ParallelOption = "1",
    oversubscribe: OversubscribeOption = False,
    yes: YesOption = False,
) -> None:
    """Find the longest hiccup that a cluster survives without a failover.

    \b
    fivenines tolerate hot-standby
    fivenines tolerate patroni --set ttl=20s --set loop_wait=5s --set retry_timeout=5s
    fivenines tolerate patroni galera --hiccup freeze --hiccup partition
    fivenines tolerate hot-standby --at-most 60s --dry-run

    Freezes the primary, or cuts it off, for a time, in one trial after another.
    Each length follows from the trials before, until the length is known at which
    half of the trials fail over. Kills the primary as well, to compare the outage.

    The experiment is written to a file first. Edit it to compare several settings
    of one solution, and run it with `fivenines run`.
    """
    from fivenines.cli.experiments.run import run

    text = experiment(solution, hiccup or ["freeze"], settings or [], (at_least, at_most), trials, death)
    written(file, text, "fivenines run")
    run(
        file=file,
        dry_run=dry_run,
        resume=resume,
        out=out,
        parallel=parallel,
        oversubscribe=oversubscribe,
        yes=yes,
    )


def experiment(
    solutions: list[str],
    hiccups: list[str],
    settings: list[str],
    lengths: tuple[str, str],
    trials: int,
    death: str = "kill",
) -> str:
    """Return the text of the experiment file.

    Raises:
        UsageError: an option is wrong.
    """
    from fivenines.analysis.availability.needless import HICCUPS
    from fivenines.analysis.wording import listed
    from fivenines.base.spelling import nearest
    from fivenines.cli.deployment.up import described
    from fivenines.cli.servers import duration
    from fivenines.experiment.source import solution_from

    if settings and len(solutions) > 1:
        raise UsageError("--set: name one solution, or write the settings of each into the file")
    death_named("--death", death)
    entries = [described(name, settings, command="tolerate") for name in solutions]
    for entry in entries:
        solution_from(entry, "tolerate")
    for name in hiccups:
        if name not in HICCUPS:
            kinds = ", ".join(sorted(HICCUPS))
            raise UsageError(
                f"--hiccup {name}: it is none that kills no server and ends by itself"
                f"{nearest(name, list(HICCUPS))}\n    allowed: {kinds}"
            )
    shortest, longest = duration("--at-least", lengths[0]), duration("--at-most", lengths[1])
    if shortest >= longest:
        raise UsageError(f"--at-most {lengths[1]}: write a time longer than --at-least ({lengths[0]})")
    verb = "fails" if len(solutions) == 1 else "fail"
    return Searched(
        f"How long a hiccup may last before {listed(solutions)} {verb} over, and the outage after a death.",
        f"tolerate-{solutions[0]}",
        entries,
        death,
        dict.fromkeys(hiccups, (shortest, longest)),
        trials,
    ).text()
