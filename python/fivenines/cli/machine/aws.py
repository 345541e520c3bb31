"""`fivenines aws`: find and delete AWS resources that runs have left behind."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.base.errors import FiveninesError
from fivenines.cli.options import AsJson
from fivenines.cli.program import Command, Group

if TYPE_CHECKING:
    from fivenines.solutions.aurora.aws.api import Access
    from fivenines.solutions.aurora.aws.left import Left

app = typer.Typer(
    help="""Find and delete AWS resources that runs with `solution: aurora` have left behind.

    \b
    fivenines run mine.yaml --dry-run       show the estimated cost of the cluster
    fivenines run mine.yaml --yes           create, measure and delete the cluster
    fivenines aws sweep --region REGION     list what a killed run has left behind
    fivenines aws sweep --region REGION --yes    delete it

    Credentials come from boto3: AWS_PROFILE, ~/.aws or the machine's role.
    Install the extra first: pip install 'fivenines\\[aws]'

    Tested against an emulation of the AWS API only, never against AWS itself.
    """,
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.command("sweep", cls=Command)
def sweep(
    region: Annotated[
        str, typer.Option(help="AWS region, as eu-central-1; default: from the environment.", metavar="NAME")
    ] = "",
    profile: Annotated[str, typer.Option(help="Profile in ~/.aws.", metavar="NAME")] = "",
    endpoint_url: Annotated[str, typer.Option(help="Endpoint of an AWS-compatible API.", metavar="URL")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete the resources; without --yes they are only listed.")
    ] = False,
    in_use: Annotated[
        bool, typer.Option("--in-use", help="Include resources that a run on this machine is using.")
    ] = False,
    all_owners: Annotated[
        bool,
        typer.Option(
            "--all-owners", help="Include resources of other users and machines, which may be in use."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find AWS resources that runs have left behind, and delete them.

    A run deletes its cluster when it ends, also after Ctrl-C, SIGTERM or a
    failure. Use this command after a run was killed (kill -9, a power loss)
    or its credentials expired.

    \b
    fivenines aws sweep --region eu-central-1
    fivenines aws sweep --region eu-central-1 --yes

    Only resources with the tag fivenines:run are deleted, and only those that this
    account created on this machine, unless you add --all-owners. Rules of security
    groups that a killed run on this machine had removed are restored, too.

    Run it for each region. Exit code 1: resources are left.
    """
    from fivenines.cli.output import console
    from fivenines.solutions.aurora.aws import left
    from fivenines.solutions.aurora.aws.api import Access, Api

    access = Access(region, profile, endpoint_url)
    api = Api(access)
    found = left.find(api)
    chosen = [
        one for one in found if (all_owners or one.origin.is_mine) and (in_use or not one.origin.in_use)
    ]
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
    """Return the security groups with restored rules, and those with missing rules and the reason."""
    from fivenines.solutions.aurora.aws import cuts
    from fivenines.solutions.aurora.aws.api import Api

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
    from fivenines.cli.output import console

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
        console.say(f"{group}: its rules are restored")
    for group in out:
        console.say(f"{group}: a killed run has removed rules from it; restore them with --yes", "yellow")


def _conclude(
    found: "list[Left]", chosen: "list[Left]", yes: bool, reasons: list[str], access: "Access"
) -> None:
    from fivenines.cli.output import console
    from fivenines.solutions.aurora.aws import left

    if not found:
        console.say("No cluster of fivenines is left in this region.")
    elif not chosen:
        console.say("Nothing to delete: these clusters are in use or belong to another user or machine.")
    elif not yes:
        console.say(f"To delete them: {left.command(access)}", "bold")
    elif reasons:
        console.say(f"Not deleted: {'; '.join(reasons)}", "red")
    else:
        console.say(f"Deleting: {', '.join(one.name for one in chosen)}", "bold")


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
