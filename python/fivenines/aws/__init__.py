"""Amazon's API as far as fivenines needs it: clusters of RDS, security groups, prices, what was left."""
