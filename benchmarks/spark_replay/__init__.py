"""Measure replaying on Spark, compared with other sources of the same rows, and over the size."""
