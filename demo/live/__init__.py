"""An application, a log server, replicas, Fuseki and Spark: ``make demo-live``."""
