"""Faults: what is broken on purpose. One file each; each verifies that it really happened."""
