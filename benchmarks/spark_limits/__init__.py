"""Measure what grows with the data on Spark, on executors of 1 GB: ``make bench-spark-limits``."""
