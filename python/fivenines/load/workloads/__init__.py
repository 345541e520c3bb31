"""Workloads: their data and transactions, one file each; fivenines-core executes them."""
