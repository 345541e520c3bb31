"""Fault `repeat`: inject one fault several times, at random moments, with one length or random ones."""

from random import Random
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fivenines.base.lengths import Lengths, parse_lengths
from fivenines.base.settings import invalid
from fivenines.base.units import Duration
from fivenines.faults.settings import DiskCalls, FaultSettings, Step
from fivenines.faults.single import AnySingle
from fivenines.servers.cluster.topology import Topology


def _distribution(text: str) -> str:
    try:
        return parse_lengths(text).text if text else ""
    except ValueError as error:
        raise invalid(str(error)) from None


def _usual(fault: FaultSettings, key: str) -> object:
    return type(fault).model_fields[key].get_default(call_default_factory=True, validated_data={})


class RepeatSettings(FaultSettings):
    """Inject one fault once per period, at a random moment that the trial's seed determines.

    Random phases reach states between two checks of a failover manager, or during a state transfer.
    """

    fault: Literal["repeat"] = Field(description="inject one fault several times, at random moments")
    of: AnySingle = Field(description="the fault to repeat")
    times: Annotated[int, Field(ge=1, le=100)] = Field(3, description="number of injections")
    every: Annotated[Duration, Field(gt=0)] = Field(
        10.0,
        description="length of a period; each period has one injection, at a random moment; with `lengths`: "
        "the mean pause between two faults, which varies by half of it",
    )
    await_recovery: bool = Field(
        False,
        description="wait before each fault until the one before is over and all nodes are members again; "
        "`every` is then the mean pause after that, which varies by half of it",
    )
    lengths: Annotated[str, AfterValidator(_distribution)] = Field(
        "",
        description="distribution from which the length of each fault is drawn, in place of its `duration`: "
        "fixed 3s, uniform 1s..5s, exponential 3s, lognormal 2s..8s (the middle 90 %) or one of 1s, 4s, 9s",
    )

    @property
    def drawn(self) -> Lengths | None:
        """Return the distribution of lengths; None: all faults have their own `duration`."""
        return parse_lengths(self.lengths) if self.lengths else None

    @model_validator(mode="after")
    def _fault_can_be_repeated(self) -> Self:
        key = self.of.length_key()
        if self.await_recovery and key and self.of.lasts is None:
            raise invalid(f"await_recovery: {self.of.fault} never ends: set `{key}`")
        if self.lengths and (problem := self.of.length_problem()):
            raise invalid(f"lengths: {problem}, or leave `lengths` out")
        if self.lengths and self.of.searched:
            raise invalid("lengths: they are drawn, and a search chooses them: leave one of them out")
        # A stored experiment has every default written out.
        if self.lengths and key in self.of.model_fields_set and getattr(self.of, key) != _usual(self.of, key):
            raise invalid(f"lengths: it replaces `{key}` of {self.of.fault}: leave one of them out")
        return self

    def schedule(self, random: Random) -> list[Step]:
        drawn = self.drawn
        if drawn is None and not self.await_recovery:
            return [
                Step(round((number + random.random()) * self.every, 3), self.of)
                for number in range(self.times)
            ]
        # A pause after each end: what a manager does late belongs to the fault before.
        steps, moment = [], 0.0
        for _ in range(self.times):
            pause = self.every * (0.5 + random.random())
            fault = self.of.lasting(drawn.drawn(random)) if drawn is not None else self.of
            moment += pause
            steps.append(Step(round(pause if self.await_recovery else moment, 3), fault, self.await_recovery))
            moment += fault.longest()
        return steps

    def longest(self) -> float:
        drawn = self.drawn
        if drawn is None and not self.await_recovery:
            return self.times * self.every + self.of.longest()
        return self.times * (1.5 * self.every + (drawn.longest if drawn is not None else self.of.longest()))

    def expected(self, topology: Topology) -> float:
        if self.lengths:
            return self.longest()
        if self.await_recovery:
            return self.times * (1.5 * self.every + self.of.expected(topology))
        return self.times * self.every + self.of.expected(topology)

    def problems_with(self, topology: Topology) -> list[str]:
        return self.of.problems_with(topology)

    def sites(self) -> list[str]:
        return self.of.sites()

    def disk_calls(self) -> frozenset[DiskCalls]:
        return self.of.disk_calls()
