"""Failover managers: they detect the failure of a primary and promote another node.

One file or folder each.
"""
