"""`fivenines down`: ends what `up` began."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)


def down() -> None:
    """End what `up` brought up; nothing is left of it. With nothing up there is nothing to do.

    \b
    fivenines down
    """
    from fivenines.cli import console
    from fivenines.playground import down as end

    console.say("down" if end() else "nothing is up")
