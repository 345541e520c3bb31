"""Results of `fivenines calibrate`: stored in the cache for each machine, and in the manifest of every
run.
"""

from pydantic import Field

from fivenines.results.basics import Machine, Record

# Format version of the stored file; a file of another version counts as no calibration.
FORMAT = 1


class Line(Record):
    """A known effect that was planted, and the figure that fivenines measured; texts for people."""

    planted: str
    measured: str
    error: str = Field(description="measured minus planted, or what was missed")
    bounds: str = Field(description="permitted error; empty: the error is not judged")
    within: bool | None = Field(description="whether the error is within bounds; null: not judged")
    figures: dict[str, float] = Field(
        default_factory=dict, description="the figures as numbers; each name ends in its unit"
    )


class Step(Record):
    """All lines of one execution of a calibrator."""

    name: str = Field(description="name for `--only`")
    title: str
    at: str = Field(description="ISO 8601, UTC")
    seconds: float = Field(description="duration")
    short: bool = Field(description="measured with --quick, with few repetitions")
    lines: list[Line] = Field(description="empty: the calibrator failed")
    failure: str = Field("", description="why there are no lines")

    @property
    def judged(self) -> list[Line]:
        """Return the lines that have bounds."""
        return [line for line in self.lines if line.within is not None]

    @property
    def out(self) -> list[Line]:
        """Return the lines whose error is out of bounds."""
        return [line for line in self.lines if line.within is False]


class Calibration(Record):
    """The calibration of one machine; its steps may be of different times."""

    format: int = FORMAT
    fivenines: str = Field(description="version of fivenines that measured")
    machine: Machine
    steps: list[Step]
    missing: list[str] = Field(
        default_factory=list, description="steps of this version that were not measured"
    )

    @property
    def sound(self) -> bool:
        """Return whether at least one step was measured, and all are within their bounds."""
        return bool(self.steps) and not any(step.out or step.failure for step in self.steps)
