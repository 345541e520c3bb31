"""What is offered to be written: not the fields that the program makes."""

from fivenines.experiment.validation.allowed import Shape, allowed
from fivenines.solutions.settings import SolutionSettings


def test_what_the_program_writes_is_offered_to_no_user() -> None:
    assert "variant" in SolutionSettings.model_fields
    assert "variant" not in SolutionSettings.written()
    assert "sweep" in SolutionSettings.written()
    assert "variant" not in allowed(Shape.of(SolutionSettings))
