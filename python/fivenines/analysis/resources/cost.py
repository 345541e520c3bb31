"""Cost of a solution per hour, and per thousand transactions at the measured throughput."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.results.records import Deployment

CLIENT = "client"


def hosts_of(deployment: Deployment | None) -> int | None:
    """Return how many hosts a solution takes, those of the clients apart; None where they were not
    recorded.
    """
    if deployment is None or not deployment.hosts:
        return None
    return sum(host.kind != CLIENT for host in deployment.hosts.values())


@dataclass(frozen=True)
class Prices:
    """The experiment's section `cost`: the price of an hour of a server, and of hosts of other kinds."""

    currency: str
    server_hour: float
    others: Mapping[str, float] = field(default_factory=dict)

    def hour(self, deployment: Deployment) -> float:
        """Return the price of an hour of all hosts but the client."""
        kinds = (host.kind for host in deployment.hosts.values())
        return sum(self.others.get(kind, self.server_hour) for kind in kinds if kind != CLIENT)


def prices(experiment: Mapping[str, Any]) -> Prices | None:
    """Return the prices of an experiment as a manifest has it; None without any."""
    section = experiment.get("cost")
    if not isinstance(section, dict) or section.get("server_hour") is None:
        return None
    others = {str(kind): float(price) for kind, price in (section.get("others") or {}).items()}
    return Prices(str(section.get("currency", "")), float(section["server_hour"]), others)


def per_thousand(hour: float, rates: list[float]) -> Summary:
    """Return the price of a thousand transactions in each trial; `rates`: transactions per second, those
    above 0.
    """
    return summarise([1000 * hour / (3600 * rate) for rate in rates if rate > 0])
