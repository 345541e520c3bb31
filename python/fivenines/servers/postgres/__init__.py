"""PostgreSQL: all that is asked of it."""
