"""Measure what grows with the data on Spark, with 1 GB executors: ``make bench-spark-limits``."""
