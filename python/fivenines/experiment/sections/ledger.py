"""The section `ledger:` of an experiment: numbered writes and reads alongside the load."""

import json
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration, format_duration
from fivenines.load.workloads.append import AppendOptions
from fivenines.load.workloads.bank import BankOptions, bank_checks
from fivenines.load.workloads.invariant import Check
from fivenines.load.workloads.mix import Mix
from fivenines.load.workloads.registers import RegistersOptions
from fivenines.load.workloads.settings import WorkloadSettings

Rate = Annotated[float, Field(ge=0, le=10_000)]


class SideBank(BankOptions):
    """The workload `bank` on a few connections alongside the load."""

    rate: Rate = Field(0.0, description="transactions per second; 0: none")


class SideAppend(AppendOptions):
    """The workload `append` on a few connections alongside the load."""

    rate: Rate = Field(0.0, description="transactions per second; 0: none")


class SideRegisters(RegistersOptions):
    """The workload `registers` on a few connections alongside the load."""

    rate: Rate = Field(0.0, description="operations per second; 0: none")


SideWorkload = SideBank | SideAppend | SideRegisters


class ProbeSettings(Settings):
    """Probes: a new connection and one small write, to see when new clients can write."""

    every: Annotated[Duration, Field(le=60)] = Field(
        0.01,
        description="time between two probes from the first fault on; 0: no probes. By default, "
        "virtual machines are probed less often, as connections cost them more",
    )
    calm: Annotated[Duration, Field(gt=0, le=60)] = Field(
        0.5, description="time between two probes before the first fault"
    )
    timeout: Annotated[Duration, Field(ge=0.01, le=60)] = Field(
        2.0, description="timeout of a whole probe, independent of the load's timeouts"
    )

    def flags(self, dense_from: float | None, at_most_every: float = 0.0) -> list[str]:
        """Return the flags of `fivenines-core load`; probes are dense from `dense_from` seconds on.

        `at_most_every`: default least interval in seconds, unless the user sets `every`.
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
    """Uniquely numbered writes, and reads of acknowledged writes."""

    rate: Rate = Field(
        100.0, description="writes per second, of all ledger clients together; 0 switches the ledger off"
    )
    clients: Annotated[int, Field(ge=1, le=64)] = Field(
        4, description="number of ledger clients, each with a session at every endpoint"
    )
    read_rate: Rate = Field(
        100.0, description="reads per second through each endpoint, of all ledger clients together"
    )
    probe: ProbeSettings = Field(
        default_factory=ProbeSettings, description="probes with new connections; require the ledger"
    )
    bank: SideBank = Field(default_factory=SideBank, description="a bank whose total must not change")
    append: SideAppend = Field(
        default_factory=SideAppend, description="lists that reveal isolation anomalies"
    )
    registers: SideRegisters = Field(
        default_factory=SideRegisters, description="registers that reveal whether there is a single copy"
    )

    def flags(self, fault_at: float | None = None, at_most_every: float = 0.0) -> list[str]:
        """Return the flags for the load generator.

        `fault_at`: time of the first fault, in seconds after the start of the load; None: no fault.
        `at_most_every`: see `ProbeSettings.flags`.
        """
        flags = [
            f"--ledger-rate={self.rate:.15g}",
            f"--ledger-clients={self.clients}",
            f"--ledger-read-rate={self.read_rate:.15g}",
        ]
        flags += [
            "--alongside="
            + json.dumps(
                {
                    "rate": one.rate,
                    "workload": {"workload": kind, **one.model_dump(mode="json", exclude={"rate"})},
                }
            )
            for kind, one in self.alongside().items()
        ]
        return [*flags, *(self.probe.flags(fault_at, at_most_every) if self.rate else [])]

    def alongside(self) -> dict[str, SideWorkload]:
        """Return the workloads alongside the load, by name."""
        every: dict[str, SideWorkload] = {
            "bank": self.bank,
            "append": self.append,
            "registers": self.registers,
        }
        return {name: one for name, one in every.items() if one.rate}

    def invariants(self) -> Sequence[Check]:
        """Return the invariants of its tables after a load."""
        return bank_checks(self.bank.accounts) if self.bank.rate else []

    def problems_with(self, workload: WorkloadSettings) -> list[str]:
        """Return why it cannot run alongside this workload."""
        parts = [part.workload for part in workload.parts] if isinstance(workload, Mix) else [workload]
        kinds = {part.workload for part in parts}
        return [
            f"{kind} cannot run alongside a load that is {kind}, too: set its rate to 0"
            for kind in self.alongside()
            if kind in kinds
        ]
