"""`fivenines aws`: what fivenines has left at Amazon, and what it can do there."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli.options import AsJson
from fivenines.cli.program import Command, Group
from fivenines.errors import FiveninesError

if TYPE_CHECKING:
    from fivenines.aws.api import Access
    from fivenines.aws.left import Left

app = typer.Typer(
    help="""What runs with `solution: aurora` have made at Amazon, and left there.

    \b
    fivenines run mine.yaml --dry-run       what a cluster for the run costs
    fivenines run mine.yaml --yes           make it, measure it, delete it
    fivenines aws sweep --region REGION     what a killed run has left
    fivenines aws sweep --region REGION --yes    delete that

    Credentials are those of boto3: AWS_PROFILE, or ~/.aws, or the machine's
    role. It takes the extra: pip install 'fivenines\\[aws]'

    It was never run against AWS, but against a stand-in for its API.
    """,
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.command("sweep", cls=Command)
def sweep(
    region: Annotated[
        str, typer.Option(help="As eu-central-1; default: as the environment says.", metavar="NAME")
    ] = "",
    profile: Annotated[str, typer.Option(help="Of ~/.aws.", metavar="NAME")] = "",
    endpoint_url: Annotated[str, typer.Option(help="Of a stand-in for the API.", metavar="URL")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Delete it; without: only list.")] = False,
    in_use: Annotated[
        bool, typer.Option("--in-use", help="Also what a run on this machine uses now.")
    ] = False,
    everybody: Annotated[
        bool,
        typer.Option("--everybody", help="Also what others, or other machines, have made: it may be in use."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find what runs have left at Amazon, and delete it.

    A run deletes the cluster that it made, also after Ctrl-C, SIGTERM or a
    failure. It cannot if it is killed itself (kill -9, a power loss), or if
    its credentials have expired: then this does.

    \b
    fivenines aws sweep --region eu-central-1
    fivenines aws sweep --region eu-central-1 --yes

    Only what carries the tag fivenines:run is ever deleted, and only what this
    account of this machine has made, unless you say --everybody. Rules of security
    groups that a killed run on this machine has taken out are put back, too.

    Each region is looked at by itself. Exit code 1: something is still there.
    """
    from fivenines.aws import left
    from fivenines.aws.api import Access, Api
    from fivenines.cli import console

    access = Access(region, profile, endpoint_url)
    api = Api(access)
    found = left.find(api)
    chosen = [one for one in found if (everybody or one.origin.is_mine) and (in_use or not one.origin.in_use)]
    reasons = [reason for one in chosen for reason in left.delete(api, one)] if yes else []
    healed, unhealed = _rules(yes)
    if as_json:
        console.as_json(
            {
                "left": [_as_dict(one) for one in found],
                "deleted": [one.name for one in chosen] if yes and not reasons else [],
                "failed": reasons,
                "rules_given_back": healed,
                "rules_out": unhealed,
            }
        )
    else:
        _show(found, healed, unhealed)
        _conclude(found, chosen, yes, reasons, access)
    if reasons or unhealed or (chosen and not yes):
        raise typer.Exit(1)


def _rules(yes: bool) -> tuple[list[str], list[str]]:
    """The security groups whose rules were put back, and those whose rules are out, with the reason."""
    from fivenines.aws import cuts
    from fivenines.aws.api import Api

    healed: list[str] = []
    out: list[str] = []
    for one in cuts.unhealed():
        names = ", ".join(one.rules)
        try:
            if yes:
                cuts.heal(Api(one.access), one)
            (healed if yes else out).append(names)
        except FiveninesError as error:
            out.append(f"{names} ({error})")
    return healed, out


def _show(found: "list[Left]", healed: list[str], out: list[str]) -> None:
    from fivenines.cli import console

    if found:
        console.table(
            ["cluster", "instances", "state", "since", "by", "run"],
            [
                [
                    one.cluster,
                    ", ".join(one.instances),
                    "in use" if one.origin.in_use else one.status,
                    one.origin.created,
                    f"{one.origin.owner} on {one.origin.host}",
                    one.origin.run,
                ]
                for one in found
            ],
        )
    for group in healed:
        console.say(f"{group}: its rules are back")
    for group in out:
        console.say(f"{group}: a run was killed that had taken rules out of it", "yellow")


def _conclude(
    found: "list[Left]", chosen: "list[Left]", yes: bool, reasons: list[str], access: "Access"
) -> None:
    from fivenines.aws import left
    from fivenines.cli import console

    if not found:
        console.say("No cluster of fivenines is left here.")
    elif not chosen:
        console.say("None of these is yours to delete: it is in use, or others have made it.")
    elif not yes:
        console.say(f"To delete it: {left.command(access)}", "bold")
    elif reasons:
        console.say(f"Not deleted: {'; '.join(reasons)}", "red")
    else:
        console.say(f"Being deleted: {', '.join(one.name for one in chosen)}", "bold")


def _as_dict(one: "Left") -> dict[str, object]:
    return {
        "cluster": one.cluster,
        "instances": list(one.instances),
        "state": one.status,
        "created": one.origin.created,
        "owner": one.origin.owner,
        "host": one.origin.host,
        "run": one.origin.run,
        "in_use": one.origin.in_use,
    }
