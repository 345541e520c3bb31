"""Pacemaker and Corosync, with servers on their own disks or on a replicated one."""
