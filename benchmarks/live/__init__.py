"""Compare live changes over Kafka, gRPC, MQTT and HTTP with bare clients: ``make bench-live``."""
