"""`fivenines stacks`: drivers and pools of applications as clients of a failover."""
