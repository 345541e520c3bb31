"""Validity of a calibration for a run: same machine, complete, recent, and within bounds."""

from datetime import datetime

from fivenines.analysis.wording import count, listed
from fivenines.results.basics import Machine
from fivenines.results.calibration import Calibration

# Age in days from which a calibration is called old: neighbours, firmware and load of a machine change.
OLD_DAYS = 30

HOW = "fivenines calibrate"


def doubts(calibration: Calibration | None, machine: Machine, version: str, moment: str) -> list[str]:
    """Return the reasons why a calibration may not be valid for a machine at a moment; [] if it is valid.

    `moment` is in ISO 8601.
    """
    if calibration is None or not calibration.steps:
        return ["this machine was not calibrated"]
    result = _other(calibration.machine, machine)
    if calibration.fivenines != version:
        result.append(f"it was made by fivenines {calibration.fivenines}, not {version}")
    first = min(datetime.fromisoformat(step.at) for step in calibration.steps)
    days = (datetime.fromisoformat(moment) - first).days
    if days > OLD_DAYS:
        result.append(f"it was {days} days old")
    if short := [step.name for step in calibration.steps if step.short]:
        result.append(f"it was a quick one, with few repetitions ({listed(short)})")
    if calibration.missing:
        result.append(f"it did not measure {listed(calibration.missing)}")
    return result


# Names of figures: how much trials of one solution spread, and ratios of its neighbouring windows.
TRIAL_SPREAD, ROUND_SPREAD = "trial_spread", "round_spread"


def spreads(calibration: Calibration | None) -> tuple[float, float] | None:
    """Return how much trials, and ratios of neighbouring windows, of one solution spread; None: not
    measured.
    """
    steps = calibration.steps if calibration else []
    result = {name: value for step in steps for line in step.lines for name, value in line.figures.items()}
    trials, rounds = result.get(TRIAL_SPREAD, 0.0), result.get(ROUND_SPREAD, 0.0)
    return (trials, rounds) if trials and rounds else None


def verdict(calibration: Calibration) -> str:
    """Return the verdict on all lines in one sentence."""
    judged = [line for step in calibration.steps for line in step.judged]
    out = {step.name: len(step.out) for step in calibration.steps if step.out}
    failed = [step.name for step in calibration.steps if step.failure]
    inside = sum(line.within is True for line in judged)
    text = f"{inside} of {count(len(judged), 'line')} within bounds"
    if out:
        text += f"; out of bounds: {listed([f'{name} ({n})' for name, n in out.items()])}"
    if failed:
        text += f"; failed: {listed(failed)}"
    return text


def _other(then: Machine, now: Machine) -> list[str]:
    """Return the differences between two machines that figures depend on."""
    if (then.hostname, then.cpu) != (now.hostname, now.cpu):
        return [f"it is of another machine ({then.hostname}, {then.cpu})"]
    result = []
    if then.kernel != now.kernel:
        result.append(f"it is of another kernel ({then.kernel})")
    if then.cores != now.cores:
        result.append(f"the machine had {count(then.cores, 'core')} then, and {now.cores} now")
    if then.user != now.user:
        who = {"root": "root", "ordinary": "an ordinary user"}
        result.append(f"it was made as {who[then.user]}, not as {who[now.user]}")
    return result
