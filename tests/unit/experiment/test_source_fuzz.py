"""Whatever is done to an experiment file, the answer is an experiment or a readable refusal."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repository import ROOT

from fivenines.base.errors import UsageError
from fivenines.experiment.source import load_experiment, parse_experiment
from fivenines.experiment.spec import Experiment

EXAMPLES = ROOT / "examples"
SOURCES = [(EXAMPLES / name).read_text() for name in ("quickstart.yaml", "mariadb-ha.yaml")]

WORDS = [
    "null",
    "~",
    "true",
    "[]",
    "{}",
    "[1, [2, {a: b}]]",
    "-1",
    "0",
    "1e999",
    ".nan",
    "-.inf",
    "0x1f",
    "1_0",
    "99999999999999999999",
    "'",
    '"',
    "!!int x",
    "!x y",
    "&a",
    "*a",
    "*operator",
    "<<: *operator",
    "? ",
    ": ",
    "- ",
    "\t",
    "\0",
    "\x85",
    "\ufeff",
    "%YAML 1.1\n---\n",
    "---\n",
    "|",
    ">",
    "2024-13-45",
    "5s",
    "5",
    "kill",
    "galera",
    '"\\ud800"',
    "#",
    "solution: galera",
    "name:",
    "name: x",
    "on",
    "é",
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """An example with some lines, words or characters removed, doubled or replaced."""
    text = draw(st.sampled_from(SOURCES))
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        word = draw(st.sampled_from(WORDS) | st.text(max_size=5))
        line = lines[at]
        key, colon, _ = line.partition(":")
        cut = draw(st.integers(0, len(line)))
        lines[at : at + 1] = draw(
            st.sampled_from(
                [
                    [],
                    [line, line],
                    [f"{key}{colon} {word}"],
                    [word],
                    [line[:cut] + word + line[cut:]],
                    [line[:cut]],
                    ["  " + line],
                    [line.lstrip()],
                ]
            )
        ) or [""]
    return "\n".join(lines)


def is_read_or_refused(text: str) -> None:
    try:
        experiment = parse_experiment(text, "x.yaml")
    except UsageError as refused:
        assert str(refused).startswith("x.yaml")
    else:
        assert isinstance(experiment, Experiment)
        assert len({one.name for one in experiment.solutions}) == len(experiment.solutions)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
def test_a_mutated_file_is_read_or_refused(text: str) -> None:
    is_read_or_refused(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    is_read_or_refused(text)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.integers(1, 5))
def test_flipped_bytes_are_read_or_refused(tmp_path: Path, seed: int, flips: int) -> None:
    order = random.Random(seed)
    raw = bytearray(order.choice(SOURCES).encode())
    for _ in range(flips):
        raw[order.randrange(len(raw))] = order.randrange(256)
    path = tmp_path / "x.yaml"
    path.write_bytes(raw)
    try:
        load_experiment(path)
    except UsageError as refused:
        assert str(refused).startswith(str(path))


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("key", ["name", "seed", "solutions", "network", "timing", "ledger", "observe"])
def test_every_key_stands_any_value(key: str, word: str) -> None:
    is_read_or_refused(f"name: x\nsolutions: [standalone]\nworkloads: [oltp_read_only]\n{key}: {word}\n")
    is_read_or_refused(f"{key}: {word}\n")
