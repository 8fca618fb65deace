"""Compare live changes by Kafka, gRPC, MQTT and HTTP with bare clients: ``make bench-live``."""
