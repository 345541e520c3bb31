"""Wording of numbers and comparisons."""

import math
from dataclasses import dataclass

from fivenines.analysis.measures.measures import Measure
from fivenines.analysis.statistics.means import Difference, Summary
from fivenines.analysis.statistics.rounding import Rounding, rounding

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
THIN = "\N{NARROW NO-BREAK SPACE}"


@dataclass(frozen=True)
class Words:
    """Words for comparisons of a measure: "a is 23 % faster than b", "a is 4 times as fast as b"."""

    more: str
    less: str
    as_much: str
    unit: str = ""


SPEED = Words("faster", "slower", "as fast", "transactions/s")
DURATION = Words("longer", "shorter", "as long", "ms")


def words_of_measure(measure: Measure) -> Words:
    """Return the words for a measure's values."""
    if measure.name == "tps":
        return SPEED
    return DURATION if measure.milli else Words("higher", "lower", "as high", measure.unit)


def number(value: float) -> str:
    """Format a number with three significant digits and grouped thousands: 0.0123, 4.56, 78.9, 1 230, 45
    678.
    """
    if not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    if isinstance(value, int):
        return f"{value:,}".replace(",", THIN).replace("-", MINUS)
    size = abs(value)
    digits = max(0, 2 - math.floor(math.log10(size))) if size < 1000 else 0
    text = f"{size:,.{digits}f}".replace(",", THIN)
    if digits and float(f"{size:.{digits}f}") >= 100:
        text = f"{size:.0f}"
    return text if value > 0 else f"{MINUS}{text}"


def milliseconds(value: float) -> str:
    """Format a time with a suitable unit: 870 µs, 12.3 ms, 6.12 s."""
    size = abs(value)
    if size >= 1000:
        return f"{number(value / 1000)} s"
    if 0 < size < 1:
        return f"{number(value * 1000)} µs"
    return f"{number(value)} ms"


def percent(value: float, signed: bool = False) -> str:
    """Return a percentage without its sign %, in whole numbers from 10 on."""
    digits = 0 if abs(value) >= 10 else 1
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return "0"
    sign = MINUS if value < 0 else "+" if signed else ""
    return sign + text


# Reason of a lower bound: service was still unavailable when the load, or the fault's window, ended.
NOT_RECOVERED = "not recovered"

# Reason of a lower bound: a phase did not end.
NOT_ENDED = "not ended"


def mean_of_measure(summary: Summary, measure: Measure, why: str = NOT_RECOVERED) -> str:
    """Format the mean and interval of a measure in a suitable unit."""
    if measure.signed and summary.ci_low is not None and summary.ci_high is not None:
        return f"{number(summary.mean or 0.0)} ({number(summary.ci_low)} to {number(summary.ci_high)})"
    return mean_with_interval(summary, measure.milli, why)


def mean_with_interval(summary: Summary, milli: bool = False, why: str = NOT_RECOVERED) -> str:
    """Return the mean and its interval, as "1 230 (1 180 to 1 280)"; a dash without values.

    Rates, times and counts are never negative, so the interval is cut at 0; for other measures see
    `mean_of_measure`. With lower bounds among the values the text is "at least" the mean, with their number.
    """
    if summary.mean is None:
        return NOTHING
    show = milliseconds if milli else number
    if summary.bounds:
        return at_least(show(summary.mean), summary.bounds, summary.n, why)
    if summary.ci_low is None or summary.ci_high is None:
        return show(summary.mean)
    return bearable(summary.mean, summary.ci_low, summary.ci_high, milli)


def bearable(mean: float, low: float, high: float, milli: bool = False) -> str:
    """Return the mean and its interval, rounded to certain digits: "900 (500 to 1 300)"."""
    first, ends = bearable_parts(mean, low, high, milli)
    return f"{first} ({ends})"


def bearable_parts(mean: float, low: float, high: float, milli: bool = False) -> tuple[str, str]:
    """Return mean and interval as two texts; a time has the unit of its larger end."""
    low = max(0.0, low)
    show = milliseconds if milli else number
    if (result := rounding(mean, low, high)) is None:
        return show(mean), span(low, high, milli)
    unit, scale = _unit(max(mean, high)) if milli else ("", 1.0)
    if scale != 1.0:
        result = Rounding(result.exponent + round(math.log10(scale)))
    first, *ends = (result.text(scale * value).replace(",", THIN) for value in (mean, low, high))
    return f"{first}{unit}", f"{' to '.join(dict.fromkeys(ends))}{unit}"


def _unit(ms: float) -> tuple[str, float]:
    """Return the unit that suits a time, and what ms are multiplied by."""
    if ms >= 1000:
        return " s", 1e-3
    return (" ms", 1.0) if ms >= 1 else (" µs", 1e3)


def at_least(text: str, bounds: int, n: int, why: str = NOT_RECOVERED) -> str:
    """Format a lower bound: "at least 7.99 s (not back in 1 of 2 trials)".

    Returns the text itself if no value is a bound. For a single trial: "at least 7.99 s (not back)".
    """
    if not bounds:
        return text
    return f"at least {text} ({why}{open_in(bounds, n)})"


def open_in(bounds: int, n: int) -> str:
    """Return " in 1 of 2 trials", or an empty text for a single trial."""
    return f" in {bounds} of {count(n, 'trial')}" if n > 1 else ""


def span(low: float, high: float, milli: bool = False) -> str:
    """Format a range, with the unit only once if both ends have the same: "4.1 to 4.4 s"."""
    show = milliseconds if milli else number
    first, last = show(low), show(high)
    if first == last:
        return last
    value, _, unit = first.rpartition(" ")
    if value and last.endswith(f" {unit}"):
        first = value
    return f"{first} to {last}"


