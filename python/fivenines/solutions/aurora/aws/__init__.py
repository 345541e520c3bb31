"""Amazon's API for fivenines: clusters of RDS, security groups, prices, leftovers."""
