"""`--parallel`: how many trials run side by side, and who carries them out."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.errors import UsageError

if TYPE_CHECKING:
    from fivenines.cli.planned import Planned
    from fivenines.runner.workers.base import Worker

ParallelOption = Annotated[
    str,
    typer.Option(
        help="So many trials side by side, each with processors of its own; auto: as many as fit.",
        metavar="N|auto",
    ),
]
OversubscribeOption = Annotated[
    bool,
    typer.Option(
        "--oversubscribe", help="With --parallel: also where there are more hosts than processors."
    ),
]


@dataclass(frozen=True)
class SideBySide:
    """What the command line says of it."""

    parallel: str = "1"
    oversubscribe: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no number.

        Raises:
            UsageError: it is neither a number from 1 to 999 nor `auto`.
        """
        if self.parallel != "auto" and not 1 <= _number(self.parallel) <= 999:
            raise UsageError(f"--parallel {self.parallel}: write a number from 1 on, or auto")
        if self.oversubscribe and self.parallel == "1":
            raise UsageError("--oversubscribe says nothing without --parallel 2 or more")

    @property
    def words(self) -> list[str]:
        """As the command line that continues a run says it."""
        words = [] if self.parallel == "1" else ["--parallel", self.parallel]
        return words + (["--oversubscribe"] if self.oversubscribe else [])

    def count(self, works: "Sequence[Planned]") -> int:
        """How many run side by side.

        Raises:
            UsageError: they would disturb each other.
        """
        from fivenines.runner.workers.room import Need, Room, require_room

        if self.parallel == "1":
            return 1
        needs = [Need.of([*one.duets, *one.trials], one.experiment) for one in works]
        need = Need(max(one.hosts for one in needs), max(one.memory for one in needs))
        room = Room.here()
        if self.parallel == "auto":
            return room.fits(need)
        require_room(int(self.parallel), need, room, self.oversubscribe)
        return int(self.parallel)


def workers(count: int) -> "Sequence[Worker]":
    """Those of this machine; none where this process runs one trial after another."""
    from fivenines.runner.workers.process import on_this_machine

    return on_this_machine(count) if count > 1 else ()


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
