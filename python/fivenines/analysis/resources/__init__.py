"""Resources: counters of servers and hosts, CPU, disk, traffic, cost."""
