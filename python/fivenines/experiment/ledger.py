"""The section `ledger:` of an experiment: what is written and read beside the load, for the truth."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from fivenines.settings import Settings
from fivenines.units import Duration, format_duration
from fivenines.workloads.append import AppendOptions
from fivenines.workloads.bank import BankOptions, bank_checks
from fivenines.workloads.invariant import Check
from fivenines.workloads.mix import Mix
from fivenines.workloads.settings import WorkloadSettings

Rate = Annotated[float, Field(ge=0, le=10_000)]


class SideBank(BankOptions):
    """The workload `bank` on a few connections beside the load."""

    rate: Rate = Field(0.0, description="transactions per second; 0: none")


class SideAppend(AppendOptions):
    """The workload `append` on a few connections beside the load."""

    rate: Rate = Field(0.0, description="transactions per second; 0: none")


class ProbeSettings(Settings):
    """Tries of a fresh connection and one small write: when could somebody who comes now write?"""

    every: Annotated[Duration, Field(le=60)] = Field(
        0.01,
        description="time between two tries from the first fault on; 0: there are no tries. Where nobody "
        "says it, virtual machines are tried less often, as a connection costs them more",
    )
    calm: Annotated[Duration, Field(gt=0, le=60)] = Field(
        0.5, description="the same before, while nothing is wrong"
    )
    timeout: Annotated[Duration, Field(ge=0.01, le=60)] = Field(
        2.0, description="bound on a try as a whole, whatever the load's bounds are"
    )

    def flags(self, dense_from: float | None, at_most_every: float = 0.0) -> list[str]:
        """The flags of `fivenines-core load`; tries are dense from so many seconds after its start.

        Servers bear a try every `at_most_every` seconds; whoever says how often decides all the same.
        """
        if not self.every:
            return []
        every = self.every if "every" in self.model_fields_set else max(self.every, at_most_every)
        flags = [
            f"--probe-every={format_duration(every)}",
            f"--probe-calm={format_duration(self.calm)}",
            f"--probe-timeout={format_duration(self.timeout)}",
        ]
        if dense_from is not None:
            flags.append(f"--probe-dense-from={format_duration(max(dense_from, 0.001))}")
        return flags


class LedgerSettings(Settings):
    """Uniquely numbered writes, and reads of what was acknowledged."""

    rate: Rate = Field(
        100.0, description="writes per second, of all its clients together; 0 switches the ledger off"
    )
    clients: Annotated[int, Field(ge=1, le=64)] = Field(
        4, description="clients, each with a session of its own at every endpoint"
    )
    read_rate: Rate = Field(
        100.0, description="reads per second through each endpoint, of all clients together"
    )
    probe: ProbeSettings = Field(
        default_factory=ProbeSettings,
        description="tries of fresh connections; without a ledger there are none",
    )
    bank: SideBank = Field(default_factory=SideBank, description="a bank whose sum must stay")
    append: SideAppend = Field(
        default_factory=SideAppend, description="lists that show anomalies of isolation"
    )

    def flags(self, fault_at: float | None = None, at_most_every: float = 0.0) -> list[str]:
        """What it is called on the command line of the load generator.

        `fault_at`: when the first fault is injected, in seconds after the start of the load; None: none does.
        `at_most_every`: see `ProbeSettings.flags`.
        """
        flags = [
            f"--ledger-rate={self.rate:.15g}",
            f"--ledger-clients={self.clients}",
            f"--ledger-read-rate={self.read_rate:.15g}",
        ]
        flags += [f"--beside={json.dumps(one)}" for one in self._beside()]
        return [*flags, *(self.probe.flags(fault_at, at_most_every) if self.rate else [])]

    def _beside(self) -> list[dict[str, Any]]:
        """The workloads beside the load, with their rates."""
        return [
            {
                "rate": one.rate,
                "workload": {"workload": kind, **one.model_dump(mode="json", exclude={"rate"})},
            }
            for kind, one in (("bank", self.bank), ("append", self.append))
            if one.rate
        ]

    def invariants(self) -> Sequence[Check]:
        """What must be true of its own tables after a load."""
        return bank_checks(self.bank.accounts) if self.bank.rate else []

    def problems_with(self, workload: WorkloadSettings) -> list[str]:
        """Why it cannot run beside this workload."""
        parts = [part.workload for part in workload.parts] if isinstance(workload, Mix) else [workload]
        kinds = {part.workload for part in parts}
        return [
            f"{kind} runs beside the load, and the load is {kind} itself: set its rate to 0"
            for kind, rate in (("bank", self.bank.rate), ("append", self.append.rate))
            if rate and kind in kinds
        ]
