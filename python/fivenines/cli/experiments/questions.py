"""Ask the questions of `fivenines init` on stderr, each with a default."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import typer

T = TypeVar("T")

# Default solution.
SOLUTION = "hot-standby"


def solutions() -> list[str]:
    """Ask for the solutions to compare."""
    from fivenines.experiment.starter import offered

    return _choose("Which solutions do you want to compare?", offered("solutions"), SOLUTION)


def workloads(default: str) -> list[str]:
    """Ask for the workloads."""
    from fivenines.experiment.starter import offered

    return _choose("Which workloads do you want to run?", offered("workloads"), default)


def faults(solutions: Sequence[str], default: str) -> list[str]:
    """Ask for the faults, of those that apply to at least one of the solutions."""
    from fivenines.experiment.starter import misfit, offered

    every = offered("faults")
    fit = {name: about for name, about in every.items() if not misfit(name, solutions)}
    return _choose("Which faults do you want to inject?", fit, default)


def connections(default: int) -> list[int]:
    """Ask for the numbers of connections of the load."""
    return _ask(
        "How many connections does the load use? (one or more numbers)",
        str(default),
        lambda text: [_number(word, 100_000) for word in _words(text)],
    )


def trials(default: int) -> int:
    """Ask for the number of trials per cell."""
    return _ask(
        "How many trials per combination? (3 for a first look, 10 for reliable results)",
        str(default),
        lambda text: _number(text.strip(), 1000),
    )


def _choose(question: str, choices: Mapping[str, str], default: str) -> list[str]:
    """Ask for one or more of the choices, by name or number."""
    from fivenines.cli.output import console

    names = list(choices)
    console.note(f"\n{question}", "bold")
    width = max(map(len, names))
    for number, name in enumerate(names, start=1):
        console.note(f"  {number:>2}  {name:<{width}}  {choices[name]}")
    return _ask("Names or numbers, separated by commas", default, lambda text: chosen(text, names))


def chosen(text: str, names: Sequence[str]) -> list[str]:
    """Return the names that an answer selects.

    Raises:
        ValueError: the answer is empty or has an unknown name.
    """
    from fivenines.base.spelling import nearest

    found = []
    for word in _words(text):
        if word.isdecimal() and 1 <= int(word) <= len(names):
            found.append(names[int(word) - 1])
        elif word in names:
            found.append(word)
        else:
            raise ValueError(f"unknown name {word!r}{nearest(word, names)}")
    return list(dict.fromkeys(found))


def _words(text: str) -> list[str]:
    words = text.replace(",", " ").split()
    if not words:
        raise ValueError("enter at least one")
    return words


def _number(word: str, most: int) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= most:
        raise ValueError(f"{word!r} is not a whole number from 1 to {most}")
    return int(word)


def _ask(question: str, default: str, read: Callable[[str], T]) -> T:
    """Ask until the answer is valid."""
    from fivenines.cli.output import console

    while True:
        answer: str = typer.prompt(question, default=default, err=True)
        try:
            return read(answer)
        except ValueError as error:
            console.note(f"  {error}", "yellow")
