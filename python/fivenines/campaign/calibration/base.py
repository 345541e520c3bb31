"""Base class of calibrators, which plant a known effect and report what fivenines measured.

Every file of this package that defines a `Calibrator` is discovered, see `plugins.classes`. Judgement is in
`judging.py`, separate from measurement: it is pure, and tested with synthetic figures.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fivenines.base import plugins
from fivenines.base.errors import UsageError
from fivenines.results.calibration import Line

# The default engine, which is part of fivenines: every machine can be calibrated without root.
ENGINE = "postgres-18"

# Callback with the current step in a few words.
Tell = Callable[[str], None]


@dataclass(frozen=True)
class CalibrationContext:
    """Environment of a calibrator.

    Attributes:
        folder: scratch folder, removed afterwards.
        tell: callback for progress.
        short: whether to use few repetitions, for a first check and for tests.
        seed: seed of random choices.
    """

    folder: Path
    tell: Tell
    short: bool = False
    seed: int = 1


class Calibrator(ABC):
    """Plants one kind of known effect."""

    # Name for `--only`.
    name: ClassVar[str]
    title: ClassVar[str]
    # Rank among calibrators.
    order: ClassVar[int]
    # Approximate duration: in full, and when short.
    seconds: ClassVar[tuple[float, float]]

    @abstractmethod
    def measure(self, context: CalibrationContext) -> list[Line]:
        """Plant, measure, judge.

        Raises:
            FiveninesError: the measurement failed; the message has the reason.
        """


def calibrators() -> list[type[Calibrator]]:
    """Return all calibrators, in the order in which they run."""
    classes = plugins.classes("fivenines.campaign.calibration", Calibrator)  # type: ignore[type-abstract]
    return sorted(classes, key=lambda kind: kind.order)


def chosen(only: str) -> list[type[Calibrator]]:
    """Return the calibrators that a text names, as `outages,links`; all if it is empty.

    Raises:
        UsageError: no calibrator has such a name.
    """
    every = {kind.name: kind for kind in calibrators()}
    names = [name.strip() for name in only.split(",") if name.strip()]
    for name in names:
        if name not in every:
            raise UsageError(f"calibrate: unknown step {name!r}\n    allowed: {', '.join(every)}")
    return [kind for name, kind in every.items() if not names or name in names]
