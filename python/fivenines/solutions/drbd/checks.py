"""What does not fit a replicated disk."""

from typing import TYPE_CHECKING

from fivenines.solutions.checks import Checks
from fivenines.solutions.drbd.options import problems

if TYPE_CHECKING:
    from fivenines.solutions.drbd.settings import DrbdSettings


class DrbdChecks(Checks):
    """The machines, and the one server that can be read from."""

    settings: "DrbdSettings"

    def refused(self) -> dict[tuple[str, ...], str]:
        options = self.settings.drbd
        return {**super().refused(), **problems({"net": options.net, "disk": options.disk})}

    def problems_with_parts(self) -> list[str]:
        problems = super().problems_with_parts()
        if self.settings.machines != "virtual-machines":
            problems.append("machines: namespaces: DRBD is a kernel module: write virtual-machines")
        if self.settings.engine == "postgres-18" and self.settings.manager.server_agent != "mysql":
            problems.append("manager: server_agent: PostgreSQL is started by pgsql: leave it out")
        if self.settings.reads == "replicas":
            problems.append("reads: replicas: the disk of the other node cannot be read: write primary")
        return problems
