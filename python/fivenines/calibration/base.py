"""What every calibrator is: a file that plants something known, and says what was measured of it.

A file of this package that defines a `Calibrator` is found and run, see `plugins.classes`. How a file judges
is in `judging.py`, apart from how it measures: judging is pure, and tested with figures made by hand.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fivenines import plugins
from fivenines.errors import UsageError
from fivenines.results.calibration import Line

# The default engine, which comes with fivenines: every machine can be calibrated without root.
ENGINE = "postgres-18"

# Told what is done now, in a few words.
Tell = Callable[[str], None]


@dataclass(frozen=True)
class CalibrationContext:
    """Where and how a calibrator works.

    Attributes:
        folder: its own scratch folder, removed afterwards.
        tell: progress.
        short: with few repetitions, for a first look and for tests.
        seed: of what is left to chance.
    """

    folder: Path
    tell: Tell
    short: bool = False
    seed: int = 1


class Calibrator(ABC):
    """Plants one kind of known error."""

    # As `--only` calls it.
    name: ClassVar[str]
    title: ClassVar[str]
    # Its place among the others.
    order: ClassVar[int]
    # About how long it takes: in full, and when short.
    seconds: ClassVar[tuple[float, float]]

    @abstractmethod
    def measure(self, context: CalibrationContext) -> list[Line]:
        """Plant, measure, judge.

        Raises:
            FiveninesError: it could not be measured here; says why.
        """


def calibrators() -> list[type[Calibrator]]:
    """Return all of them, in the order in which they run."""
    classes = plugins.classes("fivenines.calibration", Calibrator)  # type: ignore[type-abstract]
    return sorted(classes, key=lambda kind: kind.order)


def chosen(only: str) -> list[type[Calibrator]]:
    """Return those that a text names, as `outages,links`; all if it is empty.

    Raises:
        UsageError: none is called so.
    """
    every = {kind.name: kind for kind in calibrators()}
    names = [name.strip() for name in only.split(",") if name.strip()]
    for name in names:
        if name not in every:
            raise UsageError(f"calibrate: nothing is called {name!r}\n    allowed: {', '.join(every)}")
    return [kind for name, kind in every.items() if not names or name in names]
