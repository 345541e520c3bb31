"""Checks on real servers after a trial, whose results become part of its record."""
