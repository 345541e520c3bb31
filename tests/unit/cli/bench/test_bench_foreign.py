"""pgbench's options are answered with those of `bench`, all at once."""

import pytest

from fivenines.cli.bench.foreign import advice
from fivenines.cli.main import execute


def test_all_of_pgbenchs_options_are_named_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    code = execute(["bench", "-f", "a.sql", "-c", "10", "-j2", "-T", "60", "--max-tries=3", "-M", "simple"])
    output = capsys.readouterr().err
    assert code == 2
    for option, instead in (
        ("-f", "--script FILE"),
        ("-c", "--connections N"),
        ("-j", "leave it out"),
        ("-T", "--duration"),
        ("--max-tries", "--retries N"),
        ("-M", "--protocol prepared"),
    ):
        assert f"{option}: {instead}" in output


def test_values_and_own_options_are_no_options_of_pgbench() -> None:
    assert advice(["--connections", "-5", "--duration", "3s"]) == ""
    assert advice(["-D", "-c", "-L", "5"]).count("\n") == 2
