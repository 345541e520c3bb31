"""Hosts on other machines, reached over SSH: an inventory, connections, and a lab of such hosts."""
