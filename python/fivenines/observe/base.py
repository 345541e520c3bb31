"""What every observer does: watch a deployment while the load runs, and write tables."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fivenines import plugins
from fivenines.observe.settings import ObserveSettings
from fivenines.results import layout

if TYPE_CHECKING:
    from fivenines.deployment.deployed import Deployed


class Observer(ABC):
    """Watches from `start` to `stop`, into `<table>.csv` files in the folder `out`. Registers itself.

    The files have the columns of `columns_of`; what cannot be seen for a while is left out, never
    guessed, and never ends the trial.
    """

    # The tables that it writes.
    tables: ClassVar[tuple[str, ...]]

    # Columns and types of those that `layout.TABLES` has not; only charts of one's own read them.
    own: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    # How many clients the ledger of this load has; 0: there is no ledger.
    ledger_clients: int = 0

    def __init__(self, deployed: "Deployed", out: Path, settings: ObserveSettings) -> None:
        self.deployed = deployed
        self.out = out
        self.settings = settings

    @classmethod
    def columns_of(cls, table: str) -> Mapping[str, str]:
        """The columns of one of its tables, with their types."""
        return cls.own[table] if table in cls.own else layout.TABLES[table]

    @property
    def wanted(self) -> bool:
        """Whether this deployment and these settings give it something to watch."""
        return True

    @abstractmethod
    def start(self, started_ns: int) -> None:
        """Begin; `started_ns` is the start of the load on CLOCK_MONOTONIC, t = 0 of all tables."""

    def alert(self) -> None:  # noqa: B027
        """Something is to be broken from now on: look as closely as you can."""

    @abstractmethod
    def stop(self) -> None:
        """Watch no more; the files are whole when this returns."""


class Observers:
    """All observers of a trial."""

    def __init__(
        self, deployed: "Deployed", out: Path, settings: ObserveSettings, ledger_clients: int = 0
    ) -> None:
        out.mkdir(parents=True, exist_ok=True)
        kinds: Sequence[type[Observer]] = plugins.classes("fivenines.observe", Observer)  # type: ignore[type-abstract]
        made = [kind(deployed, out, settings) for kind in kinds]
        for observer in made:
            observer.ledger_clients = ledger_clients
        self._observers = [observer for observer in made if observer.wanted]
        self._started: list[Observer] = []

    def start(self, started_ns: int) -> None:
        """Start them all."""
        for observer in self._observers:
            observer.start(started_ns)
            self._started.append(observer)

    def alert(self) -> None:
        """Tell them all that something is to be broken from now on."""
        for observer in self._started:
            observer.alert()

    def stop(self) -> None:
        """Stop those that were started."""
        while self._started:
            self._started.pop().stop()

    @property
    def tables(self) -> dict[str, Mapping[str, str]]:
        """The tables that they write, with their columns."""
        return {
            table: observer.columns_of(table) for observer in self._observers for table in observer.tables
        }
