"""Calibration of fivenines on this machine: known effects are planted and compared with measured figures."""
