"""Availability: outages, failovers in phases, recovery, nines."""
