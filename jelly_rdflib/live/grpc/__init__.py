"""Patches and statements over gRPC.

`patches` has the source and the sink, `log_server` the server of a patch log. `rdf` has the server
and the client of the official Jelly-RDF service.
"""

from jelly_rdflib.live.grpc.patches import GrpcSink as open_sink
from jelly_rdflib.live.grpc.patches import GrpcSource as open_source
from jelly_rdflib.live.grpc.rdf import RdfStreamServer, publish_rdf, subscribe_rdf

__all__ = ["RdfStreamServer", "open_sink", "open_source", "publish_rdf", "subscribe_rdf"]
