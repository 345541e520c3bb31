"""Custom programs on hosts of the lab: proxies and failover managers that users provide."""
