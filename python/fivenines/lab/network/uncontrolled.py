"""A network that fivenines uses but does not control: nothing in it can be cut, impaired or counted."""

from collections.abc import Iterable
from typing import NoReturn

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host
from fivenines.lab.network.lab_network import LabNetwork
from fivenines.lab.network.wan import Traffic
from fivenines.lab.settings import LinkSettings


class UncontrolledNetwork(LabNetwork):
    """The network between servers that fivenines does not control, which stays as it is."""

    def __init__(self) -> None:
        super().__init__(None)

    def add_addresses(self, host: Host, count: int) -> None:
        """Do nothing: fivenines does not control the addresses."""

    def begin(self) -> None:
        """Do nothing: there are no network settings."""

    def end(self) -> None:
        """Do nothing: there are no network settings."""

    def cut(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        _refuse()

    def heal(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        _refuse()

    def frames_cut(self) -> int:
        return 0

    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        _refuse()

    def impair(self, where: str | tuple[str, str], link: LinkSettings) -> None:
        _refuse()

    def restore(self, where: str | tuple[str, str]) -> None:
        _refuse()

    def traffic(self) -> dict[tuple[str, str], Traffic]:
        return {}

    def require_sound(self) -> None:
        """Do nothing: there are no emulated links."""


def _refuse() -> NoReturn:
    raise FiveninesError("fivenines does not control the network between these servers and cannot change it")
