"""Folders that are closed to other accounts, and results that are shared on purpose."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fivenines.base import private
from fivenines.base.errors import UsageError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_a_process_makes_afterwards_is_its_own(tmp_path: Path) -> None:
    make = "from fivenines.base import private; private.begin(); import os, pathlib, subprocess\n"
    make += "os.mkdir('folder'); pathlib.Path('file').touch(); subprocess.run(['mkfifo', 'pipe'])"
    subprocess.run([sys.executable, "-c", make], cwd=tmp_path, check=True, umask=0o022)
    modes = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert modes == {"folder": 0o700, "file": 0o600, "pipe": 0o600}


def test_what_is_made_for_a_while_is_its_own_and_nothing_later(tmp_path: Path) -> None:
    make = "from fivenines.base import private; import pathlib\n"
    make += "with private.alone(): pathlib.Path('own').touch()\npathlib.Path('later').touch()"
    subprocess.run([sys.executable, "-c", make], cwd=tmp_path, check=True, umask=0o022)
    modes = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert modes == {"own": 0o600, "later": 0o644}


def test_an_open_folder_is_closed_and_reported_once(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert private.close(folder) == "", "what is not there is not open"
    folder.mkdir()
    folder.chmod(0o755)
    assert str(folder) in private.close(folder)
    assert mode(folder) == 0o700
    assert private.close(folder) == ""


def test_a_place_for_everybody_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    with pytest.raises(UsageError, match="is shared by all accounts"):
        private.close(folder)
    assert mode(folder) == 0o1777


def test_sharing_lets_others_read_and_nothing_more(tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "trials").mkdir(parents=True)
    (run / "trials" / "trial.json").write_text("{}")
    (run / "link").symlink_to("/etc/hostname")
    for path in (run, run / "trials"):
        path.chmod(0o700)
    (run / "trials" / "trial.json").chmod(0o600)
    tmp_path.chmod(0o700)
    message = private.share(run)
    assert str(tmp_path) in message, "a closed folder above is named"
    assert (mode(run), mode(run / "trials")) == (0o755, 0o755)
    assert mode(run / "trials" / "trial.json") == 0o644
    assert os.path.lexists(run / "link")
