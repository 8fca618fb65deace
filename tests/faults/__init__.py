"""Tests `apply` with a fault at each place in turn."""
