"""What all access layers share: the way by which clients reach a solution's servers."""

from pydantic import Field

from fivenines.settings import Settings


class AccessSettings(Settings):
    """Settings of any access layer; `kind` is narrowed by each subclass."""

    kind: str = Field(description="the kind of access layer")
