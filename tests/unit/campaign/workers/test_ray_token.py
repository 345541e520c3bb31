"""Where the token of a Ray cluster is looked for, in the order of Ray's own client."""

from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.campaign.workers.ray_token import Token, find


def test_a_token_of_the_environment_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("from a file\n")
    both = {"RAY_AUTH_TOKEN": "itself", "RAY_AUTH_TOKEN_PATH": str(file)}
    assert find(both, tmp_path) == Token("itself", "$RAY_AUTH_TOKEN")
    assert find({"RAY_AUTH_TOKEN_PATH": str(file)}, tmp_path) == Token("from a file", str(file))


def test_then_that_of_the_home(tmp_path: Path) -> None:
    assert find({}, tmp_path) is None
    file = tmp_path / ".ray" / "auth_token"
    file.parent.mkdir()
    file.write_text("\n")
    assert find({}, tmp_path) is None
    file.write_text("mine\n")
    assert find({"RAY_AUTH_TOKEN": " "}, tmp_path) == Token("mine", str(file))


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    missing = tmp_path / "gone"
    with pytest.raises(FiveninesError, match=r"gone cannot be read: No such file"):
        find({"RAY_AUTH_TOKEN_PATH": str(missing)}, tmp_path)
