"""Client stacks: what came of them, in a trial and in a cell."""
