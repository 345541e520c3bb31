"""Sections of an experiment file that belong to no other package."""
