"""Estimate the cloud cost of a run, and require the user's consent."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.base.errors import UsageError
from fivenines.cli.experiments.planned import Planned

if TYPE_CHECKING:
    from fivenines.solutions.aurora.aws.prices import Charge

YesOption = Annotated[bool, typer.Option("--yes", help="Accept the estimated cloud cost.")]

_NOT_ALL = "Storage, I/O, backups and network traffic cost extra."


def of(work: Planned) -> "list[Charge]":
    """Return the charges of a part, one per cloud solution, for its whole duration."""
    solutions = {trial.cell.solution.name: trial.cell.solution for trial in work.trials}
    found = [solution.charge(work.seconds) for solution in solutions.values()]
    return [one for one in found if one is not None]


def lines(works: Sequence[Planned]) -> list[str]:
    """Return the estimate as lines; empty if the run costs nothing."""
    found = [charge for work in works for charge in of(work)]
    if not found:
        return []
    charges = [f"created for the run and deleted afterwards: {charge}" for charge in found]
    return [*charges, f"{_total(found)} {_NOT_ALL}"]


def as_dicts(work: Planned) -> list[dict[str, Any]]:
    """Return the charges for JSON: instances, hours, price of an instance per hour, amount."""
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
    """Require consent to the estimated cost before anything is created.

    Raises:
        UsageError: the price is unknown, or --yes is missing.
    """
    found = [charge for work in works for charge in of(work)]
    if unknown := [one.solution for one in found if one.price is None]:
        raise UsageError(
            f"{', '.join(unknown)}: the price list has no price for this instance class. Set "
            "`price_per_hour` to the price of one instance"
        )
    if found and not yes:
        raise UsageError("\n".join([*lines(works), "Add --yes to accept this cost"]))


def _total(found: "Sequence[Charge]") -> str:
    amounts = [one.amount for one in found if one.amount is not None]
    if len(amounts) < len(found):
        return "The cost is unknown. Set `price_per_hour`."
    return f"Estimate: {sum(amounts):.2f} for instances, in the currency of the price (list prices: USD)."
