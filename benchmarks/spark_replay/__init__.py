"""Measure replaying on Spark, against other sources of the same rows and over the size."""
