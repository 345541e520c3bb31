"""Runs calibrators one after another; what each found is kept at once, so that nothing done is lost."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

from fivenines import locks
from fivenines.calibration.base import CalibrationContext, Calibrator, Tell, calibrators
from fivenines.errors import FiveninesError, brief
from fivenines.lab.lab import remove_tree
from fivenines.lab.machine import describe
from fivenines.results import calibrations
from fivenines.results.calibration import Calibration, Step

_SCRATCH = "work-"
_ADVICE = "wait until it is done: two at once would disturb each other"


@dataclass(frozen=True)
class Listener:
    """Who hears how a calibration goes on."""

    # The number (from 1) and name of what begins.
    begin: Callable[[int, str], None]
    # Progress.
    tell: Tell
    # Each step that is finished.
    done: Callable[[Step], None]


def calibrate(kinds: Sequence[type[Calibrator]], listener: Listener, *, short: bool) -> Calibration:
    """Measure and keep; the calibration of this machine afterwards, with steps of before.

    KeyboardInterrupt passes.

    Raises:
        UsageError: somebody calibrates here now; says who.
        FiveninesError: nothing can be kept here, or nothing was to be done.
    """
    folder = calibrations.folder()
    folder.mkdir(parents=True, exist_ok=True)
    with locks.held(folder / "lock", "the calibration of this machine", _ADVICE, remove=True):
        for left in folder.glob(f"{_SCRATCH}*"):  # by one that was killed
            remove_tree(left)
        return _calibrated(kinds, listener, short)


def _calibrated(kinds: Sequence[type[Calibrator]], listener: Listener, short: bool) -> Calibration:
    machine = describe()
    names = [kind.name for kind in calibrators()]
    calibration: Calibration | None = None
    for number, kind in enumerate(kinds, start=1):
        listener.begin(number, kind.name)
        step = _step(kind, short, listener.tell)
        calibration = calibrations.keep(step, names, machine)
        listener.done(step)
    if calibration is None:
        raise FiveninesError("calibrate: nothing was to be done")
    return calibration


def _step(kind: type[Calibrator], short: bool, tell: Tell) -> Step:
    """One calibrator's lines; what could not be measured is a failure of the step, and says why."""
    began, at = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    folder = Path(mkdtemp(prefix=_SCRATCH, dir=calibrations.folder()))
    lines, failure = [], ""
    try:
        lines = kind().measure(CalibrationContext(folder, tell, short))
    except FiveninesError as error:
        failure = str(error)
    except Exception as error:  # as in a trial: the others go on
        failure = f"{type(error).__name__}: {brief(error)}"
    finally:
        remove_tree(folder)
    return Step(
        name=kind.name,
        title=kind.title,
        at=at,
        seconds=round(time.monotonic() - began, 1),
        short=short,
        lines=lines,
        failure=failure,
    )
