"""Test which versions fit together, and the messages for others."""

from typing import Any

from fivenines.software.versions import changed, mismatch


class _Engine:
    def __init__(self, name: str, version: str, family: str = "mariadb") -> None:
        self.name, self._version, self.family = name, version, family

    def server_version(self) -> str:
        """What the tests want."""
        return self._version


def test_the_same_version_goes_together_and_another_does_not() -> None:
    ours: Any = _Engine("mariadb-10.11", "10.11.14")
    same: Any = _Engine("mha-0.58", "10.11.14")
    newer: Any = _Engine("mha-0.58", "10.11.15")
    unknown: Any = _Engine("mha-0.58", "")
    assert mismatch(ours, same) == mismatch(ours, unknown) == ""
    problem = mismatch(ours, newer)
    assert "mariadb-10.11 has server version 10.11.14" in problem and "mha-0.58 has 10.11.15" in problem


def test_a_root_of_another_family_is_not_where_the_server_comes_from() -> None:
    ours: Any = _Engine("postgres-18", "18.6", "postgresql")
    root: Any = _Engine("drbd", "10.11.14")
    assert mismatch(ours, root) == ""


def test_engines_that_changed_since_a_run_began_are_named() -> None:
    before = {"postgres-18": "18.6", "mariadb-10.11": "10.11.14"}
    assert changed(before, {"postgres-18": "18.6", "mysql-9.7": "9.7.0"}) == ""
    assert changed(before, {"postgres-18": "18.7"}) == "postgres-18 was 18.6, is 18.7"
