"""Replaying on Spark: against other sources of the same rows, and how it grows."""
