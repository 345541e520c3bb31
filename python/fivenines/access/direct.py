"""Direct access: the client is given all nodes and looks for the writable one by itself."""

from typing import Literal

from pydantic import Field

from fivenines.access.settings import AccessSettings


class DirectSettings(AccessSettings):
    """The client tries the nodes in order and asks each whether it takes writes."""

    kind: Literal["direct"] = Field("direct", description="the client finds the writable node itself")
