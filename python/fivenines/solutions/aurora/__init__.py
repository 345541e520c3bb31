"""Amazon Aurora, and Multi-AZ clusters of RDS."""
