"""The program of the Python client stacks, which runs with packages of its own and without fivenines."""
