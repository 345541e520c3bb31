"""`fivenines down`: ends what `up` began."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)


def down() -> None:
    """End what `up` brought up; nothing is left of it.

    \b
    fivenines down
    """
    from fivenines.cli import console
    from fivenines.playground import down as end

    end()
    console.say("down")
