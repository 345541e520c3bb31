"""Servers that fivenines did not start: queried over the network, by a driver or by ODBC."""
