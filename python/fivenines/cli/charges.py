"""What a run costs where somebody is paid for it: said before, and agreed to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fivenines.cli.planned import Planned
from fivenines.errors import UsageError

if TYPE_CHECKING:
    from fivenines.aws.prices import Charge

_NOT_ALL = "Storage, I/O, backups and traffic come on top."


def of(work: Planned) -> "list[Charge]":
    """The charges of a part: of each solution that is made at others' place, for the whole of it."""
    solutions = {one.cell.solution.name: one.cell.solution for one in work.trials}
    found = [one.charge(work.seconds) for one in solutions.values()]
    return [one for one in found if one is not None]


def lines(works: Sequence[Planned]) -> list[str]:
    """The estimate in lines; none where nothing is paid for."""
    found = [charge for work in works for charge in of(work)]
    if not found:
        return []
    said = [f"made for the run and deleted afterwards: {one}" for one in found]
    return [*said, f"{_total(found)} {_NOT_ALL}"]


def as_dicts(work: Planned) -> list[dict[str, Any]]:
    """The same as JSON: instances, hours, price of an instance per hour, and the amount."""
    return [
        {
            "solution": one.solution,
            "class": one.kind,
            "instances": one.count,
            "hours": round(one.seconds / 3600, 2),
            "price_per_hour": one.price,
            "amount": one.amount,
            "budget": one.budget,
        }
        for one in of(work)
    ]


def require_agreed(works: Sequence[Planned], yes: bool) -> None:
    """Begin nothing that costs money before somebody has read how much.

    Raises:
        UsageError: the price is not known, or nobody has agreed to it.
    """
    found = [charge for work in works for charge in of(work)]
    if unknown := [one.solution for one in found if one.price is None]:
        raise UsageError(
            f"{', '.join(unknown)}: what an instance costs is not known: the price list does not say. Set "
            "`price_per_hour` to what you pay for one"
        )
    if found and not yes:
        raise UsageError("\n".join([*lines(works), "Add --yes to run it at that price"]))


def _total(found: "Sequence[Charge]") -> str:
    amounts = [one.amount for one in found if one.amount is not None]
    if len(amounts) < len(found):
        return "What it costs is not known: set `price_per_hour`."
    return f"Estimate: {sum(amounts):.2f} for instances, in the currency of the price (list prices: USD)."
