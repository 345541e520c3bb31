"""Runs the parts of a file one after another, each into a folder of its own below that of all.

A file without parts is one part without a name, whose run is in the folder itself.
"""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fivenines.cli.attended import Audience, Stopped, attended, continued_by, live_page
from fivenines.cli.plan_shown import note_few_trials, note_long_faults
from fivenines.cli.planned import Planned
from fivenines.cli.side_by_side import Crew
from fivenines.errors import FiveninesError, UsageError

if TYPE_CHECKING:
    from fivenines.experiment.interleaved_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.experiment.spec import Experiment
    from fivenines.results.parts import PartsRecord
    from fivenines.results.storage import Storage
    from fivenines.runner.copies import Copies


@dataclass(frozen=True)
class Campaign:
    """All that is to be run of a file.

    Attributes:
        folder: where the run is; of a file with parts where the runs of all are.
        works: the parts; one without a name where the file has none.
        group: what the folder says of its parts; None where the file has none.
        resume: whether what is there is continued.
        command: the command line that continues it.
        begins: the line that the journals begin with, see `runner.journal.opened`.
        crew: who carries out the trials.
        copy_to: the URL of shared storage to which finished trials are copied; empty: none.
    """

    folder: Path
    works: Sequence[Planned]
    group: "PartsRecord | None"
    resume: bool
    command: str
    begins: dict[str, object]
    crew: Crew = field(default_factory=Crew)
    copy_to: str = ""


@dataclass
class Done:
    """A part that has run: its report, and the trials that were given up."""

    work: Planned
    folder: Path
    page: Path
    broken: list[str] = field(default_factory=list)


class Outcome:
    """What became of a campaign; nothing is raised before all of it has been shown."""

    def __init__(self, campaign: Campaign) -> None:
        self.done: list[Done] = []
        self.stopped = Stopped()
        self._campaign = campaign

    def require_complete(self) -> None:
        """Say by the exit code that it is not at its end, or that trials are broken.

        A script must not take it for a success.

        Raises:
            CampaignStoppedError: somebody has asked it to stop, or more would cost too much.
            FiveninesError: trials are broken.
        """
        self.stopped.require_not(self._campaign.command)
        broken = {one.work.part: len(one.broken) for one in self.done if one.broken}
        if not broken:
            return
        planned = sum(one.work for one in self._campaign.works)
        parts = ", ".join(part for part in broken if part)
        where = f" (in {parts})" if parts else ""
        raise FiveninesError(
            f"{sum(broken.values())} of {planned} trials are broken{where}: their reasons are in the report, "
            "their logs in the run's folder; --resume tries them again"
        )


def carry_out(
    campaign: Campaign, audience: Audience, after: Callable[[Done], None], end: Callable[[], None]
) -> Outcome:
    """Run all parts.

    Args:
        campaign: what is to be run.
        audience: who is told.
        after: shows what came out of a part, once its report is written.
        end: writes what is made of all parts together; called as well where one was broken off.

    Raises:
        UsageError: a folder holds something else, or somebody else runs there.
        FiveninesError: it was interrupted, with the command that continues it; or nothing could run.
    """
    from fivenines.results import claims, parts

    _prepare(campaign)
    outcome = Outcome(campaign)
    # nobody removes or resumes it before its report is written
    with ExitStack() as held:
        held.enter_context(claims.claimed(campaign.folder))
        if campaign.group is not None:
            parts.write(campaign.folder, campaign.group)
            held.callback(end)
            if audience.serve:
                # one page for all parts
                held.enter_context(live_page(campaign.folder))
                audience = replace(audience, serve=False)
        for number, work in enumerate(campaign.works, start=1):
            if work.part:
                _say_part(work, number, len(campaign.works))
            folder = work.folder(campaign.folder)
            with ExitStack() as own:
                if work.part:
                    own.enter_context(claims.claimed(folder))
                done = _run(campaign, work, folder, audience, outcome.stopped)
                outcome.done.append(done)
                after(done)
            if outcome.stopped.left:
                break
    if campaign.group is not None and (storage := _storage(campaign, grouped=False)):
        storage.put_rest(campaign.folder)
    return outcome


