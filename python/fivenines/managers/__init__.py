"""Failover managers: who notices that the primary is gone and promotes another node. One file each."""
