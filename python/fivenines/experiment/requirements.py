"""Read requirement files, by which `fivenines decide` judges finished runs."""

from pathlib import Path

from pydantic import Field, ValidationError

from fivenines.analysis.measures.decide import DecideSettings
from fivenines.base import built_in
from fivenines.base.errors import UsageError
from fivenines.base.settings import Settings
from fivenines.base.spelling import nearest
from fivenines.experiment import document, examples
from fivenines.experiment.sections.availability import AvailabilitySettings
from fivenines.experiment.sections.cost import CostSettings
from fivenines.experiment.source import require_sound
from fivenines.experiment.validation.mistakes import Mistake, from_validation, validated

FOLDER = examples.FOLDER / "requirements"


class RequirementsFile(Settings):
    """The sections of an experiment file that judge its results, in a file of their own."""

    description: str = Field("", description="the question that the file answers")
    decide: DecideSettings = Field(description="requirements, preferences and cases")
    availability: AvailabilitySettings = Field(
        default_factory=AvailabilitySettings,
        description="assumed frequencies of faults, instead of the run's",
    )
    cost: CostSettings = Field(
        default_factory=CostSettings, description="prices of hosts, instead of those of the run"
    )

    def mistakes(self) -> list[Mistake]:
        """Return what is wrong although each value is valid alone."""
        found = [Mistake(None, ("decide",), text) for text in self.decide.problems()]
        mtbf, others = self.availability.problems_by_key(), self.cost.problems_by_key()
        found += [Mistake(None, ("availability", "mtbf", key), text) for key, text in mtbf.items()]
        return found + [Mistake(None, ("cost", "others", key), text) for key, text in others.items()]


def names() -> list[str]:
    """Return the names of the built-in requirement files, sorted."""
    return built_in.names(FOLDER)


def located(named: Path) -> Path:
    """Return the named file, or else the built-in one of that name.

    Raises:
        UsageError: there is no such file.
    """
    if named.exists():
        return named
    if (own := built_in.named_file(named, FOLDER)) is not None:
        return own
    known = nearest(named.name, names()) or f"\n    built-in: {', '.join(names())}"
    raise UsageError(f"{named}: no such file{known}")


def load(path: Path) -> RequirementsFile:
    """Read a requirement file.

    Raises:
        UsageError: the file is not readable or has errors; all of them with line and column.
    """
    source = document.parse(document.read_text(path), str(path))
    mistakes = list(source.mistakes)
    found: RequirementsFile | None = None
    try:
        found = validated(RequirementsFile, source.data)
    except ValidationError as error:
        mistakes += from_validation(RequirementsFile, error.errors(include_url=False))
    if found is not None and not mistakes:
        mistakes += found.mistakes()
    require_sound(source, mistakes, [])
    if found is None:
        raise AssertionError("a file that was refused has a mistake")
    return found
