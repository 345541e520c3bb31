"""Facts that follow from the settings of a solution, known before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Traits:
    """What a solution with these settings consists of, and how it behaves.

    Attributes:
        nodes: number of database servers.
        votes: number of votes of which a majority decides, including an arbiter's; 0: one for each node.
        single_writer: whether at most one server is writable by design: two are a split brain then.
        hosts: names of its further hosts, other than nodes, client, proxy and manager.
        engines: further engines that it needs, as for an arbiter or for etcd.
        target_words: solution-specific target words for faults, with the meaning of each.
        decides_on_nodes: whether programs on the nodes' hosts, other than the servers, decide on a failover.
        watch_period: longest interval of the nodes' checks of each other, in seconds; 0: no checks.
        least_settle: shortest time after the load, in seconds, until all copies can be complete.
        compare_seconds: approximate time for comparing copies beyond tables, in seconds; for plans.
        isolations: the supported isolation levels; None: all of SQL's.
    """

    nodes: int
    votes: int = 0
    single_writer: bool = False
    hosts: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    target_words: Mapping[str, str] = field(default_factory=dict)
    decides_on_nodes: bool = False
    watch_period: float = 0.0
    least_settle: float = 0.0
    compare_seconds: float = 0.0
    isolations: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not self.votes:
            # The instance is frozen, and the default follows from another value.
            object.__setattr__(self, "votes", self.nodes)
