"""Calibration of an open loop with the server's counters: achieved rate, and counts of statements.

The server counts with PostgreSQL's extension pg_stat_statements. It counts a prepared BEGIN or COMMIT only
once per connection, so these are left out: only statements that read or change rows are compared.
"""

from fivenines.campaign.calibration.base import CalibrationContext, Calibrator
from fivenines.campaign.calibration.judging import judge_offered, judge_statements
from fivenines.campaign.calibration.running import alone
from fivenines.campaign.calibration.trials import DATA
from fivenines.results.calibration import Line
from fivenines.results.load_summary import LoadSummary
from fivenines.servers.base import Server

_RATE = 50.0
# Values in full, and when short.
_SECONDS = (8.0, 4.0)

_BRACKETS = {"begin", "commit", "rollback"}
# Names of changing statements in a load's summary; all others read.
_CHANGING = {"index_update", "non_index_update", "delete", "insert"}

# Excludes the load's query for the existence of its tables, which selects a number.
_CALLS = """
SELECT coalesce(sum(calls) FILTER (WHERE query LIKE 'SELECT%'), 0)::bigint,
       coalesce(sum(calls) FILTER (WHERE query NOT LIKE 'SELECT%'), 0)::bigint
FROM pg_stat_statements
WHERE query LIKE '%sbtest1%' AND query NOT LIKE 'SELECT $1 FROM%' AND query NOT LIKE '%pg_stat_statements%'
"""


class ThroughputOfAnOpenLoop(Calibrator):
    """Plants a rate, and compares it with the statements that the server executed."""

    name = "throughput"
    title = "Throughput and statement counts"
    order = 5
    seconds = (12.0, 8.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        context.tell("deploying one server that counts statements")
        seconds = _SECONDS[context.short]
        with alone(
            context,
            workload=f"workload: oltp_read_write, {DATA}",
            load=f"rate: {_RATE:g}",
            server="shared_preload_libraries: pg_stat_statements",
        ) as item:
            server = item.deployed.solution.nodes[0]
            server.sql.execute("CREATE EXTENSION pg_stat_statements")
            server.sql.query("SELECT pg_stat_statements_reset()")
            context.tell(f"{_RATE:g} transactions/s for {seconds:.0f} s")
            load = item.load(seconds, context.folder / "load", context.seed)
            return judged(load, _executed(server))


def judged(load: LoadSummary, executed: tuple[int, int]) -> list[Line]:
    """Compare the load's counts with the server's counts of reading and of changing statements."""
    reading, changing = counted(load)
    return [
        judge_offered(_RATE, load.duration_s, load.transactions.ok),
        judge_statements("statements that read", executed[0], reading),
        judge_statements("statements that change", executed[1], changing),
    ]


def counted(load: LoadSummary) -> tuple[int, int]:
    """Return the numbers of reading and of changing statements that the load counted."""
    counts = {name: n for name, n in load.statements.items() if name not in _BRACKETS}
    changing = sum(n for name, n in counts.items() if name in _CHANGING)
    return sum(counts.values()) - changing, changing


def _executed(server: Server) -> tuple[int, int]:
    ((reading, changing),) = server.sql.query(_CALLS)
    return int(reading), int(changing)
