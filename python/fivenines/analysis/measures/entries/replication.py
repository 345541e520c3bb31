"""Measures of replication: time to execution, lag, checkpoints and stale reads."""

from fivenines.analysis.measures.measure import SPREAD, Get, Measure, TrialMeasures, Value, known, part


def _lag(side: str, words: str, source: str) -> tuple[Measure, ...]:
    stem = f"{side}_lag"

    def get(figure: str) -> Get:
        return lambda trial: known(getattr(getattr(trial.steady, side), figure, None))

    return (
        Measure(
            f"{stem}_max",
            f"{side.capitalize()} lag, max",
            f"largest replication lag {words}",
            "time",
            source=source,
            steady=True,
            value=get("max"),
        ),
        Measure(
            f"{stem}_mean",
            f"{side.capitalize()} lag, mean",
            f"mean replication lag {words}",
            "time",
            source=source,
            steady=True,
            value=get("mean"),
        ),
        Measure(
            f"{stem}_growth",
            f"{side.capitalize()} lag, growth",
            f"growth of the replication lag {words}",
            "amount",
            unit="ms/s",
            source=source,
            signed=True,
            steady=True,
            value=get("growth"),
        ),
    )


def _stale_share(trial: TrialMeasures) -> Value | None:
    reads = trial.steady.reads
    return known(trial.steady.stale / reads) if reads else None


ENTRIES = (
    *(
        Measure(
            f"execution_{key}",
            f"{key} execution",
            f"time from sending to execution ({words})",
            "time",
            source="ledger",
            value=part(lambda trial: trial.truth.execution, key),
        )
        for key, words in SPREAD
    ),
    *_lag("reported", "that servers report", "observe.lag"),
    *_lag("actual", "by the ledger", "ledger"),
    Measure(
        "checkpoint_lag_max",
        "Checkpoint lag, max",
        "largest time since the last global checkpoint",
        "time",
        source="solution ndb",
        steady=True,
        value=part(lambda trial: trial.steady.checkpoint, "max"),
    ),
    Measure(
        "checkpoint_lag_mean",
        "Checkpoint lag, mean",
        "mean time since the last global checkpoint",
        "time",
        source="solution ndb",
        steady=True,
        value=part(lambda trial: trial.steady.checkpoint, "mean"),
    ),
    Measure(
        "stale_share",
        "Stale share",
        "share of reads that missed an acknowledged row",
        "share",
        source="ledger",
        steady=True,
        value=_stale_share,
    ),
)
