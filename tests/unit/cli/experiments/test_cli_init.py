"""`fivenines init`: by options and by questions, to a file that runs."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_support import Fivenines

from fivenines.cli.experiments.questions import chosen
from fivenines.experiment.source import load_experiment
from fivenines.experiment.starter import offered


def test_it_writes_a_file_that_is_planned_as_it_stands(fivenines: Fivenines) -> None:
    answer = fivenines(
        "init",
        "mine.yaml",
        "--solution",
        "galera",
        "--solution",
        "hot-standby",
        "--workload",
        "tpcc",
        "--fault",
        "freeze",
        "--connections",
        "4",
        "--trials",
        "2",
    )
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("mine.yaml: 2 cells, 4 trials, about ")
    assert answer.out.endswith("\n  fivenines run mine.yaml\n")
    assert fivenines("run", "mine.yaml", "--dry-run").code == 0
    experiment, text = load_experiment(Path("mine.yaml"))
    assert [one.name for one in experiment.solutions] == ["galera", "hot-standby"]
    assert (experiment.name, experiment.connections, experiment.trials.at_most) == ("mine", [4], 2)
    match = re.match(r"# yaml-language-server: \$schema=(.*)\n", text)
    assert match is not None and Path(match[1]).read_text() == fivenines("schema").out
    # the command in its head makes it again
    command = next(line for line in text.splitlines() if line.startswith("#   fivenines init"))
    again = fivenines(*command.lstrip("# ").split()[1:], "mine.yaml", "--force")
    assert again.code == 0 and Path("mine.yaml").read_text() == text


def test_it_overwrites_nothing_unless_reported_to(fivenines: Fivenines) -> None:
    Path("mine.yaml").write_text("mine")
    refused = fivenines("init", "mine.yaml", "--solution", "standalone")
    assert refused.code == 2
    assert refused.err.startswith("error: mine.yaml exists. Name another file, or overwrite it")
    assert Path("mine.yaml").read_text() == "mine"
    assert fivenines("init", "mine.yaml", "--solution", "standalone", "--force").code == 0
    assert Path("mine.yaml").read_text() != "mine"


@pytest.mark.parametrize("way", [["--stdout"], ["-"]])
def test_it_prints_the_file_alone(fivenines: Fivenines, way: list[str]) -> None:
    answer = fivenines("init", *way, "--solution", "standalone")
    assert answer.code == 0
    Path("printed.yaml").write_text(answer.out)
    assert load_experiment(Path("printed.yaml"))[0].trials.at_most == 3
    assert sorted(path.name for path in Path().iterdir()) == ["printed.yaml", "small.yaml"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--solution", "galra"], "--solution: unknown name 'galra'; did you mean 'galera'?\n"),
        (["--solution", "external"], "--solution external: needs settings that have no default (engine, "),
        (["--solution", "galera", "--solution", "galera"], "--solution galera is repeated"),
        (["--solution", "standalone", "--workload", "script"], "--workload script: needs "),
        (["--solution", "standalone", "--fault", "proxy"], "--fault proxy does not apply to "),
        (
            ["--solution", "standalone", "--solution", "galera", "--fault", "switchover"],
            "standalone would not be measured, as none of the faults applies to it",
        ),
        (["absent/mine.yaml", "--solution", "standalone"], "absent/mine.yaml: the folder"),
        ([], "init: cannot ask questions without a terminal. Use options"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_written(
    fivenines: Fivenines, arguments: list[str], message: str
) -> None:
    answer = fivenines("init", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"error: {message}")
    assert [path.name for path in Path().iterdir()] == ["small.yaml"]


def test_an_answer_is_names_or_numbers() -> None:
    names = ["galera", "patroni", "standalone"]
    assert chosen("2", names) == ["patroni"]
    assert chosen(" standalone, 1,galera", names) == ["standalone", "galera"]
    for wrong, message in (("4", "unknown name '4'"), ("patron", "did you mean 'patroni'"), (" ,", "one")):
        with pytest.raises(ValueError, match=message):
            chosen(wrong, names)


def test_on_a_terminal_it_asks_and_asks_again(tmp_path: Path) -> None:
    message, code = _at_terminal(
        tmp_path,
        # a mistake, both, the default, its number, two numbers of connections, the default
        ["galra\n", "standalone, hot-standby\n", "\n", "kill\n", "2, 4\n", "\n"],
    )
    assert code == 0, message
    assert "unknown name 'galra'; did you mean 'galera'?" in message
    assert "MariaDB Galera cluster" in message and "[hot-standby]" in message
    assert "arbiter" not in message  # a fault that fits neither is not offered
    experiment, _ = load_experiment(tmp_path / "experiment.yaml")
    assert [one.name for one in experiment.solutions] == ["standalone", "hot-standby"]
    assert (experiment.connections, experiment.trials.at_most) == ([2, 4], 3)


def _at_terminal(folder: Path, answers: list[str]) -> tuple[str, int]:
    """`fivenines init` with a person at a terminal who answers one question after the other."""
    mine, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "fivenines", "init"],
        cwd=folder,
        stdin=its,
        stdout=its,
        stderr=its,
        env={**os.environ, "FIVENINES_CACHE": str(folder / "cache"), "TERM": "xterm"},
    )
    os.close(its)
    message, deadline = "", time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([mine], [], [], 0.2)[0]:
            try:
                message += os.read(mine, 65536).decode()
            except OSError:  # the other end is closed
                break
        elif answers and message.rstrip(" ").endswith("]:"):
            os.write(mine, answers.pop(0).encode())
            message += "\n"
    os.close(mine)
    return message, process.wait(timeout=30)


def test_the_choices_have_a_line_each_at_80_columns() -> None:
    for section in ("solutions", "workloads", "faults"):
        found = offered(section)
        width = max(map(len, found))
        assert all(len(f"  99  {'':<{width}}  {about}") <= 80 for about in found.values())
