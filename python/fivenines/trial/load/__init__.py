"""Loads of a trial: on one or several clients, and their merged results."""
