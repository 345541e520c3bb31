"""`fivenines tune`: find the timeouts that meet requirements on outage and needless failovers."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.base.errors import FiveninesError
from fivenines.cli import complete
from fivenines.cli.experiments.parallel import OversubscribeOption, Parallelism, ParallelOption
from fivenines.cli.options import AsJson, Out
from fivenines.cli.timeouts.asked import Asked, Found, asked
from fivenines.cli.timeouts.experiment_file import written
from fivenines.cli.timeouts.options import Death, Resume, ToWrite

if TYPE_CHECKING:
    from fivenines.cli.timeouts.sets import TimeoutSet
    from fivenines.experiment.source import Part

DEFAULT = Path("tune.yaml")


def tune(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    solution: Annotated[
        str, typer.Argument(help="Solution to tune.", metavar="SOLUTION", autocompletion=complete.solutions)
    ],
    require: Annotated[
        list[str],
        typer.Option(
            "--require",
            help="Requirement, as 'needless < 1/year' or 'outage p95 < 10s'. Can be repeated.",
            metavar="CONDITION",
        ),
    ],
    hiccups: Annotated[
        list[str],
        typer.Option(
            "--hiccups",
            help="Expected hiccups: a fault, how often, and how long; or a file. Can be repeated.",
            metavar="MODEL",
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Setting of the solution, which stays. Can be repeated.", metavar="KEY=VALUE"
        ),
    ] = None,
    death: Death = "kill",
    budget: Annotated[
        str, typer.Option(help="Time after which no further set of timeouts is tried.", metavar="TIME")
    ] = "1h",
    trials: Annotated[
        int, typer.Option(min=6, max=200, help="Largest number of trials of each kind and set.", metavar="N")
    ] = 20,
    file: ToWrite = DEFAULT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write the file and list the sets; run nothing.")
    ] = False,
    resume: Resume = False,
    out: Out = None,
    parallel: ParallelOption = "1",
    oversubscribe: OversubscribeOption = False,
    as_json: AsJson = False,
) -> None:
    """Find the timeouts that meet requirements on outage and needless failovers.

    \b
    fivenines tune patroni --require 'needless < 1/year'
        --require 'outage p95 < 10s' --hiccups 'freeze 4/month lognormal 2s..8s'
    fivenines tune galera --require 'needless < 1/month'
        --hiccups 'partition from stalls.csv'

    Each solution has sets of timeouts that its manual permits, from a quick one
    to a calm one. A set is measured as with `fivenines tolerate`: the longest
    hiccup that it survives, and the outage after a death. The next set follows
    from the last one. The result is the quickest set that is calm enough, next to
    the settings as given; and an experiment that proves it with more trials.

    \b
    Models of hiccups:
      freeze 4/month lognormal 2s..8s   the middle 90 % are from 2 to 8 s
      partition 1/week uniform 1s..5s
      freeze 10/year exponential 3s     3 s is the mean
      freeze 2/day fixed 1500ms
      freeze from stalls.csv over 90d   a file with columns start and length
    """
    from fivenines.cli.servers import above_zero
    from fivenines.cli.timeouts import tuned

    options = asked(solution, require, hiccups, settings or [], death, trials)
    seconds = above_zero("--budget", budget, "1h")
    written(file, options.file.text(), "fivenines run")
    runner = _Runner(file, options, out, resume, Parallelism(parallel, oversubscribe), seconds)
    if dry_run:
        tuned.list_sets(options.sets, runner.estimate())
        return
    tuned.show(runner.measure_all(), file, runner.folder, as_json)


class _Runner:
    """Measures sets of timeouts, each as a part of one run, until the search or the budget ends."""

    def __init__(
        self,
        file: Path,
        asked: Asked,
        out: Path | None,
        resume: bool,
        parallelism: Parallelism,
        budget: float,
    ) -> None:
        from fivenines.cli.experiments import campaigns
        from fivenines.experiment.source import load_parts

        self._file, self._asked, self._parallelism, self._budget = file, asked, parallelism, budget
        self._parts: list[Part] = load_parts(file)
        parallelism.require_possible([part.experiment for part in self._parts])
        self.folder = campaigns.place(self._parts[0].title, out, resume, False)
        self._begun = resume
        self._longest = 0.0

    def estimate(self) -> float:
        """Return the largest duration of one set, in seconds."""
        from fivenines.cli.experiments.planned import planned

        works = planned(self._parts, [self._asked.given.name])
        return works[0].seconds_by(self._parallelism.crew(works).at_once)

    def measure_all(self) -> Found:
        """Measure the settings as given, and then the sets that the search asks for."""
        from fivenines.analysis.decision.tuning import next_set

        began = time.monotonic()
        found = Found(self._asked, {})
        self._measure(self._asked.given, found)
        sets = self._asked.sets
        while (place := next_set(_calm(found), len(sets))) is not None:
            if time.monotonic() - began + self._longest > self._budget:
                found.unfinished = True
                break
            self._measure(sets[place], found)
        return found

    def _measure(self, one: "TimeoutSet", found: Found) -> None:
        """Run the trials of a set that the run lacks, and judge it."""
        from fivenines.analysis.decision.tuning import judged
        from fivenines.analysis.performance.sweeps import compared
        from fivenines.cli.timeouts import tuned
        from fivenines.results.store import open_run

        began = time.monotonic()
        self._run(one)
        self._longest = max(self._longest, time.monotonic() - began)
        run = open_run(self.folder)
        result = judged(one.name, compared(run), run.manifest, self._asked.wanted, self._asked.models)
        if result.deaths is None or result.rate is None:
            raise FiveninesError(
                f"{one.name}: its trials do not show "
                f"{'the outage' if result.deaths is None else 'how long a hiccup it survives'}. "
                f"See the report of {self.folder}"
            )
        found.results[one.name] = result
        tuned.note(one, result)

    def _run(self, one: "TimeoutSet") -> None:
        from fivenines.campaign.journal import opened
        from fivenines.cli.experiments import campaigns
        from fivenines.cli.experiments.attended import Audience, How
        from fivenines.cli.experiments.planned import planned
        from fivenines.cli.output import console
        from fivenines.experiment.machines import require_machines

        works = planned(self._parts, [one.name])
        for work in works:
            require_machines(work.experiment, work.trials, work.blocks)
        console.note(f"{one.name}: {one.words}", "bold")
        title = self._parts[0].title
        campaign = campaigns.Campaign(
            folder=self.folder,
            works=works,
            group=None,
            resume=self._begun,
            command=self._command(),
            begins=opened(self._file, None, [one.name], []),
            crew=self._parallelism.crew(works),
        )
        self._begun = True
        outcome = campaigns.carry_out(campaign, Audience(How.AUTO, title), _nothing, _no_index)
        outcome.stopped.require_not(self._command())

    def _command(self) -> str:
        """Return the command line that continues the search."""
        import sys

        words = ["fivenines", *sys.argv[1:]]
        given = {word.partition("=")[0] for word in words}
        words += [] if "--resume" in given else ["--resume"]
        words += [] if "--out" in given else ["--out", str(self.folder)]
        return shlex.join(words)


def _calm(found: Found) -> dict[int, bool]:
    return {place: result.calm for place, result in found.measured.items()}


def _nothing(_done: Any) -> None:
    """Print nothing after a set: `tuned.note` does."""


def _no_index() -> None:
    """Write no index: the run has no parts."""