def _run(campaign: Campaign, work: Planned, folder: Path, audience: Audience, stopped: Stopped) -> Done:
    from fivenines.report import write_html
    from fivenines.runner.campaign import run_campaign

    todo: list[Trial | Block] = [*work.blocks, *work.trials]
    copies = _copies(campaign, folder)
    with continued_by(campaign.command), attended(folder, campaign.begins, audience, copies) as attendance:
        listen = attendance.listener
        broken = run_campaign(
            work.experiment,
            work.source,
            todo,
            folder,
            campaign.resume,
            listen,
            workers=campaign.crew.workers(),
        )
    stopped.left += attendance.stopped.left
    done = Done(work, folder, write_html(folder), broken)
    if copies is not None:
        copies.finish()
    return done


def _storage(campaign: Campaign, grouped: bool) -> "Storage | None":
    """Where copies go; `grouped`: those of the parts of a file, below the name of all."""
    from fivenines.results.storage import Storage

    if not campaign.copy_to:
        return None
    url = campaign.copy_to.rstrip("/")
    return Storage(f"{url}/{campaign.folder.name}" if grouped else url)


def _copies(campaign: Campaign, folder: Path) -> "Copies | None":
    from fivenines.cli import console
    from fivenines.runner.copies import Copies

    storage = _storage(campaign, campaign.group is not None)
    return None if storage is None else Copies(folder, storage, console.note)


def _prepare(campaign: Campaign) -> None:
    from fivenines import private
    from fivenines.cli import console

    # keep others out of what is there already: `report --share` opens a run, once it is done
    if said := private.close(campaign.folder):
        console.note(said)
    _storage(campaign, grouped=False)  # what is wrong with it is said before anything runs
    if campaign.crew.where:
        console.note(campaign.crew.where)
    for work in campaign.works:
        if campaign.resume:
            require_same(work.folder(campaign.folder), work.experiment)
        note_few_trials(work.experiment)
        note_long_faults(work.experiment, work.trials)


def _say_part(work: Planned, number: int, of: int) -> None:
    from fivenines.cli import console
    from fivenines.units import about

    console.note(f"part {number} of {of}: {work.part}, about {about(work.seconds)}", "bold")


def place(title: str, out: Path | None, resume: bool, grouped: bool, form: str = "") -> Path:
    """The folder of a new run, or of the one to be continued; `form`: of which form of a study.

    Raises:
        UsageError: there is nothing to be continued, somebody runs there, or something else is there.
    """
    from fivenines.cli import runs
    from fivenines.results import claims, parts

    if resume:
        folder = out or (runs.newest_group(title, form) if grouped else runs.newest(title))
        claims.require_unclaimed(folder)
        if claims.begun(folder) and grouped != parts.is_group(folder):
            has = "has no parts" if grouped else "has parts, and the file has none"
            raise UsageError(f"{folder} cannot be continued with this file: the run {has}")
        return folder
    folder = out or runs.new_name(title, datetime.now())
    claims.require_unclaimed(folder)
    if claims.begun(folder):
        raise UsageError(f"{folder} exists: continue it with --resume, or name another --out")
    return folder


def require_same(folder: Path, experiment: "Experiment") -> None:
    """Refuse to continue the run of another experiment; warn where the last one was killed.

    Raises:
        UsageError: with the first setting that differs.
    """
    from fivenines.cli import console, runs
    from fivenines.results import claims

    if not claims.begun(folder):
        return
    runs.check_same(folder, experiment)
    if before := claims.deserter(folder):
        console.note(
            f"warning: {before} ended in the middle of this run without a word: it was killed, by hand, "
            "by a restart of the machine, or by the kernel when memory ran out (`dmesg` tells). "
            "Finished trials are kept; the one that ran is run again",
            "yellow",
        )
