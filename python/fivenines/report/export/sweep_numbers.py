"""Export all figures of a sweep for other programs."""

from typing import Any

from fivenines.analysis.performance.sweeps import Sweep, Unit
from fivenines.analysis.statistics.means import Difference
from fivenines.report.export.plain import plain


def sweep_numbers(sweep: Sweep) -> dict[str, Any]:
    """Return all figures of a sweep; times in ms, rates per second."""
    return {
        "solution": sweep.name,
        "by": sweep.by.name,
        "higher_is_better": bool(sweep.by.more),
        "judged_on": "same-trials" if sweep.same_trials else "other-trials",
        "variants": {name: dict(variant.settings) for name, variant in sweep.variants.items()},
        "best_cases": [_best_figures(unit) for unit in sweep.units],
    }


def _best_figures(unit: Unit) -> dict[str, Any]:
    conditions, choice = unit.conditions, unit.choice
    if choice is None:
        return {"conditions": conditions, "best": None}
    against, optimism = choice.against(choice.next) if choice.next else None, choice.optimism
    return {
        "conditions": conditions,
        "best": choice.best.name,
        "next": choice.next.name if choice.next else None,
        "verdict": choice.verdict,
        "best_against_next": difference_numbers(against) if against else None,
        "choosing_against_reporting": difference_numbers(optimism) if optimism else None,
        "halves": [
            {
                "variant": one.name,
                "choosing": [plain(summary) for summary in one.choosing.strata.values()],
                "reporting": [plain(summary) for summary in one.reporting.strata.values()],
                "choosing_bounds": one.choosing.bounds,
                "reporting_bounds": one.reporting.bounds,
            }
            for one in choice.candidates
        ],
        "left_out": list(choice.left_out),
    }


def difference_numbers(difference: Difference) -> dict[str, float | None]:
    """Return a difference and its ratio, with the ends of their intervals."""
    names = ("absolute", "low", "high", "ratio", "ratio_low", "ratio_high")
    return {name: getattr(difference, name) for name in names}
