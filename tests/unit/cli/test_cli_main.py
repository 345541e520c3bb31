"""The program as a whole: help, exit codes, errors, completion, colours."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from cli_support import Fivenines
from repository import ROOT

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.cli import main, registry
from fivenines.cli.machine import version


def _every(command: Any, path: tuple[str, ...] = ()) -> list[list[str]]:
    """All commands, each as its words."""
    found = [list(path)] if path else []
    for name, inner in getattr(command, "commands", {}).items():
        found += _every(inner, (*path, name))
    return found


COMMANDS = _every(typer.main.get_command(main.app))


def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program as its own process, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "fivenines", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "COLUMNS": "80", **environment},
    )


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_each_help_has_an_example_and_fits_80_columns(fivenines: Fivenines, command: list[str]) -> None:
    answer = fivenines(*command, "--help")
    assert answer.code == 0
    assert all(len(line) <= 80 for line in answer.out.splitlines())
    # Python types behind an option do not help the user, and a flag has no value.
    assert not re.search(r"--\S+\s+(-\w\s+)?<(bool|list|str)", answer.out)
    if command not in (["results"], ["engines"], ["workers"], ["hosts"], ["stacks"]):
        assert f"fivenines {' '.join(command)}" in answer.out.replace("Usage: fivenines", "")


def test_the_program_alone_shows_its_help_as_a_mistake(fivenines: Fivenines) -> None:
    answer = fivenines()
    assert answer.code == 2
    assert "Usage: fivenines" in answer.out + answer.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runn"], "error: No such command 'runn'. Did you mean 'run'?\nsee: fivenines --help\n"),
        (["run"], "error: Missing argument 'FILE'.\nsee: fivenines run --help\n"),
        (["run", "absent.yaml"], "error: absent.yaml: no such file\n"),
        (["run", "."], "error: . is a folder, not an experiment file\n"),
        (
            ["run", "x.yaml", "--trials", "0"],
            "error: --trials: must be at least 1\nsee: fivenines run --help\n",
        ),
        (
            ["run", "x.yaml", "--trials", "many"],
            "error: --trials: must be a whole number\nsee: fivenines run --help\n",
        ),
        (
            ["decide", "--format", "x"],
            "error: --format: unknown value 'x': must be one of text, md, json\nsee: "
            "fivenines decide --help\n",
        ),
        (["results", "show", "x"], "error: unknown run 'x': runs/ has no runs\n"),
    ],
)
def test_mistakes_are_one_message_and_exit_code_2(
    fivenines: Fivenines, arguments: list[str], message: str
) -> None:
    answer = fivenines(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == message


def test_an_unknown_option_is_answered_with_known_ones(fivenines: Fivenines) -> None:
    answer = fivenines("run", "x.yaml", "--trails", "3")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error: No such option: --trails")
    assert "--trials" in answer.err
    assert answer.err.endswith("see: fivenines run --help\n")


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail() -> str:
        raise error

    monkeypatch.setattr(version.platform, "python_version", fail)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (FiveninesError("no room in [/tmp]"), 1, "error: no room in [/tmp]\n"),
        (UsageError("no such thing"), 2, "error: no such thing\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
)
def test_errors_become_a_message_and_an_exit_code(
    fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    failing(monkeypatch, error)
    answer = fivenines("version")
    assert (answer.code, answer.out, answer.err) == (code, "", message)


def test_an_unexpected_error_leaves_a_log_and_no_traceback(
    fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failing(monkeypatch, ZeroDivisionError("by [zero]"))
    answer = fivenines("version")
    (log,) = (tmp_path / "cache" / "crashes").iterdir()
    assert answer.code == 1
    assert answer.err == (
        f"error: unexpected error (a bug in fivenines): ZeroDivisionError: by [zero]\ndetails: {log}\n"
    )
    text = log.read_text()
    assert "Traceback (most recent call last)" in text
    assert "command: ['version']" in text


def test_even_without_a_place_for_the_log_there_is_no_traceback(
    fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    failing(monkeypatch, ZeroDivisionError())
    answer = fivenines("version")
    assert answer.code == 1
    assert answer.err.startswith("error: unexpected error (a bug in fivenines): ZeroDivisionError\n")
    assert "cannot write the details" in answer.err


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], "pydantic|duckdb|altair|scipy|numpy|ruamel|psycopg|pymysql"),
        (["bench", "--dsn", "nonsense"], r"altair|scipy|fivenines\.(experiment\.spec|solutions\..*)"),
        (["stacks", "list"], r"duckdb|altair|scipy|numpy|fivenines\.(experiment\.spec|report\.charts.*)"),
    ],
)
def test_a_command_does_not_import_what_only_others_need(arguments: list[str], heavy: str) -> None:
    code = (
        "import sys; from fivenines.cli.main import execute; execute(sys.argv[2:]); "
        "import re; print([m for m in sys.modules if re.fullmatch(sys.argv[1], m)], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, heavy, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_there_are_no_colours_without_a_terminal() -> None:
    done = program("run", "absent.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: absent.yaml: no such file\n")
    assert "\x1b" not in program("--help").stdout


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m fivenines run {ROOT}/examples/mariadb-ha.yaml --dry-run --json | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_the_shell_completes_commands() -> None:
    done = program(_FIVENINES_COMPLETE="complete_bash", COMP_WORDS="fivenines re", COMP_CWORD="1")
    assert done.stdout.split() == ["replicate", "report", "restart", "results"]


def test_version_answers_people_and_scripts(fivenines: Fivenines) -> None:
    assert fivenines("version").out.startswith("fivenines 0.1.0 (Python 3.")
    assert '"fivenines": "0.1.0"' in fivenines("version", "--json").out


def test_the_exit_code_of_the_process_is_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["fivenines", "version"])
    with pytest.raises(SystemExit) as left:
        main.main()
    assert left.value.code == 0


def test_an_open_cache_is_closed_and_reported_in_one_line(fivenines: Fivenines, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "playground").mkdir(parents=True)
    for folder in (cache, cache / "playground"):
        folder.chmod(0o755)
    fivenines("version", "--help")
    assert cache.stat().st_mode & 0o077, "help touches nothing"
    message = fivenines("version")
    assert message.code == 0 and message.err.count("now closed") == 2
    assert [path.stat().st_mode & 0o077 for path in (cache, cache / "playground")] == [0, 0]
    assert fivenines("version").err == ""


def test_a_cache_in_a_place_for_everybody_is_refused(
    fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "all").chmod(0o1777)
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "all"))
    message = fivenines("engines", "list")
    assert message.code == 2 and "is shared by all accounts" in message.err


@pytest.mark.parametrize("name", registry.ENTRIES)
def test_the_registry_has_the_first_paragraph_of_each_help(name: str) -> None:
    command = typer.main.get_command(main.app).commands[name]  # type: ignore[attr-defined]
    paragraph, _, _ = (command.help or "").partition("\n\n")
    assert registry.ENTRIES[name].help == " ".join(paragraph.split())
    assert command.name == name


def test_the_help_imports_no_command() -> None:
    code = (
        "import sys; from fivenines.cli.main import execute; execute(['--help']); "
        "from fivenines.cli.registry import ENTRIES; "
        "modules = {f'fivenines.cli.{entry.module}' for entry in ENTRIES.values()}; "
        "print(sorted(modules & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == "[]\n"
