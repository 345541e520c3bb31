"""What users cannot set for a Patroni cluster."""

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from fivenines.servers.postgres.in_effect import in_unit
from fivenines.servers.spelled import canonical
from fivenines.solutions.checks import Checks
from fivenines.solutions.streaming_needs import problems_with_streaming

if TYPE_CHECKING:
    from fivenines.solutions.patroni.settings import PatroniSettings

# Settings that Patroni passes on the command line, with a lowest value, below which it passes its own default
# (patroni/postgresql/config.py, CMDLINE_OPTIONS, the same in 3.0 and 4.1). Units as in pg_settings.
_LEAST = {
    "max_connections": (25, "", "100"),
    "max_wal_senders": (3, "", "10"),
    "max_locks_per_transaction": (32, "", "64"),
    "max_replication_slots": (4, "", "10"),
    "max_worker_processes": (2, "", "8"),
    "wal_keep_size": (16, "MB", "128MB"),
}


def _below_the_least(server: Mapping[str, object]) -> dict[tuple[str, ...], str]:
    """Return settings that Patroni would replace by its own defaults, by their keys, with a remedy."""
    found: dict[tuple[str, ...], str] = {}
    for name, value in server.items():
        if (limit := _LEAST.get(canonical(name, "postgresql"))) is None:
            continue
        least, unit, default = limit
        number = in_unit(str(value).strip().strip("'"), unit)
        if number is not None and number < Decimal(least):
            found[("server", name)] = (
                f"{value}: Patroni passes {default} to the server in place of values below {least}{unit}: "
                f"write {least}{unit} or more, or leave it out"
            )
    return found


class PatroniChecks(Checks):
    """Also refuses settings with which a standby cannot follow; Patroni gives each standby a slot."""

    settings: "PatroniSettings"

    def refused(self) -> dict[tuple[str, ...], str]:
        own = self.settings
        return {
            **_below_the_least(own.server),
            **problems_with_streaming(own.server, own.members - 1, slots=True),
            **super().refused(),
        }
