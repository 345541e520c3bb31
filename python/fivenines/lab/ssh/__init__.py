"""Hosts on other machines, reached over SSH: an inventory, connections, and a world of such hosts."""
