"""Send a campaign's events to the journal, the terminal or a script, Prometheus and a live page."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError, NoSpaceError, UsageError

if TYPE_CHECKING:
    from fivenines.trial.progress import Listener, Progress


class How(StrEnum):
    """Formats of progress."""

    AUTO = "auto"
    PLAIN = "plain"
    JSON = "json"


@dataclass(frozen=True)
class Audience:
    """Receivers of progress in addition to the journal."""

    how: How
    experiment: str
    metrics: tuple[str, int] | None = None
    serve: bool = False


class CampaignInterruptedError(FiveninesError):
    """The user pressed Ctrl-C during a campaign; finished trials are kept."""

    exit_code = 130


class CampaignStoppedError(FiveninesError):
    """The campaign was asked to begin no further trial; finished trials are kept."""

    exit_code = 130


class Stopped:
    """Record whether the campaign was stopped, and how many trials are left."""

    def __init__(self) -> None:
        self.left = 0
        self._reason = ""

    def __call__(self, event: "Progress") -> None:
        from fivenines.trial.progress import CampaignStopped

        if isinstance(event, CampaignStopped):
            self.left, self._reason = event.left, event.reason

    @property
    def _why(self) -> str:
        return f": {self._reason}" if self._reason else " on request"

    def require_not(self, command: str) -> None:
        """Require that the campaign was not stopped.

        Raises:
            CampaignStoppedError: it was stopped; with the command that continues it.
        """
        if self.left:
            trials = "1 trial is" if self.left == 1 else f"{self.left} trials are"
            raise CampaignStoppedError(f"stopped{self._why}; {trials} left. Continue with: {command}")


@dataclass(frozen=True)
class Attendance:
    """A campaign's listener, and whether the campaign was stopped."""

    listener: "Listener"
    stopped: Stopped


@contextmanager
def attended(
    folder: Path, begins: dict[str, object], audience: Audience, more: "Listener | None" = None
) -> Iterator[Attendance]:
    """Return a listener for the duration of a campaign.

    Args:
        folder: the run's folder, locked by this process.
        begins: the first line of the journal, see `campaign.journal.opened`.
        audience: the other receivers.
        more: an additional listener.

    Raises:
        FiveninesError: the address for metrics is not available.
    """
    from fivenines.campaign.journal import journal_of
    from fivenines.cli.experiments.progress import listener

    stopped = Stopped()
    with ExitStack() as stack:
        listeners: list[Listener] = [stopped, *([] if more is None else [more])]
        if audience.metrics is not None:
            listeners.append(stack.enter_context(_metrics(audience.experiment, *audience.metrics)))
        if audience.serve:
            stack.enter_context(live_page(folder))
        listeners.append(stack.enter_context(journal_of(folder, begins)))
        listeners.append(stack.enter_context(listener(audience.how)))
        yield Attendance(_to_all(listeners), stopped)


@contextmanager
def continued_by(command: str) -> Iterator[None]:
    """Add the command that continues the campaign to what interrupts it: Ctrl-C, SIGTERM, SIGHUP, errors."""
    from fivenines.base.ending import ended_as_by_ctrl_c

    try:
        with ended_as_by_ctrl_c():
            yield
    except KeyboardInterrupt:
        raise CampaignInterruptedError(
            f"interrupted; finished trials are kept. Continue with: {command}"
        ) from None
    except NoSpaceError as error:
        raise NoSpaceError(f"{error}; finished trials are kept. Free space, then run: {command}") from error


def address(text: str | None) -> tuple[str, int] | None:
    """Parse the address for metrics: PORT on all addresses, or HOST:PORT.

    Raises:
        UsageError: the text is neither.
    """
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and 1 <= int(port[:6]) <= 65535):
        raise UsageError(f"--metrics {text}: write a port, as 9187, or HOST:PORT")
    return host.strip("[]"), int(port)


def _to_all(listeners: "Sequence[Listener]") -> "Listener":
    # Events come from several threads. Each reaches all listeners before the next one.
    one_at_a_time = threading.Lock()

    def listen(event: "Progress") -> None:
        with one_at_a_time:
            for listener in listeners:
                listener(event)

    return listen


@contextmanager
def _metrics(experiment: str, host: str, port: int) -> "Iterator[Listener]":
    from fivenines.campaign.metrics import RunCollector
    from fivenines.cli.output import console
    from fivenines.load.bench.metrics import offered

    collector = RunCollector(experiment)
    with offered(collector, host, port) as url:
        console.note(f"metrics: {url}")
        yield collector


@contextmanager
def live_page(folder: Path) -> Iterator[None]:
    """Serve a live page of a run in the background, and print its address."""
    from fivenines.cli.output import console
    from fivenines.report.live.child import page

    with page(folder) as url:
        console.note(f"live page: {url}")
        yield
