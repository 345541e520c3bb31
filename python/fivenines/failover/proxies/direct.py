"""Direct access: the client knows all nodes and looks for the writable one by itself."""

from typing import Literal

from pydantic import Field

from fivenines.failover.proxies.base import Access
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.servers.cluster.endpoints import Endpoints


class DirectSettings(AccessSettings):
    """The client tries the nodes in order and checks which one is writable."""

    kind: Literal["direct"] = Field("direct", description="the client finds the writable node itself")


class Direct(Access[DirectSettings]):
    """Passes on the solution's endpoints."""

    settings_type = DirectSettings

    def start(self) -> None:
        pass

    def endpoints(self) -> Endpoints:
        return self.solution.endpoints()
