"""Workloads: which data, which transactions. One file each; fivenines-core executes them."""
