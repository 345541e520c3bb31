"""The network of a lab: bridges, links between sites, partitions, forwarded ports."""
