"""Runs calibrators one after another, and stores each result at once."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

from fivenines.base import locks
from fivenines.base.errors import FiveninesError, brief
from fivenines.campaign.calibration.base import CalibrationContext, Calibrator, Tell, calibrators
from fivenines.lab.lab import remove_tree
from fivenines.lab.machine import describe
from fivenines.results import calibrations
from fivenines.results.calibration import Calibration, Step

_SCRATCH = "work-"
_ADVICE = "wait until it ends: two at once would disturb each other"


@dataclass(frozen=True)
class Listener:
    """Callbacks for the progress of a calibration."""

    # Number (from 1) and name of a step that begins.
    begin: Callable[[int, str], None]
    # Progress.
    tell: Tell
    # Each finished step.
    done: Callable[[Step], None]


def calibrate(kinds: Sequence[type[Calibrator]], listener: Listener, *, short: bool) -> Calibration:
    """Run calibrators and store their results; return this machine's calibration with earlier steps.

    KeyboardInterrupt passes.

    Raises:
        UsageError: another process calibrates this machine; the message names it.
        FiveninesError: results cannot be stored, or there was no step to run.
    """
    folder = calibrations.folder()
    folder.mkdir(parents=True, exist_ok=True)
    with locks.held(folder / "lock", "the calibration of this machine", _ADVICE, remove=True):
        for left in folder.glob(f"{_SCRATCH}*"):  # left by a process that was killed
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
        raise FiveninesError("calibrate: there is no step to run")
    return calibration


def _step(kind: type[Calibrator], short: bool, tell: Tell) -> Step:
    """Run a calibrator; an error becomes the failure of the step."""
    began, at = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    folder = Path(mkdtemp(prefix=_SCRATCH, dir=calibrations.folder()))
    lines, failure = [], ""
    try:
        lines = kind().measure(CalibrationContext(folder, tell, short))
    except FiveninesError as error:
        failure = str(error)
    except Exception as error:  # as in a trial: the other steps continue
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
