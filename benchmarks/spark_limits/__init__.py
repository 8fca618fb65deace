"""What grows on Spark with the data, on executors of 1 GB: ``make bench-spark-limits``."""
