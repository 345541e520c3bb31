"""The interface of observers, which watch a deployment during the load and write tables."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fivenines.base import plugins
from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.results import layout
from fivenines.results.records import Unobserved

if TYPE_CHECKING:
    from fivenines.trial.deployment.deployed import Deployed


class Observer(ABC):
    """Watch from `start` to `stop` and write `<table>.csv` files into the folder `out`. Registers itself.

    The files have the columns of `columns_of`. Values that cannot be read are left out, never guessed, and
    never end the trial.
    """

    # Names of the tables that the observer writes.
    tables: ClassVar[tuple[str, ...]]

    # Columns and types of tables that `layout.TABLES` does not have; only custom charts read them.
    own: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    # Number of clients in the ledger of this load; 0: no ledger.
    ledger_clients: int = 0

    def __init__(self, deployed: "Deployed", out: Path, settings: ObserveSettings) -> None:
        self.deployed = deployed
        self.out = out
        self.settings = settings

    @classmethod
    def columns_of(cls, table: str) -> Mapping[str, str]:
        """Return the columns of a table, with their types."""
        return cls.own[table] if table in cls.own else layout.TABLES[table]

    @property
    def wanted(self) -> bool:
        """Whether the observer applies to this deployment and these settings."""
        return True

    @abstractmethod
    def start(self, started_ns: int) -> None:
        """Start watching; `started_ns` is the start of the load on CLOCK_MONOTONIC, t = 0 of all tables."""

    def alert(self) -> None:  # noqa: B027
        """Switch to the highest resolution, as a fault is about to be injected."""

    @abstractmethod
    def stop(self) -> None:
        """Stop watching; the files are complete on return."""

    def unobserved(self) -> list[Unobserved]:
        """Return figures that are missing in its tables, and why, after `stop`."""
        return []


class Observers:
    """All observers of a trial."""

    def __init__(
        self, deployed: "Deployed", out: Path, settings: ObserveSettings, ledger_clients: int = 0
    ) -> None:
        out.mkdir(parents=True, exist_ok=True)
        kinds: Sequence[type[Observer]] = plugins.classes("fivenines.trial.observers", Observer)  # type: ignore[type-abstract]
        made = [kind(deployed, out, settings) for kind in kinds]
        for observer in made:
            observer.ledger_clients = ledger_clients
        self._observers = [observer for observer in made if observer.wanted]
        self._started: list[Observer] = []

    def start(self, started_ns: int) -> None:
        """Start all observers."""
        for observer in self._observers:
            observer.start(started_ns)
            self._started.append(observer)

    def alert(self) -> None:
        """Switch all observers to the highest resolution before a fault."""
        for observer in self._started:
            observer.alert()

    def stop(self) -> None:
        """Stop all started observers."""
        while self._started:
            self._started.pop().stop()

    def unobserved(self) -> list[Unobserved]:
        """Return figures that all observers miss, and why, after `stop`."""
        every = [item for observer in self._observers for item in observer.unobserved()]
        return list({(item.node, item.what): item for item in every}.values())

    @property
    def tables(self) -> dict[str, Mapping[str, str]]:
        """Return the tables of all observers, with their columns."""
        return {
            table: observer.columns_of(table) for observer in self._observers for table in observer.tables
        }
