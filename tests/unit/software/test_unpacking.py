"""What is in an archive that a user brings."""

import io
import tarfile
from pathlib import Path

import pytest

from fivenines.software import unpacking


@pytest.mark.parametrize(
    ("member", "text", "transport"),
    [
        ("oci-layout", "", "oci-archive"),
        ("./manifest.json", '[{"Config": "x.json", "Layers": []}]', "docker-archive"),
        ("manifest.json", '{"name": "a web page"}', ""),
        ("manifest.json", "no JSON", ""),
        ("bin/mysqld", "", ""),
    ],
)
def test_an_archive_with_an_image_manifest_is_an_image(
    tmp_path: Path, member: str, text: str, transport: str
) -> None:
    file = tmp_path / "x.tar"
    with tarfile.open(file, "w") as packed:
        info = tarfile.TarInfo(member)
        info.size = len(text)
        packed.addfile(info, io.BytesIO(text.encode()))
    assert unpacking._is_image(file) == transport
    assert unpacking._is_image(tmp_path / "none.tar") == ""


def test_moves_the_only_folder_of_an_archive_up(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "mysql-9.7.0-linux/bin").mkdir(parents=True)
    unpacking._lift(tree)
    assert [path.name for path in tree.iterdir()] == ["bin"]
    unpacking._lift(tree)
    assert [path.name for path in tree.iterdir()] == ["bin"]
