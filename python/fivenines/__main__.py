"""`python -m fivenines` is the same program as `fivenines`."""

from fivenines.cli.main import main

main()
