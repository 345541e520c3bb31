"""Examples are found by their name, and only where no file is meant."""

from pathlib import Path

import pytest
from repository import ROOT

from fivenines.base.errors import UsageError
from fivenines.experiment import examples
from fivenines.experiment.source import load_parts


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_files_of_the_repository_come_along() -> None:
    # in a clone the package's folder is a link; a wheel that lacks one is refused by tests/wheel
    assert sorted(path.stem for path in (ROOT / "examples").glob("*.yaml")) == examples.names()
    assert (examples.FOLDER / "scripts" / "transfer.sql").is_file()


@pytest.mark.parametrize("name", examples.names())
def test_a_name_means_an_example_that_can_be_read(name: str) -> None:
    parts = load_parts(examples.located(Path(name)))
    assert {part.title for part in parts} == {name}


def test_a_file_goes_before_an_example() -> None:
    Path("quickstart").write_text("name: mine\n")
    assert examples.located(Path("quickstart")).read_text() == "name: mine\n"


def test_a_path_never_means_an_example() -> None:
    with pytest.raises(UsageError, match=r"of this name: fivenines run quickstart$"):
        examples.located(Path("examples/quickstart.yaml"))
    with pytest.raises(UsageError, match=r"of this name: fivenines run quickstart$"):
        examples.located(Path("somewhere/quickstart"))
    assert examples.located(Path("absent.yaml")) == Path("absent.yaml")


@pytest.mark.parametrize(
    ("typed", "said"),
    [("quikstart", "did you mean 'quickstart'"), ("x", "examples: client-access, client-reports, ")],
)
def test_a_mistyped_name_is_reported_what_there_is(typed: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        examples.located(Path(typed))


def test_each_has_a_question() -> None:
    assert [name for name, question in examples.descriptions() if not question.endswith("?")] == []
