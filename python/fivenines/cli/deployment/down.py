"""`fivenines down`: tear down the running deployment."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)


def down() -> None:
    """Tear down the running deployment. Does nothing if there is none.

    \b
    fivenines down
    """
    from fivenines.cli.output import console
    from fivenines.trial.manual import down as end

    console.say("torn down" if end() else "no deployment is running")
