"""The kernel of virtual machines: it looks for its C library where hosts show it."""

from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.software.engines.uml_kernel import PLACE, UmlKernel, _write_kernel

BEFORE = b"/lib64/ld-linux-x86-64.so.2\0"


def test_uses_the_included_loader(tmp_path: Path) -> None:
    program = b"\x7fELF..." + BEFORE + b"...the rest"
    _write_kernel(program, tmp_path / "linux.uml")
    written = (tmp_path / "linux.uml").read_bytes()
    assert len(written) == len(program) and written.endswith(b"...the rest")
    assert str(PLACE / "ld.so").encode() + b"\0" in written and BEFORE not in written
    assert (tmp_path / "linux.uml").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("program", [b"no loader at all", BEFORE + BEFORE])
def test_a_program_of_another_kind_is_refused(tmp_path: Path, program: bytes) -> None:
    with pytest.raises(FiveninesError, match="does not contain the loader"):
        _write_kernel(program, tmp_path / "linux.uml")
    assert not (tmp_path / "linux.uml").exists()


def test_it_is_no_root_of_a_host() -> None:
    with pytest.raises(FiveninesError, match="uml is a kernel"):
        UmlKernel().root()
