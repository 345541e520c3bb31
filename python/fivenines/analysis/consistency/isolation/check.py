"""Judgement of a trial's table `history` by every checker with rows in it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from fivenines.analysis.consistency.isolation.bank import check_bank
from fivenines.analysis.consistency.isolation.lists import check_lists
from fivenines.analysis.consistency.isolation.registers import check_registers
from fivenines.base.errors import FiveninesError
from fivenines.results.layout import CLIENTS
from fivenines.results.records import Isolation
from fivenines.results.store import StoredTrial, reader, table_path

# Version of the rules of all checkers, raised when a change affects their results.
RULES = 3


def rejudged(trials: Sequence[StoredTrial]) -> list[StoredTrial]:
    """Return the trials with verdicts by today's rules; without a readable history they stay unchanged."""
    return [_rejudged(trial) for trial in trials]


def _rejudged(trial: StoredTrial) -> StoredTrial:
    if all(item.rules == RULES for item in trial.record.isolation):
        return trial
    try:
        verdicts = judge(trial.folder, bool(trial.record.clocks)) or trial.record.isolation
    except FiveninesError:
        return trial
    return replace(trial, record=trial.record.model_copy(update={"isolation": verdicts}))


def judge(trial: Path, separate_clocks: bool = False) -> list[Isolation]:
    """Return the anomalies in a trial's transactions; [] without a table `history`.

    Args:
        trial: the trial's folder.
        separate_clocks: whether hosts have clocks of their own, so that clients on several hosts cannot be
            compared.

    Raises:
        FiveninesError: the table is damaged.
    """
    path = table_path(trial, "history")
    if not path.is_file():
        return []
    with reader() as connection:
        try:
            # a view takes no parameters; the path stands in a literal
            literal = str(path).replace("'", "''")
            connection.execute(f"CREATE TEMPORARY VIEW history AS SELECT * FROM read_parquet('{literal}')")
            one_clock = not (separate_clocks and (trial / CLIENTS).exists())
            result = [
                check_lists(connection, one_clock=one_clock),
                check_bank(connection),
                check_registers(connection, one_clock=one_clock),
            ]
        except duckdb.Error as error:
            brief = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise FiveninesError(f"{path} cannot be read: {brief}") from error
    return [item.model_copy(update={"rules": RULES}) for item in result if item is not None]
