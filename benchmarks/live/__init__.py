"""Live changes through Kafka, gRPC, MQTT and HTTP, beside the bare clients: ``make bench-live``."""
