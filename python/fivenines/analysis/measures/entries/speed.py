"""Measures of the work that a load has done: rates, response times, fixed work, variation and stalls."""

from fivenines.analysis.measures.measure import SPREAD, Measure, TrialMeasures, Value, known, part


def _rows(trial: TrialMeasures) -> Value | None:
    counted = trial.counted
    return None if counted.rows is None else known(counted.rows / counted.seconds)


def _total_time(trial: TrialMeasures) -> Value | None:
    work = trial.work
    return None if work is None else (1000 * work.total_s, not work.completed)


def _stalls(trial: TrialMeasures) -> Value | None:
    return known(len(trial.stalls)) if trial.stalls_known else None


def _longest_stall(trial: TrialMeasures) -> Value | None:
    if not trial.stalls_known:
        return None
    gap = trial.longest_stall
    return (gap.ms, not gap.closed) if gap else (0.0, False)


ENTRIES = (
    Measure(
        "tps",
        "Transactions/s",
        "transactions per second",
        "rate",
        more=True,
        usual=True,
        of_client=True,
        called="throughput",
        value=part(lambda trial: trial.throughput, "tps"),
    ),
    *(
        Measure(
            f"latency_{key}",
            f"{key} response",
            f"response time ({words})",
            "time",
            usual=True,
            of_client=True,
            value=part(lambda trial: trial.latency, key),
        )
        for key, words in SPREAD
    ),
    Measure(
        "qps",
        "Queries/s",
        "queries per second",
        "rate",
        more=True,
        value=part(lambda trial: trial.throughput, "qps"),
    ),
    Measure(
        "rows_s",
        "Rows/s",
        "rows changed per second",
        "rate",
        more=True,
        source="observe.counters",
        value=_rows,
    ),
    Measure(
        "inserted_s",
        "Inserted rows/s",
        "rows inserted per second",
        "rate",
        more=True,
        when="load",
        source="a load that counts",
        value=part(lambda trial: trial.record.load.rows, "per_second"),
    ),
    Measure(
        "total_time",
        "Time for all",
        "time for all of the work",
        "time",
        when="load",
        bounds=True,
        source="fixed work",
        value=_total_time,
    ),
    Measure(
        "completed",
        "Completed",
        "share of the work that was done",
        "share",
        more=True,
        when="load",
        source="fixed work",
        value=part(lambda trial: trial.work, "share"),
    ),
    Measure(
        "cov_in_time",
        "COV over time",
        "variation of the throughput over time",
        "share",
        source="4 s of steady",
        value=part(lambda trial: trial.steadiness, "cov"),
    ),
    Measure(
        "last_quarter",
        "Last quarter",
        "throughput of the last quarter against the first",
        "share",
        more=None,
        source="4 s of steady",
        value=part(lambda trial: trial.steadiness, "last_quarter"),
    ),
    Measure("stalls", "Stalls", "stalls of the steady window", "amount", value=_stalls),
    Measure(
        "stalls_longest", "Longest stall", "longest stall of the steady window", "time", value=_longest_stall
    ),
)
