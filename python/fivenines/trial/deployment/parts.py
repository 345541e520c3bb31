"""The parts of a deployment next to the solution."""

from typing import Any

from fivenines.base import plugins
from fivenines.failover.managers.base import Manager
from fivenines.failover.proxies.base import Access
from fivenines.solutions.base import Solution


def manager_of(solution: Solution[Any, Any]) -> Manager[Any] | None:
    """Return the failover manager of a solution, not configured yet; None: failover is built in."""
    settings = solution.settings.failover_manager
    if settings is None:
        return None
    kind: Any = plugins.implementation("fivenines.failover.managers", Manager, settings)
    made: Manager[Any] = kind(settings, solution)
    return made


def access_of(solution: Solution[Any, Any]) -> Access[Any]:
    """Return the access layer of a solution, not configured yet."""
    kind: Any = plugins.implementation("fivenines.failover.proxies", Access, solution.settings.access)
    made: Access[Any] = kind(solution.settings.access, solution)
    return made
