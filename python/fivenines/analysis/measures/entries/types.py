"""Measures of one type of transaction, as the workload names it: `spread:batch_of_ten`."""

import re

from fivenines.analysis.measures.entries.resources import Family
from fivenines.analysis.measures.measure import Measure, TrialMeasures, Value, known


def _spread(rest: str) -> Measure:
    if not re.fullmatch(r"[A-Za-z]\w*", rest, re.ASCII):
        raise ValueError(
            f"'spread:{rest}' names no type of transaction: write one of the workload's, such as "
            "spread:batch_of_ten"
        )

    def get(trial: TrialMeasures) -> Value | None:
        found = next((item.latency for item in trial.types if item.counts.name == rest), None)
        return known(found.p95 / found.p50) if found is not None and found.p50 else None

    return Measure(
        f"spread:{rest}",
        f"Spread of {rest}",
        f"95th percentile over the median response time of {rest}",
        "amount",
        source="a load of several types",
        value=get,
    )


FAMILIES: dict[str, Family] = {
    "spread": Family(
        {"spread:TYPE": "95th percentile over the median response time of a type of transaction"}, _spread
    )
}
