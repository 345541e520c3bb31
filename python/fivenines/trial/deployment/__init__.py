"""Deployment of a solution with its access layer and its failover manager in a lab."""
