"""PostgreSQL hot standby."""
