"""The network of a lab, as faults, observers and the load use it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from fivenines.lab.host import Host
from fivenines.lab.network.wan import Traffic
from fivenines.lab.settings import LinkSettings, NetworkSettings


class LabNetwork(ABC):
    """The network between the hosts of a lab.

    Args:
        settings: sites, links and bandwidth of the hosts; None: one plain site.
    """

    def __init__(self, settings: NetworkSettings | None) -> None:
        self.settings = settings or NetworkSettings()

    @abstractmethod
    def add_addresses(self, host: Host, count: int) -> None:
        """Add `count` addresses to a host."""

    @abstractmethod
    def begin(self) -> None:
        """Apply the network settings if they begin with the load."""

    @abstractmethod
    def end(self) -> None:
        """Remove the network settings again if they began with the load."""

    @abstractmethod
    def cut(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        """Drop all frames from one host to another, for each pair (source, destination); in force on return.

        With `ports`, drop only TCP and UDP from and to these ports. A pair that two faults cut must be healed
        twice.

        Raises:
            FiveninesError: a host is unknown, or the network cannot be cut.
        """

    @abstractmethod
    def heal(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        """Undo `cut`; pairs that are not cut are ignored."""

    @abstractmethod
    def frames_cut(self) -> int:
        """Return the number of frames that cuts have dropped."""

    @abstractmethod
    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        """Return whether frames pass from one host to another now; no reply is needed.

        Waits at most `timeout` seconds, plus the latency of the link between their sites.
        """

    @abstractmethod
    def impair(self, where: str | tuple[str, str], link: LinkSettings) -> None:
        """Change a host's link to its site, or the links between two sites in both directions.

        The first change of a host's link loses the frames of a few milliseconds. On return the change applies
        to all new frames.

        Raises:
            FiveninesError: the host or a site is unknown, or the link could not be changed.
        """

    @abstractmethod
    def restore(self, where: str | tuple[str, str]) -> None:
        """Undo `impair`; links that are not impaired stay unchanged."""

    @abstractmethod
    def traffic(self) -> dict[tuple[str, str], Traffic]:
        """Return the traffic from each site to each other site; empty with one site."""

    @abstractmethod
    def require_sound(self) -> None:
        """Check that emulated links have worked until now: a dead emulator would look like a partition.

        Raises:
            FiveninesError: a link failed, so the measurement is invalid.
        """
