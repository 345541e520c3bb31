"""Check of the ledger's rows on each node after a trial.

Every write of the ledger inserts a row with a unique id. Its outcome decides what must be true:

    ok        acknowledged: the row must be present; absent, it is *lost*
    failed    definitely refused: the row must be absent; present, it is a *phantom*
    in_doubt  the reply to the commit was lost: both are correct, and each is counted

An id that occurs more than once is a *duplicate*. A client waits for the reply to a write before it begins
the next. So a row is *disordered* if it is present while an earlier acknowledged row of the same client is
absent: the node did not preserve the client's order. Vocabulary after Jepsen (ok, fail, info).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fivenines.results.records import Check, NodeCheck

# Maximum number of ids of lost, phantom and disordered rows that are stored for each node.
MAX_IDS = 1000

_RANK = {"failed": 0, "in_doubt": 1, "ok": 2}


@dataclass(frozen=True)
class Operation:
    """A ledger operation as far as consistency is concerned; `kind` is `write` or `read`.

    A client's ids rise in the order of its writes.
    """

    id: int
    kind: str
    outcome: str
    client: int = 0


def check_nodes(
    operations: Iterable[Operation],
    ids: Mapping[str, list[int] | None],
    roles: Mapping[str, str],
    primary: str,
) -> Check:
    """Judge each node's rows by the outcomes of the ledger's writes.

    Args:
        operations: the ledger's operations in any order; reads are ignored. An id that was tried
            more than once counts with its best outcome: ok before in doubt before failed.
        ids: the ids on each node, repeated as often as they occur; None: not reachable.
        roles: the role of each node at the end.
        primary: the primary of record, by which loss is judged; "" if there is none.

    Raises:
        ValueError: an outcome other than ok, failed and in_doubt.
    """
    operations = list(operations)
    clients = {each.id: each.client for each in operations if each.kind == "write"}
    outcomes = write_outcomes(operations)
    by_outcome: dict[str, set[int]] = {outcome: set() for outcome in _RANK}
    for identifier, outcome in outcomes.items():
        by_outcome[outcome].add(identifier)
    return Check(
        acknowledged=len(by_outcome["ok"]),
        failed=len(by_outcome["failed"]),
        in_doubt=len(by_outcome["in_doubt"]),
        primary=primary,
        nodes=[
            _check_node(node, roles.get(node, ""), present, by_outcome, clients)
            for node, present in sorted(ids.items())
        ],
    )


def write_outcomes(operations: Iterable[Operation]) -> dict[int, str]:
    """Return the best outcome of each write by id.

    Raises:
        ValueError: an outcome other than ok, failed and in_doubt.
    """
    best: dict[int, str] = {}
    for operation in operations:
        if operation.outcome not in _RANK:
            raise ValueError(f"operation {operation.id}: unknown outcome {operation.outcome!r}")
        if operation.kind != "write":
            continue
        known = best.get(operation.id, "failed")
        best[operation.id] = max(known, operation.outcome, key=_RANK.__getitem__)
    return best


def primary_check(check: Check) -> NodeCheck | None:
    """Return the rows on the primary of record; None if there is none or it could not be read."""
    for node in check.nodes:
        if node.node == check.primary and node.reachable:
            return node
    return None


def disordered_ids(
    present: Iterable[int], acknowledged: Iterable[int], clients: Mapping[int, int]
) -> list[int]:
    """Return the rows that are present although an earlier acknowledged row of their client is absent.

    Args:
        present: the ids on a node.
        acknowledged: the ids that were acknowledged.
        clients: the client of each id; a row of an unknown id belongs to no client.
    """
    existing = set(present)
    first_absent: dict[int, int] = {}
    for identifier in acknowledged:
        if identifier not in existing:
            client = clients[identifier]
            first_absent[client] = min(identifier, first_absent.get(client, identifier))
    return sorted(
        identifier
        for identifier in existing
        if identifier in clients and identifier > first_absent.get(clients[identifier], identifier)
    )


def _check_node(
    node: str,
    role: str,
    ids: list[int] | None,
    by_outcome: Mapping[str, set[int]],
    clients: Mapping[int, int],
) -> NodeCheck:
    if ids is None:
        return NodeCheck(node=node, role=role, reachable=False, detail="could not be read")
    times = Counter(ids)
    present = set(times)
    lost = sorted(by_outcome["ok"] - present)
    phantom = sorted(by_outcome["failed"] & present)
    unknown = present.difference(*by_outcome.values())
    disordered = disordered_ids(present, by_outcome["ok"], clients)
    return NodeCheck(
        node=node,
        role=role,
        reachable=True,
        detail=f"{len(unknown)} rows that the ledger never wrote" if unknown else "",
        present=len(ids),
        lost=len(lost),
        lost_ids=lost[:MAX_IDS],
        phantom=len(phantom),
        phantom_ids=phantom[:MAX_IDS],
        in_doubt_applied=len(by_outcome["in_doubt"] & present),
        in_doubt_absent=len(by_outcome["in_doubt"] - present),
        duplicate=sum(n - 1 for n in times.values()),
        disordered=len(disordered),
        disordered_ids=disordered[:MAX_IDS],
    )
