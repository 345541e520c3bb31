"""Stand for an engine that is not installed, where only the paths of its programs are needed."""

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software.base import Engine, EngineStatus, Report


class StandIn(Engine):
    """The name and family of an engine, and paths that its files may have.

    Args:
        of: the engine, which is not installed.
    """

    def __init__(self, of: Engine) -> None:
        # Class attributes of other engines are instance attributes here, copied from the engine.
        self.name, self.description, self.family = of.name, of.description, of.family  # type: ignore[misc]

    def status(self) -> EngineStatus:
        return EngineStatus(False, detail="not installed")

    def pull(self, report: Report) -> None:
        raise FiveninesError(f"engine {self.name} is not installed")

    def remove(self) -> None:
        return

    def root(self) -> Root:
        return Root()

    def program(self, name: str) -> str:
        return str(ENGINE / "bin" / name)

    def file(self, *patterns: str) -> str:
        return str(ENGINE / patterns[0].replace("*", ""))


def installed_or_stand_in(engine: Engine) -> Engine:
    """Return the engine if it is installed, else its stand-in."""
    return engine if engine.status().installed else StandIn(engine)
