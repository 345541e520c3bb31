"""Campaigns: schedule, dispatch and journal the trials of a plan, on one machine or several."""
