"""Files of the package that are named without a path."""

from pathlib import Path

from fivenines.base import built_in


def test_a_bare_name_alone_names_a_file(tmp_path: Path) -> None:
    (tmp_path / "first.yaml").touch()
    (tmp_path / "other.txt").touch()
    assert built_in.names(tmp_path) == ["first"]
    assert built_in.named_file(Path("first"), tmp_path) == tmp_path / "first.yaml"
    for mistyped in ("./x/first", "x/first", "/first", "first.yaml", "other", "second"):
        assert built_in.named_file(Path(mistyped), tmp_path) is None
