"""What `fivenines calibrate` found: kept in the cache for each machine, and in the manifest of every run."""

from pydantic import Field

from fivenines.results.basics import Machine, Record

# The version of the kept file; a file of another one counts as no calibration.
FORMAT = 1


class Line(Record):
    """One known error that was planted, and what fivenines made of it. Texts are for people."""

    planted: str
    measured: str
    error: str = Field(description="measured less planted, or what was missed")
    bounds: str = Field(description="within what the error has to be; empty: it is not judged")
    within: bool | None = Field(description="None: there is nothing to judge it by")
    figures: dict[str, float] = Field(
        default_factory=dict, description="the same for programs; the unit is in each name"
    )


class Step(Record):
    """All lines of one calibrator, from one moment."""

    name: str = Field(description="as `--only` calls it")
    title: str
    at: str = Field(description="ISO 8601, UTC")
    seconds: float = Field(description="how long it took")
    short: bool = Field(description="measured by --quick, with few repetitions")
    lines: list[Line] = Field(description="empty: it failed")
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
    """What is known of one machine; its steps may be of different moments."""

    format: int = FORMAT
    fivenines: str = Field(description="the version that measured")
    machine: Machine
    steps: list[Step]
    missing: list[str] = Field(
        default_factory=list, description="steps that this version has and that were not measured"
    )

    @property
    def sound(self) -> bool:
        """Return whether something was measured, and all of it is within its bounds."""
        return bool(self.steps) and not any(step.out or step.failure for step in self.steps)
