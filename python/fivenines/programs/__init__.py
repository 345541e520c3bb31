"""Programs of one's own on hosts of the lab: proxies and failover managers that somebody brings."""