def count(n: int, text: str, many: str = "") -> str:
    """Return a number with its noun: "1 trial", "3 trials"."""
    return f"{n} {text if n == 1 else many or text + 's'}"


def listed(items: list[str], last: str = "and") -> str:
    """Join items to a list in words: "a", "a and b", "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def clause(b: str, difference: Difference, words: Words) -> str:
    """Return a comparison with b as a part of a sentence: "23 % faster than b (15 to 31 %)"."""
    if difference.bounded and difference.absolute is not None:
        return _bounded_clause(b, difference, words)
    if difference.absolute is None or not difference.known:
        return f"not comparable with {b} (too few trials)"
    if not difference.differs:
        parts, unit = _sizes(difference, words)
        low, high = (_part(part, unit, signed=True) for part in parts[1:])
        return f"not shown to differ from {b} ({low} to {high} {unit})"
    return _differing(b, difference, words)


def sentence(a: str, b: str, difference: Difference, words: Words) -> str:
    """Return the comparison in plain words, as "A is 23 % faster than B (95 % interval 15 to 31 %)".

    Where the interval of the difference holds 0: "A and B are not shown to differ (...)". Per cent
    are of b's mean; where b may be 0 the difference stands in the measure's unit instead.
    """
    if difference.bounded and difference.absolute is not None:
        return _bounded_sentence(a, b, difference, words)
    if difference.absolute is not None and not difference.known and min(difference.a.n, difference.b.n) > 1:
        few = f"a few values that are all equal prove nothing ({difference.a.n} and {difference.b.n})"
        return f"{a} and {b} cannot be compared: {few}."
    if difference.absolute is None or not difference.known:
        return (
            f"{a} and {b} cannot be compared: each must have two complete trials"
            f" (they have {difference.a.n} and {difference.b.n})."
        )
    if not difference.differs:
        return f"{a} and {b} are not shown to differ ({_no_difference(difference, words)})."
    return f"{a} is {_differing(b, difference, words, f'{_level(difference)} ')}.".replace("  ", " ")


def _differing(b: str, difference: Difference, words: Words, level: str = "") -> str:
    """Return a shown difference in words: "4 times as fast as b (3 to 5)", "23 % faster than b (15 to 31
    %)".
    """
    if (ratios := _ratios(difference)) and (difference.ratio or 0) >= 2:
        ratio, low, high = map(number, ratios)
        return f"{ratio} times {words.as_much} as {b} ({level}{low} to {high})"
    parts, unit = _sizes(difference, words)
    direction = words.more
    if (difference.absolute or 0.0) < 0:
        parts, direction = [-parts[0], -parts[2], -parts[1]], words.less
    main, low, high = (_part(part, unit) for part in parts)
    return f"{main} {unit} {direction} than {b} ({level}{low} to {high} {unit})"


def _bounded_sentence(a: str, b: str, difference: Difference, words: Words) -> str:
    """Return a sentence with the bounds that are certain although service did not recover in some trials."""
    why = _not_recovered(a, b, difference)
    if difference.differs:
        least = _least(difference, words)
        return f"{a} is at least {least} than {b} ({_level(difference)}; {why})."
    if difference.a.bounds and difference.b.bounds:
        return f"{a} and {b} cannot be compared: {why}."
    return f"{a} and {b} are not shown to differ: {why}, so its mean is a lower bound."


def _bounded_clause(b: str, difference: Difference, words: Words) -> str:
    why = _not_recovered("it", b, difference)
    if difference.differs:
        return f"at least {_least(difference, words)} than {b} ({why})"
    return f"not shown to differ from {b} ({why})"


def _not_recovered(a: str, b: str, difference: Difference) -> str:
    """Return the side whose values are lower bounds: "a was not back in 1 of 2 trials"."""
    sides = ((a, difference.a), (b, difference.b))
    return listed(
        [f"{name} did not recover{open_in(item.bounds, item.n)}" for name, item in sides if item.bounds]
    )


def _least(difference: Difference, words: Words) -> str:
    """Return the end of a difference that is known: "3.21 s longer"."""
    end = difference.low if difference.low is not None else difference.high
    size = abs(end or 0.0)
    text = milliseconds(size) if words.unit == "ms" else f"{number(size)} {words.unit}".strip()
    return f"{text} {words.more if (end or 0.0) > 0 else words.less}"


def _no_difference(difference: Difference, words: Words) -> str:
    parts, unit = _sizes(difference, words)
    main, low, high = (_part(part, unit, signed=True) for part in parts)
    text = f"difference {main} {unit}, {_level(difference)} {low} to {high} {unit}"
    return text.replace(" ,", ",").strip()


def _sizes(difference: Difference, words: Words) -> tuple[list[float], str]:
    """Difference, lower and upper end: per cent of b where that is possible, else in the unit."""
    ratios = _ratios(difference)
    if ratios:
        return [100 * (value - 1) for value in ratios], "%"
    values = (difference.absolute, difference.low, difference.high)
    return [value for value in values if value is not None], words.unit


def _ratios(difference: Difference) -> list[float]:
    """Ratio, lower and upper end; nothing where b is not clearly above 0."""
    ratio, low, high = difference.ratio, difference.ratio_low, difference.ratio_high
    if ratio is None or low is None or high is None or (difference.b.mean or 0) <= 0:
        return []
    return [ratio, low, high]


def _part(value: float, unit: str, signed: bool = False) -> str:
    if unit == "%":
        return percent(value, signed)
    return ("+" if signed and value > 0 else "") + number(value)


def _level(difference: Difference) -> str:
    return f"{100 * difference.confidence:g} % interval"
