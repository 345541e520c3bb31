"""The questions of `fivenines init`: on stderr, one after the other, each with a default."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import typer

T = TypeVar("T")

# What is compared where somebody does not choose.
SOLUTION = "hot-standby"


def solutions() -> list[str]:
    """What is compared."""
    from fivenines.experiment.starter import offered

    return _choose("What is compared?", offered("solutions"), SOLUTION)


def workloads(default: str) -> list[str]:
    """What it is asked."""
    from fivenines.experiment.starter import offered

    return _choose("What load do they get?", offered("workloads"), default)


def faults(solutions: Sequence[str], default: str) -> list[str]:
    """What is broken; only what makes sense for one of the solutions at least."""
    from fivenines.experiment.starter import misfit, offered

    every = offered("faults")
    fit = {name: about for name, about in every.items() if not misfit(name, solutions)}
    return _choose("What is broken on purpose?", fit, default)


def connections(default: int) -> list[int]:
    """Numbers of connections of the load."""
    return _ask(
        "How many connections has the load? Several numbers are compared",
        str(default),
        lambda text: [_number(word, 100_000) for word in _words(text)],
    )


def trials(default: int) -> int:
    """Trials of each cell."""
    return _ask(
        "How many trials of each combination? 3 for a first look, 10 for an answer",
        str(default),
        lambda text: _number(text.strip(), 1000),
    )


def _choose(question: str, choices: Mapping[str, str], default: str) -> list[str]:
    """One or more of the choices, by their names or their numbers in the list."""
    from fivenines.cli import console

    names = list(choices)
    console.note(f"\n{question}", "bold")
    width = max(map(len, names))
    for number, name in enumerate(names, start=1):
        console.note(f"  {number:>2}  {name:<{width}}  {choices[name]}")
    return _ask("Names or numbers, several with commas", default, lambda text: chosen(text, names))


def chosen(text: str, names: Sequence[str]) -> list[str]:
    """The names that an answer means.

    Raises:
        ValueError: it names something else, or nothing; in words.
    """
    from fivenines.spelling import nearest

    found = []
    for word in _words(text):
        if word.isdecimal() and 1 <= int(word) <= len(names):
            found.append(names[int(word) - 1])
        elif word in names:
            found.append(word)
        else:
            raise ValueError(f"there is no {word!r}{nearest(word, names)}")
    return list(dict.fromkeys(found))


def _words(text: str) -> list[str]:
    words = text.replace(",", " ").split()
    if not words:
        raise ValueError("name one at least")
    return words


def _number(word: str, most: int) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= most:
        raise ValueError(f"{word!r} is no whole number from 1 to {most}")
    return int(word)


def _ask(question: str, default: str, read: Callable[[str], T]) -> T:
    """Ask until the answer can be read."""
    from fivenines.cli import console

    while True:
        answer: str = typer.prompt(question, default=default, err=True)
        try:
            return read(answer)
        except ValueError as error:
            console.note(f"  {error}", "yellow")
