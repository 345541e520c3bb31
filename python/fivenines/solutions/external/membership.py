"""Roles and members of an external cluster: by queries, and by the user's hooks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fivenines.base.errors import brief
from fivenines.base.waiting import wait_until
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed
from fivenines.servers.cluster.switchover import Stalling, Switchover
from fivenines.servers.external.server import ExternalServer

if TYPE_CHECKING:
    from fivenines.solutions.external.solution import External


class ExternalRoles(Roles[ExternalServer]):
    """A writable server is the primary; the cluster decides which one it is."""

    cluster: "External"

    def observed(self, node: ExternalServer) -> Observed:
        writable = node.accepts_writes()
        if writable is None:
            # The processes of an external server are not visible, but a dead one has no open port.
            return "silent" if node.listens() else "down"
        return "primary" if writable else "replica"

    def all_observed(self) -> dict[str, Observed]:
        found = super().all_observed()
        if self.cluster.settings.writers == "all":
            first = next((name for name, role in found.items() if role in ("primary", "silent")), "")
            found |= {name: "replica" for name, role in found.items() if role == "primary" and name != first}
        return found

    def _of_record(self, observed: Mapping[str, str]) -> ExternalServer | None:
        writing = [name for name, role in observed.items() if role == "primary"]
        # The cluster's own failover has decided, and no event reports it.
        if len(writing) == 1 and self.primary_of_record.name != writing[0]:
            self.appoint(writing[0])
        return super()._of_record(observed)


class ExternalMembership(Membership[ExternalServer]):
    """A member answers and follows; the hook `restart` starts it again."""

    cluster: "External"

    def rejoin(self, node: ExternalServer) -> None:
        timeout = self.cluster.settings.hooks.timeout
        self.cluster.hook("restart", node)
        wait_until(node.refusal, timeout, f"{node.name} does not answer after the hook `restart`", 0.1)

    def not_joined_reason(self, node: ExternalServer) -> str:
        if reason := node.refusal():
            return f"{node.name} does not answer: {reason}"
        if self.cluster.settings.any_dbms:
            # Whether it receives is unknown, so a row of the primary must arrive.
            return self.lag_reason(node)
        try:
            return node.follows()
        except Exception as error:
            return f"{node.name}: {brief(error)}"

    def lag_reason(self, node: ExternalServer) -> str:
        primary = self.cluster.roles.certain_primary()
        if primary is None or primary is node:
            return ""
        try:
            return node.behind(primary)
        except Exception as error:
            return f"{node.name}: {brief(error)}"


class HookedStalling(Stalling[ExternalServer]):
    """The hooks `stall` and `unstall`."""

    cluster: "External"

    def stall(self, node: ExternalServer) -> str:
        return self.cluster.hook("stall", node)

    def unstall(self, node: ExternalServer) -> str:
        self.cluster.hook("unstall", node)
        return ""


class HookedSwitchover(Switchover[ExternalServer]):
    """The hook `switchover`."""

    cluster: "External"

    def hand_over(self, draining: Drain | None) -> str:
        return self.cluster.hook("switchover", self.cluster.roles.target("primary"))
