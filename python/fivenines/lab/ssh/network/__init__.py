"""The network between machines of an inventory: sites, links and cuts, made at each machine."""
