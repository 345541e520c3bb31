"""Who may map all user ids."""

import pytest

from fivenines.lab.processes import ids

_ROOT = "Name:\tpython\nCapEff:\t000001ffffffffff\n"
_WITHOUT = "Name:\tpython\nCapEff:\t000001ffffffff7f\n"


@pytest.mark.parametrize(("status", "may"), [(_ROOT, True), (_WITHOUT, False)])
def test_it_takes_a_capability(status: str, may: bool) -> None:
    assert ids._may_set_ids(status) is may


@pytest.mark.parametrize(
    ("uid_map", "has"),
    [
        ("         0          0 4294967295\n", True),
        ("0 100000 65536\n", True),
        ("0 0 65535\n", False),
        ("0 1000 1\n", False),
        ("1 100000 65536\n0 1000 1\n", False),
    ],
)
def test_it_takes_65536_ids(uid_map: str, has: bool) -> None:
    assert ids._has_all(uid_map) is has


def test_an_ordinary_user_gets_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids.os, "geteuid", lambda: 1000)
    assert ids.problem().startswith("only root can map all user ids: run fivenines as root")
