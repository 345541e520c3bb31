"""Checks of a machine before trials run there: `doctor`, and `calibrate` on request."""

from dataclasses import dataclass

from fivenines.base import private
from fivenines.campaign.calibration.base import chosen
from fivenines.campaign.calibration.run import Listener
from fivenines.campaign.calibration.run import calibrate as run
from fivenines.campaign.doctor import Check, examine
from fivenines.results.calibration import Step


@dataclass(frozen=True)
class Checked:
    """Results of a machine's checks and calibration."""

    checks: tuple[Check, ...]
    steps: tuple[Step, ...]

    @property
    def failed(self) -> bool:
        """Return whether the machine cannot run experiments."""
        return any(check.state == "failed" for check in self.checks)


def checked(*, calibrate: bool, quick: bool) -> Checked:
    """Check this machine; store a calibration in its cache.

    Raises:
        FiveninesError: another process calibrates this machine now.
    """
    steps: list[Step] = []
    with private.alone():
        if calibrate:
            silent = Listener(lambda _number, _name: None, lambda _text: None, steps.append)
            run(chosen(""), silent, short=quick)
        return Checked(tuple(examine()), tuple(steps))
