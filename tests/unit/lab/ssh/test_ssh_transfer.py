"""What is compared before and after something is sent."""

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from fivenines.lab.ssh.ports_in_use import listening
from fivenines.lab.ssh.transfer import _LISTED, listing


def _theirs(folder: Path) -> str:
    done = subprocess.run(
        ["sh", "-c", f"cd '{folder}' && {_LISTED}"], capture_output=True, text=True, check=True
    )
    return done.stdout.split()[0]


def test_both_ends_see_the_same_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a b" / "deep").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    (tmp_path / "a b" / "deep" / "x").write_text("12345")
    (tmp_path / "a b" / "link").symlink_to("deep")
    (tmp_path / "broken").symlink_to("/nowhere")
    (tmp_path / "é").write_text("")
    before = listing(tmp_path)
    assert before == _theirs(tmp_path)
    (tmp_path / "a b" / "deep" / "x").write_text("1234")
    assert listing(tmp_path) == _theirs(tmp_path) != before


TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   105        0 1 1 0
   1: 0100007F:1538 0100007F:C7A2 01 00000000:00000000 00:00000000 00000000   105        0 1 1 0
   0: 00000000000000000000000000000000:0CEA 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0
"""


def test_finds_ports_in_use() -> None:
    assert listening(TABLE.splitlines()) == {5432, 3306}


@given(st.lists(st.text(), max_size=20))
def test_lines_of_any_form_are_borne(lines: list[str]) -> None:
    assert all(port >= 0 for port in listening(line for line in lines if " 0A " not in line))
