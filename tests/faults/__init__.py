"""Faults put in the way of `apply`, at each place in turn."""
