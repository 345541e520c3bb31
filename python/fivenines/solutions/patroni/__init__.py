"""PostgreSQL under Patroni."""
