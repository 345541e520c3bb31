"""Numbers of a solution, which do not vary between trials, and its estimated availability."""

from fivenines.analysis.measures.measure import Deployment, Measure, Prices


def _hosts(deployment: Deployment, _prices: Prices | None) -> float | None:
    from fivenines.analysis.resources.cost import hosts_of  # noqa: PLC0415  (heavy)

    return hosts_of(deployment)


def _cost(deployment: Deployment, prices: Prices | None) -> float | None:
    return prices.hour(deployment) if prices and deployment.hosts else None


ENTRIES = (
    Measure("hosts", "Hosts", "hosts", "number", number=_hosts),
    Measure("cost", "Price of an hour", "price of an hour", "number", source="cost", number=_cost),
    # `decision.availability` computes it from the outages of all faults, and how often each fault occurs.
    Measure(
        "availability", "Availability", "availability", "estimate", more=True, source="a fault, and its MTBF"
    ),
)
