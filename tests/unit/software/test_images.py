"""How images are named, and what their programs' errors come to."""

from pathlib import Path

import pytest

from fivenines.software import images


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("docker.io/library/mysql:8.4", "docker://docker.io/library/mysql:8.4"),
        ("docker://mysql", "docker://mysql"),
        ("localhost:5000/a/b:c", "docker://localhost:5000/a/b:c"),
        ("oci:/tmp/x", "oci:/tmp/x"),
        ("oci:/tmp/x:base", "oci:/tmp/x:base"),
        ("oci-archive:/tmp/x.tar:base", "oci-archive:/tmp/x.tar:base"),
    ],
)
def test_an_image_as_skopeo_calls_it(written: str, meant: str) -> None:
    assert images.transport(written) == meant


def test_a_folder_is_named_absolutely(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert images.transport("oci:image:base") == f"oci:{tmp_path}/image:base"


def test_registries_of_this_machine_have_no_certificate() -> None:
    assert images._is_here("docker://localhost:5000/a")
    assert images._is_here("docker://127.0.0.1/a")
    assert not images._is_here("docker://localhost.example.org/a")


def test_the_last_message_is_the_reason() -> None:
    log = 'time="x" level=info msg="one"\ntime="x" level=fatal msg="no \\"image\\" there"\n'
    assert images._why(log) == 'no "image" there'
    assert images._why("plain words\n") == "plain words"
    assert images._why("") == "no message"
