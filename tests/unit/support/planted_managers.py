"""Simulated failover managers with a known threshold, and campaigns of hiccups against them."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fivenines.analysis.statistics.psychometric import Outcome
from fivenines.analysis.statistics.threshold import Design, Threshold, estimate, next_length

Random = np.random.Generator

# A measured length is up to this share longer than the wanted one, plus the seconds.
_LONGER, _LATER = 0.01, 0.002


@dataclass(frozen=True)
class Manager:
    """Chance of a failover at a length in seconds; `lapse`: share of outcomes independent of it."""

    threshold: float
    chance: Callable[[float], float]
    lapse: float = 0.0

    def fails_over(self, length: float, random: Random) -> bool:
        """Draw an outcome."""
        chance = self.lapse + (1 - 2 * self.lapse) * self.chance(length)
        return bool(random.random() < chance)


def step(at: float, lapse: float = 0.0) -> Manager:
    return Manager(at, lambda length: float(length >= at), lapse)


def ramp(begin: float, end: float, lapse: float = 0.0) -> Manager:
    """A manager with a timeout of `begin` seconds that polls every `end - begin` seconds."""
    return Manager(
        (begin + end) / 2, lambda length: min(max((length - begin) / (end - begin), 0.0), 1.0), lapse
    )


def logistic(at: float, spread: float, lapse: float = 0.0) -> Manager:
    """A logistic manager; `spread` is the length in seconds from a chance of 10 % to one of 90 %."""
    scale = spread / (2 * math.log(9))
    return Manager(at, lambda length: 1 / (1 + math.exp(-min(max((length - at) / scale, -500), 500))), lapse)


def any_step(random: Random) -> Manager:
    return step(_any_threshold(random))


def any_ramp(random: Random) -> Manager:
    """A ramp with a log-uniform threshold and a width of 2 to 80 % of it, with 2 % lapses."""
    middle, half = _any_threshold(random), random.uniform(0.01, 0.4)
    return ramp(middle * (1 - half), middle * (1 + half), 0.02)


def _any_threshold(random: Random) -> float:
    return math.exp(random.uniform(math.log(0.3), math.log(60)))


Maker = Callable[[Random], Manager]
MANAGERS: dict[str, Maker] = {
    "step at 3 s": lambda _: step(3),
    "step at 3 s, 2 % lapses": lambda _: step(3, 0.02),
    "ramp 3 to 4 s": lambda _: ramp(3, 4),
    "ramp 20 to 30 s": lambda _: ramp(20, 30),
    "ramp 20 to 30 s, 2 % lapses": lambda _: ramp(20, 30, 0.02),
    "logistic at 3 s, spread 0.5 s": lambda _: logistic(3, 0.5),
    "logistic at 10 s, spread 2 s": lambda _: logistic(10, 2),
    "logistic at 3 s, spread 2 s": lambda _: logistic(3, 2),
    "ramp 1 to 5 s": lambda _: ramp(1, 5),
    "ramp 0 to 10 s": lambda _: ramp(0, 10),
    "steps from 0.3 to 60 s": any_step,
    "ramps from 0.3 to 60 s, 2 % lapses": any_ramp,
}


def search(manager: Manager, design: Design, random: Random) -> list[Outcome]:
    """Return the outcomes of one campaign."""
    outcomes: list[Outcome] = []
    while (wanted := next_length(outcomes, design)) is not None:
        length = wanted * (1 + _LONGER * random.random()) + _LATER
        outcomes.append(Outcome(length, manager.fails_over(length, random)))
    return outcomes


@dataclass(frozen=True)
class Found:
    """Result of one simulated campaign."""

    manager: Manager
    outcomes: list[Outcome]
    result: Threshold

    @property
    def covered(self) -> bool:
        """Return whether the interval contains the threshold; an unknown end contains everything."""
        low, high = self.result.low or 0.0, self.result.high or math.inf
        return self.result.state != "inconsistent" and low <= self.manager.threshold <= high


def campaigns(make: Maker, number: int, design: Design, seed: int = 1) -> list[Found]:
    """Return the results of simulated campaigns."""
    random = np.random.default_rng(seed)
    results = []
    for _ in range(number):
        manager = make(random)
        outcomes = search(manager, design, random)
        results.append(Found(manager, outcomes, estimate(outcomes, design)))
    return results
