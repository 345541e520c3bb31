"""What users cannot set for a Galera cluster."""

from typing import TYPE_CHECKING

from fivenines.solutions.checks import Checks
from fivenines.solutions.galera.options import is_provider, option_problems

if TYPE_CHECKING:
    pass
    from fivenines.solutions.galera.settings import GaleraSettings


class GaleraChecks(Checks):
    """Also refuses options of the provider that a key of the solution sets."""

    settings: "GaleraSettings"

    def refused(self) -> dict[tuple[str, ...], str]:
        refused = super().refused()
        for name, value in self.settings.server.items():
            if is_provider(name) and (
                problem := option_problems(str(value), segments=self.settings.segments)
            ):
                refused[("server", name)] = problem
        return refused
