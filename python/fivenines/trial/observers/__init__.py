"""Observers: what fivenines records during a trial in addition to the load."""
