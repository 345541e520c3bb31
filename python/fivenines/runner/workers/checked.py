"""What a machine finds out about itself before trials run there: `doctor`, and `calibrate` if asked to."""

from dataclasses import dataclass

from fivenines import private
from fivenines.calibration.base import chosen
from fivenines.calibration.run import Listener
from fivenines.calibration.run import calibrate as run
from fivenines.doctor import Check, examine
from fivenines.results.calibration import Step


@dataclass(frozen=True)
class Checked:
    """The checks of a machine, and what was calibrated now."""

    checks: tuple[Check, ...]
    steps: tuple[Step, ...]

    @property
    def failed(self) -> bool:
        """Return whether no experiment can run there."""
        return any(check.state == "failed" for check in self.checks)


def checked(*, calibrate: bool, quick: bool) -> Checked:
    """Check this machine; what is calibrated is kept in its cache, too.

    Raises:
        FiveninesError: somebody calibrates here now.
    """
    steps: list[Step] = []
    with private.alone():
        if calibrate:
            silent = Listener(lambda _number, _name: None, lambda _text: None, steps.append)
            run(chosen(""), silent, short=quick)
        return Checked(tuple(examine()), tuple(steps))
