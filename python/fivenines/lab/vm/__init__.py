"""Hosts that are virtual machines."""
