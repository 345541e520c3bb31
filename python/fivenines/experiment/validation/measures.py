"""Refuse contradictions of a decision, and counters as measures that the trials will not have."""

from collections.abc import Iterator, Sequence

from fivenines.analysis.measures.entries.resources import counter_parts
from fivenines.base.spelling import nearest
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import KeyPath, Mistake
from fivenines.servers.counters import Catalogue
from fivenines.servers.families import CATALOGUES
from fivenines.software.store import family_of


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return contradictions of the decision, and counters that no server has or that are not observed."""
    for problem in experiment.decide.problems():
        yield Mistake(None, ("decide", "accept"), problem)
    known = _catalogues(experiment)
    for path, measure in _named(experiment):
        family, _, rest = measure.partition(":")
        if family == "counter" and (problem := _problem(counter_parts(rest)[0], experiment, known)):
            yield Mistake(None, path, f"{_written(path)}: {problem}")


def _named(experiment: Experiment) -> Iterator[tuple[KeyPath, str]]:
    """Yield every measure that the file names, with its path."""
    for number, requirement in enumerate(experiment.decide.requirements):
        yield ("decide", "requirements", number), requirement.measure.name
    for number, name in enumerate(experiment.decide.prefer):
        yield ("decide", "prefer", number), name
    for number, threshold in enumerate(experiment.thresholds):
        yield ("thresholds", number), threshold.requirement.measure.name
    if experiment.trials.until is not None:
        yield ("trials", "until", "measure"), experiment.trials.until.measure


def _catalogues(experiment: Experiment) -> list[Catalogue]:
    own = {family_of(name) for name in {solution.engine for solution in experiment.solutions}}
    return [CATALOGUES[family] for family in sorted(one for one in own if one in CATALOGUES)]


def _problem(name: str, experiment: Experiment, known: Sequence[Catalogue]) -> str:
    """Return why no trial will have this counter; empty if one may."""
    if known and not any(one.has(name) for one in known):
        hint = nearest(name, [each for one in known for each in one.names])
        more = hint or ": use the server's name of it, as Com_commit or pg_stat_database.xact_commit"
        return f"no server of this experiment has a counter {name!r}{more}"
    if not experiment.observe.counts(name):
        return f"the counter {name} is not observed: add it to `observe.counters`"
    return ""


def _written(path: KeyPath) -> str:
    """Format a path, as `decide.requirements[0]`."""
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path).lstrip(".")
