"""How often hiccups are expected, and how long they last.

A model is written as text, or fitted from a file of observed stalls:

    freeze 4/month lognormal 2s..8s      the middle 90 % of lengths are between 2 and 8 s
    partition 1/week uniform 1s..5s
    freeze 10/year exponential 3s        3 s is the mean
    freeze 2/day fixed 1500ms
    freeze from stalls.csv               a CSV file with the columns start and length
    freeze from stalls.csv over 90d      the file covers 90 days

Distributions are represented by lengths of equal probability. The rate of a file has the uncertainty of a
Poisson process: after n stalls in a time T it is Gamma(n + 1/2) / T (Jeffreys prior; Gelman and others,
Bayesian Data Analysis, ch. 2). Without `over` the time reaches from the first to the last stall, which are
then no evidence of the rate themselves: n - 1 stalls are.
"""

import csv
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fivenines.analysis.availability.needless import HICCUPS
from fivenines.base.lengths import parse_lengths
from fivenines.base.spelling import nearest
from fivenines.base.units import YEAR, format_duration, parse_duration

Floats = NDArray[np.float64]

# Seconds of the periods of a rate.
PERIODS = {"hour": 3600.0, "day": 86_400.0, "week": 604_800.0, "month": YEAR / 12, "year": YEAR}

EXAMPLES = "'freeze 4/month lognormal 2s..8s', 'partition 1/week fixed 3s', 'freeze from stalls.csv'"

# Largest number of observed lengths that an experiment file lists: the longest matter most.
LISTED = 1000

# A start from here on is no time of Unix in seconds: 10^11 s are the year 5138, 10^11 ms the year 1973.
_MILLISECONDS = 1e11

_RATE = re.compile(
    r"(?P<fault>[\w-]+)\s+(?P<number>\d+(?:\.\d+)?)\s*(?:/|per\s+)\s*(?P<period>\w+)\s+"
    r"(?P<lengths>\w+\s+\S.*)"
)
_FILE = re.compile(r"(?P<fault>[\w-]+)\s+from\s+(?P<file>.+?)(?:\s+over\s+(?P<over>\S+))?")


@dataclass(frozen=True, eq=False)
class Hiccups:
    """Expected hiccups of one kind.

    Attributes:
        fault: kind of fault.
        lengths: lengths in seconds, of equal probability; shape (n,), ascending.
        events: number of stalls that the rate is known from; inf: the rate is exact.
        seconds: time in which so many stalls occurred, in seconds; with an exact rate, seconds per hiccup.
        text: the model as the user wrote it.
        shape: their distribution, as an experiment file has it; of a file's lengths at most `LISTED`.
    """

    fault: str
    lengths: Floats
    events: float
    seconds: float
    text: str
    shape: str

    @property
    def per_year(self) -> float:
        """Return the expected number a year."""
        events = 1.0 if math.isinf(self.events) else self.events
        return YEAR * events / self.seconds

    def rates(self, count: int, generator: np.random.Generator) -> Floats:
        """Return draws of the number a year; shape (count,)."""
        if math.isinf(self.events):
            return np.full(count, self.per_year)
        return np.asarray(generator.gamma(self.events + 0.5, YEAR / self.seconds, count), dtype=np.float64)

    def longest(self) -> float:
        """Return the length, in seconds, that 99.9 % of the hiccups do not exceed."""
        return float(np.quantile(self.lengths, 0.999))

    def range(self) -> tuple[float, float]:
        """Return the range of lengths, in seconds, outside which a threshold hardly matters."""
        shortest, longest = np.quantile(self.lengths, (0.01, 0.99))
        return max(0.1, float(shortest) / 2), max(0.5, float(longest) * 2)


