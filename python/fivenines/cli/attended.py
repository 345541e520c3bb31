"""Who is told what a campaign does: the journal, the terminal or a machine, Prometheus, a live page."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from fivenines.errors import FiveninesError, NoSpaceError, UsageError

if TYPE_CHECKING:
    from fivenines.runner.progress import Listener, Progress


class How(StrEnum):
    """How progress is told."""

    AUTO = "auto"
    PLAIN = "plain"
    JSON = "json"


@dataclass(frozen=True)
class Audience:
    """Who shall be told, beside the journal."""

    how: How
    experiment: str
    metrics: tuple[str, int] | None = None
    serve: bool = False


class CampaignInterruptedError(FiveninesError):
    """Ctrl-C during a campaign: what is done is kept."""

    exit_code = 130


class CampaignStoppedError(FiveninesError):
    """Somebody asked that no further trial begins: what is done is kept."""

    exit_code = 130


class Stopped:
    """Whether somebody asked the campaign to stop, once it has told so."""

    def __init__(self) -> None:
        self.left = 0
        self._reason = ""

    def __call__(self, event: "Progress") -> None:
        from fivenines.runner.progress import CampaignStopped

        if isinstance(event, CampaignStopped):
            self.left, self._reason = event.left, event.reason

    @property
    def _why(self) -> str:
        return f": {self._reason}" if self._reason else " as asked"

    def require_not(self, command: str) -> None:
        """Say that the run is not at its end, and how it is continued.

        Raises:
            CampaignStoppedError: it was stopped.
        """
        if self.left:
            trials = "1 trial is" if self.left == 1 else f"{self.left} trials are"
            raise CampaignStoppedError(f"stopped{self._why}; {trials} left to do. Continue with: {command}")


@dataclass(frozen=True)
class Attendance:
    """The campaign's listener, and what it has learned."""

    listener: "Listener"
    stopped: Stopped


@contextmanager
def attended(
    folder: Path, begins: dict[str, object], audience: Audience, more: "Listener | None" = None
) -> Iterator[Attendance]:
    """A listener for the duration of a campaign.

    Args:
        folder: the run, which is held by this process.
        begins: the line that the journal begins with, see `runner.journal.opened`.
        audience: who else is told.
        more: one more listener.

    Raises:
        FiveninesError: nothing can listen where metrics are to be offered.
    """
    from fivenines.cli.progress import listener
    from fivenines.runner.journal import journal_of

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
    """While inside, whatever breaks the campaign off says by which command it is continued."""
    try:
        yield
    except KeyboardInterrupt:
        raise CampaignInterruptedError(
            f"interrupted; finished trials are kept. Continue with: {command}"
        ) from None
    except NoSpaceError as error:
        raise NoSpaceError(f"{error}; finished trials are kept. Then continue with: {command}") from error


def address(text: str | None) -> tuple[str, int] | None:
    """Where metrics are offered: PORT on all addresses, or HOST:PORT.

    Raises:
        UsageError: it is neither.
    """
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and 1 <= int(port[:6]) <= 65535):
        raise UsageError(f"--metrics {text}: write a port, as in 9187, or HOST:PORT")
    return host.strip("[]"), int(port)


def _to_all(listeners: "Sequence[Listener]") -> "Listener":
    # events come from several threads; each is told to all before the next one is
    one_at_a_time = threading.Lock()

    def listen(event: "Progress") -> None:
        with one_at_a_time:
            for one in listeners:
                one(event)

    return listen


@contextmanager
def _metrics(experiment: str, host: str, port: int) -> "Iterator[Listener]":
    from fivenines.bench.metrics import offered
    from fivenines.cli import console
    from fivenines.runner.metrics import RunCollector

    collector = RunCollector(experiment)
    with offered(collector, host, port) as url:
        console.note(f"metrics: {url}")
        yield collector


@contextmanager
def live_page(folder: Path) -> Iterator[None]:
    """While inside, what runs in a folder is shown live; says where."""
    from fivenines.cli import console
    from fivenines.serve.child import beside

    with beside(folder) as url:
        console.note(f"live page: {url}")
        yield
