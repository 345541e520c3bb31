"""The section `ledger:` of an experiment: uniquely numbered writes and reads beside the load."""

from typing import Annotated

from pydantic import Field

from fivenines.settings import Settings
from fivenines.workloads.flags import flag_text


class LedgerSettings(Settings):
    """Uniquely numbered writes, and reads of what was acknowledged."""

    rate: Annotated[float, Field(ge=0, le=10_000)] = Field(
        100.0,
        description="writes per second, of all its clients together; 0 switches the ledger off",
    )
    clients: Annotated[int, Field(ge=1, le=64)] = Field(
        4, description="clients, each with a session of its own at every endpoint"
    )
    read_rate: Annotated[float, Field(ge=0, le=10_000)] = Field(
        100.0, description="reads per second through each endpoint, of all clients together"
    )

    def flags(self) -> list[str]:
        """What it is called on the command line of the load generator."""
        return [
            "--ledger-rate", flag_text(self.rate), "--ledger-clients", str(self.clients),
            "--ledger-read-rate", flag_text(self.read_rate),
        ]  # fmt: skip