def parse_hiccups(text: str) -> Hiccups:
    """Parse a model.

    Raises:
        ValueError: the text is no model, or its file has an error; the message says what to write instead.
    """
    stripped = text.strip()
    if match := _FILE.fullmatch(stripped):
        fault = _fault(match["fault"])
        over = None if match["over"] is None else parse_duration(match["over"])
        return _from_file(fault, Path(match["file"]), over, stripped)
    match = _RATE.fullmatch(stripped)
    if match is None:
        raise ValueError(
            f"{text!r} is not a model of hiccups: write a fault, a rate and a distribution of lengths, or a "
            f"file, as in {EXAMPLES}"
        )
    fault, number = _fault(match["fault"]), float(match["number"])
    if number <= 0:
        raise ValueError(f"{text!r}: the rate must be above 0")
    period = match["period"]
    if period not in PERIODS:
        raise ValueError(f"{text!r}: {period!r} is not a period: write one of {', '.join(PERIODS)}")
    known = parse_lengths(match["lengths"])
    lengths = np.array(known.seconds, dtype=np.float64)
    return Hiccups(fault, lengths, math.inf, PERIODS[period] / number, stripped, known.text)


def _fault(name: str) -> str:
    if name not in HICCUPS:
        raise ValueError(
            f"{name!r} is not a fault that kills no server and ends by itself{nearest(name, sorted(HICCUPS))}"
            f"\n    allowed: {', '.join(sorted(HICCUPS))}"
        )
    return name


def _from_file(fault: str, path: Path, over: float | None, text: str) -> Hiccups:
    stalls = sorted(_stalls(path))
    if len(stalls) < 2:
        raise ValueError(f"{path}: it has {len(stalls)} stalls; write at least 2")
    lengths = np.sort(np.array([length for _, length in stalls], dtype=np.float64))
    span = stalls[-1][0] - stalls[0][0]
    if over is None:
        if span <= 0:
            raise ValueError(f"{path}: all stalls start at the same moment; add the time, as over 90d")
        return Hiccups(fault, lengths, len(stalls) - 1, span, text, _one_of(lengths))
    if over < span:
        raise ValueError(f"{path}: its stalls span {format_duration(round(span))}, more than `over`")
    return Hiccups(fault, lengths, len(stalls), over, text, _one_of(lengths))


def _one_of(lengths: Floats) -> str:
    """Return observed lengths as a distribution: all, or their quantiles at equal distances."""
    number = min(len(lengths), LISTED)
    chosen = np.quantile(lengths, (np.arange(number) + 0.5) / number, method="inverted_cdf")
    return f"one of {', '.join(format_duration(max(0.001, round(float(one), 3))) for one in chosen)}"


def _stalls(path: Path) -> Iterator[tuple[float, float]]:
    """Yield start and length of each stall of a file, both in seconds."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', '') or 'it is not text in UTF-8'}") from None
    rows = csv.reader(lines)
    header = [name.strip().lower() for name in next(rows, [])]
    if not {"start", "length"} <= set(header):
        raise ValueError(
            f"{path}:1: the columns start and length are missing: begin with `start,length`, and "
            "separate with commas"
        )
    for row in rows:
        where = f"{path}:{rows.line_num}"
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < len(header):
            raise ValueError(f"{where}: {len(row)} values, but {len(header)} columns")
        values = dict(zip(header, (cell.strip() for cell in row), strict=False))
        length = _seconds(values["length"])
        start = _moment(values["start"])
        if length is None or not 0 < length < math.inf:
            raise ValueError(
                f"{where}: {values['length']!r} is not a length: write seconds above 0, as 2.5, or 2500ms"
            )
        if start is None or not math.isfinite(start):
            raise ValueError(
                f"{where}: {values['start']!r} is not a moment: write 2026-11-29T13:00:00Z, or seconds"
            )
        if start >= _MILLISECONDS:
            raise ValueError(
                f"{where}: {values['start']} seconds are beyond the year 5000, as of a clock in "
                "milliseconds: write start and length in seconds"
            )
        yield start, length


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return parse_duration(text)
    except ValueError:
        return None


def _moment(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
