"""The scripted operator: a small failover manager of fivenines."""
