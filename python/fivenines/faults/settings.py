"""What all faults share: something broken on purpose, at a moment of the trial."""

from pydantic import Field

from fivenines.settings import Settings


class FaultSettings(Settings):
    """Settings of any fault; `fault` names its kind and is narrowed by each subclass."""

    fault: str = Field(description="the kind of fault")
