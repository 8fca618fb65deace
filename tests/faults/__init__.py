"""Tests `apply` with a fault injected at each possible point in turn."""
