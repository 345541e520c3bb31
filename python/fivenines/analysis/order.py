"""Order of cells: that of workloads, networks, faults and solutions in the experiment."""

from collections.abc import Iterable

from fivenines.results.records import CellKey
from fivenines.results.store import Run


def in_order(run: Run, keys: Iterable[CellKey]) -> list[CellKey]:
    """Sort keys by workload, network, fault and solution in the experiment's order, then by connections."""
    experiment = run.manifest.experiment
    orders = {
        "solution": _names(experiment.get("solutions")),
        "workload": _names(experiment.get("workloads")),
        "network": _names(experiment.get("network")),
    }
    faults = _fault_words(experiment.get("faults"))

    def place(key: CellKey) -> tuple[int, int, int, str, int, str, int]:
        def rank(what: str, name: str) -> int:
            names = orders[what]
            return names.index(name) if name in names else len(names)

        return (
            rank("workload", key.workload),
            rank("network", key.network),
            _fault_rank(faults, key.fault),
            key.workload + key.network + key.fault,
            rank("solution", key.solution),
            key.solution,
            key.connections,
        )

    return sorted(keys, key=place)


def _fault_words(items: object) -> list[str]:
    """Return the name, else the kind, of each fault of the experiment."""
    result = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return [str(item.get("name") or item.get("fault", "")) for item in result]


def _fault_rank(words: list[str], name: str) -> int:
    """Return the rank of a fault's name; a name that was made unique begins with its kind."""
    if name in words:
        return words.index(name)
    return next((n for n, word in enumerate(words) if name.startswith(word)), len(words))


def _names(items: object) -> list[str]:
    if not isinstance(items, list):
        return []
    return [str(item["name"]) for item in items if isinstance(item, dict) and "name" in item]
