"""Live changes: patches that are received and sent over Kafka, gRPC, MQTT and HTTP."""

from jelly_rdflib.live.sink import Sink as Sink
from jelly_rdflib.live.transports import connect as connect
from jelly_rdflib.live.transports import open_sink as open_sink
from jelly_rdflib.log.source import Source as Source
