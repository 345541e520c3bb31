"""Chapters on outages, failovers by phase, and computed availability."""
