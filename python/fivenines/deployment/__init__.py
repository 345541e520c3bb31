"""A solution with its access layer and its failover manager, brought up in a lab."""
