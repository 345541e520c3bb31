"""Run the parts of a file one after another, each into its subfolder of the run's folder.

A file without parts is one part without a name, whose run is in the folder itself.
"""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.cli.experiments.attended import Audience, Stopped, attended, continued_by, live_page
from fivenines.cli.experiments.parallel import Crew
from fivenines.cli.experiments.plan_shown import note_few_trials, note_long_faults
from fivenines.cli.experiments.planned import Planned

if TYPE_CHECKING:
    from fivenines.campaign.copies import Copies
    from fivenines.experiment.interleaved_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.experiment.spec import Experiment
    from fivenines.results.parts import PartsRecord
    from fivenines.results.storage import Storage


@dataclass(frozen=True)
class Campaign:
    """A campaign: the work of a file, its folder and its workers.

    Attributes:
        folder: the run's folder; for a file with parts, the parent of all runs.
        works: the parts; one without a name if the file has none.
        group: the record of the parts; None if the file has none.
        resume: whether to continue an existing run.
        command: the command line that continues it.
        begins: the first line of the journals, see `campaign.journal.opened`.
        crew: the workers that run the trials.
        decided: for each part that ends by claims: whether they are decided.
        copy_to: the URL of shared storage to which finished trials are copied; empty: none.
    """

    folder: Path
    works: Sequence[Planned]
    group: "PartsRecord | None"
    resume: bool
    command: str
    begins: dict[str, object]
    crew: Crew = field(default_factory=Crew)
    decided: Mapping[str, Callable[[], bool]] = field(default_factory=dict)
    copy_to: str = ""


@dataclass
class Done:
    """A completed part: its report, and its broken trials."""

    work: Planned
    folder: Path
    page: Path
    broken: list[str] = field(default_factory=list)


class Outcome:
    """The outcome of a campaign; it raises nothing before everything has been shown."""

    def __init__(self, campaign: Campaign) -> None:
        self.done: list[Done] = []
        self.stopped = Stopped()
        self._campaign = campaign

    def require_complete(self) -> None:
        """Require that the campaign is complete, so that scripts see an exit code other than 0.

        Raises:
            CampaignStoppedError: it was stopped on request or by its budget.
            FiveninesError: trials are broken.
        """
        self.stopped.require_not(self._campaign.command)
        broken = {one.work.part: len(one.broken) for one in self.done if one.broken}
        if not broken:
            return
        planned = sum(work.work for work in self._campaign.works)
        parts = ", ".join(part for part in broken if part)
        where = f" (in {parts})" if parts else ""
        raise FiveninesError(
            f"{sum(broken.values())} of {planned} trials are broken{where}. See the report for the reasons "
            "and the run's folder for the logs. Add --resume to run them again"
        )


def carry_out(
    campaign: Campaign, audience: Audience, after: Callable[[Done], None], end: Callable[[], None]
) -> Outcome:
    """Run all parts of a campaign.

    Args:
        campaign: the work.
        audience: the receivers of progress.
        after: shows the results of a part, once its report is written.
        end: writes the index of all parts; also called if a part was interrupted.

    Raises:
        UsageError: a folder contains something else, or another process uses it.
        FiveninesError: it was interrupted, with the command that continues it; or nothing could run.
    """
    from fivenines.results import claims, parts

    _prepare(campaign)
    outcome = Outcome(campaign)
    # The locks keep other processes from removing or resuming a run before its report is written.
    with ExitStack() as stack:
        stack.enter_context(claims.claimed(campaign.folder))
        if campaign.group is not None:
            parts.write(campaign.folder, campaign.group)
            stack.callback(end)
            if audience.serve:
                # One page shows all parts.
                stack.enter_context(live_page(campaign.folder))
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
    from fivenines.campaign.campaign import run_campaign
    from fivenines.report import write_html

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
            decided=campaign.decided.get(work.part),
        )
    stopped.left += attendance.stopped.left
    done = Done(work, folder, write_html(folder), broken)
    if copies is not None:
        copies.finish()
    return done


def _storage(campaign: Campaign, grouped: bool) -> "Storage | None":
    """Return the storage for copies; with `grouped`, the subfolder for the parts of a file."""
    from fivenines.results.storage import Storage

    if not campaign.copy_to:
        return None
    url = campaign.copy_to.rstrip("/")
    return Storage(f"{url}/{campaign.folder.name}" if grouped else url)


def _copies(campaign: Campaign, folder: Path) -> "Copies | None":
    from fivenines.campaign.copies import Copies
    from fivenines.cli.output import console

    storage = _storage(campaign, campaign.group is not None)
    return None if storage is None else Copies(folder, storage, console.note)


def _prepare(campaign: Campaign) -> None:
    from fivenines.base import private
    from fivenines.cli.output import console

    # Close an existing folder to other accounts: `report --share` opens a run once it is done.
    if message := private.close(campaign.folder):
        console.note(message)
    _storage(campaign, grouped=False)  # reports an unusable storage before anything runs
    if campaign.crew.where:
        console.note(campaign.crew.where)
    for work in campaign.works:
        if campaign.resume:
            require_same(work.folder(campaign.folder), work.experiment)
        note_few_trials(work.experiment)
        note_long_faults(work.experiment, work.trials)


def _say_part(work: Planned, number: int, of: int) -> None:
    from fivenines.base.units import about
    from fivenines.cli.output import console

    console.note(f"part {number} of {of}: {work.part}, about {about(work.seconds)}", "bold")


def place(title: str, out: Path | None, resume: bool, grouped: bool, form: str = "") -> Path:
    """Return the folder of a new run or of the run to continue; `form`: the form of a study.

    Raises:
        UsageError: there is no run to continue, another process uses it, or the folder is not empty.
    """
    from fivenines.cli.experiments import runs
    from fivenines.results import claims, parts

    if resume:
        folder = out or (runs.newest_group(title, form) if grouped else runs.newest(title))
        claims.require_unclaimed(folder)
        if claims.begun(folder) and grouped != parts.is_group(folder):
            has = "has no parts, but the file has" if grouped else "has parts, but the file has none"
            raise UsageError(f"{folder} cannot be continued with this file: the run {has}")
        return folder
    folder = out or runs.new_name(title, datetime.now())
    claims.require_unclaimed(folder)
    if claims.begun(folder):
        raise UsageError(f"{folder} exists. Continue it with --resume, or name another folder with --out")
    return folder


def require_same(folder: Path, experiment: "Experiment") -> None:
    """Refuse to continue the run of a different experiment; warn if the last process was killed.

    Raises:
        UsageError: with the first setting that differs.
    """
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.results import claims

    if not claims.begun(folder):
        return
    runs.check_same(folder, experiment)
    if before := claims.deserter(folder):
        console.note(
            f"warning: {before} was killed during this run: by a user, by a restart of the machine, "
            "or by the kernel's out-of-memory killer (see `dmesg`). "
            "Finished trials are kept; the interrupted trial runs again",
            "yellow",
        )
