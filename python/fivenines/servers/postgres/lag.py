"""Replication lag that PostgreSQL reports: the primary about each standby, and the standby about itself.

Source: PostgreSQL 18 manual, "pg_stat_replication" and "Recovery Information Functions".
"""

from collections.abc import Callable, Iterator

from fivenines.servers.lag import LagReader, LagRow
from fivenines.servers.postgres.counters import LACKS_ROLE
from fivenines.servers.session import Session

STANDBYS = "lag of its standbys (pg_stat_replication)"

_OF_STANDBYS = """
SELECT r.application_name, v.* FROM (
  SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END AS lsn
) p, pg_stat_replication r, LATERAL (VALUES
  ('pg_stat_replication.write_lag', extract(epoch FROM r.write_lag) * 1000, 'ms'),
  ('pg_stat_replication.flush_lag', extract(epoch FROM r.flush_lag) * 1000, 'ms'),
  ('pg_stat_replication.replay_lag', extract(epoch FROM r.replay_lag) * 1000, 'ms'),
  ('pg_current_wal_lsn - sent_lsn', p.lsn - r.sent_lsn, 'B'),
  ('pg_current_wal_lsn - write_lsn', p.lsn - r.write_lsn, 'B'),
  ('pg_current_wal_lsn - flush_lsn', p.lsn - r.flush_lsn, 'B'),
  ('pg_current_wal_lsn - replay_lsn', p.lsn - r.replay_lsn, 'B')
) v(source, value, unit)
"""
_OF_ITSELF = """
SELECT '', v.* FROM (SELECT pg_is_in_recovery() AS recovering) s, LATERAL (VALUES
  ('pg_last_xact_replay_timestamp',
   extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000, 'ms'),
  ('pg_last_wal_receive_lsn - pg_last_wal_replay_lsn',
   pg_last_wal_receive_lsn() - pg_last_wal_replay_lsn(), 'B')
) v(source, value, unit) WHERE s.recovering
"""


class PostgresLag(LagReader):
    """Reads one node, which reports itself, or the standbys that follow it, by name."""

    def read(self, session: Session, now_ms: Callable[[], float]) -> Iterator[LagRow]:
        # A NULL stays NULL: a standby with nothing to replay has no lag.
        for node, source, value, unit in session.ask(f"{_OF_STANDBYS} UNION ALL {_OF_ITSELF}").rows:
            if node is None:
                # It sees that there is a standby, and none of its columns.
                self.omitted[STANDBYS] = LACKS_ROLE
                continue
            yield node or self.name, source, None if value is None else float(value), unit
