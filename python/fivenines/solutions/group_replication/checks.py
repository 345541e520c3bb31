"""What does not fit a replication group: tables without primary keys, serializable transactions."""

from typing import TYPE_CHECKING

from fivenines.servers.spelled import canonical, is_on
from fivenines.solutions.checks import Checks

if TYPE_CHECKING:
    from fivenines.load.workloads.settings import WorkloadSettings
    from fivenines.solutions.group_replication.settings import GroupReplicationSettings


class GroupChecks(Checks):
    """Limits of tables and isolation levels."""

    settings: "GroupReplicationSettings"

    def problems_with_workload(self, workload: "WorkloadSettings") -> list[str]:
        problems = super().problems_with_workload(workload)
        hidden = any(
            canonical(name, self.settings.family) == "sql_generate_invisible_primary_key" and is_on(value)
            for name, value in self.settings.server.items()
        )
        if getattr(workload, "secondary", False) and (getattr(workload, "auto_inc", False) or not hidden):
            problems.append(
                "secondary: Group Replication takes no writes to a table without a primary key (error "
                "3098): leave it out, or set auto_inc to false and "
                "server.sql_generate_invisible_primary_key to true"
            )
        cascades = workload.workload in ("crud", "ingest") and getattr(workload, "foreign_keys", False)
        if self.settings.mode == "multi-primary" and cascades:
            problems.append(
                "foreign_keys: a group with several primaries refuses cascading foreign keys: leave it out"
            )
        return problems

    def refused(self) -> dict[tuple[str, ...], str]:
        refused = super().refused()
        for name, value in self.settings.server.items():
            level = str(value).strip().lower()
            serial = canonical(name, self.settings.family) == "transaction_isolation" and level in (
                "serializable",
                "3",
            )
            if serial and self.settings.mode == "multi-primary":
                refused[("server", name)] = (
                    "a group with several primaries refuses serializable transactions: write "
                    "REPEATABLE-READ or READ-COMMITTED"
                )
        return refused
