"""Patches and statements by gRPC.

`patches` has the source and the sink, `log_server` the server of a patch log. `rdf` has the
official service of Jelly-RDF, both sides.
"""

from jelly_rdflib.live.grpc.patches import open_sink as open_sink
from jelly_rdflib.live.grpc.patches import open_source as open_source
from jelly_rdflib.live.grpc.rdf import RdfStreamServer as RdfStreamServer
from jelly_rdflib.live.grpc.rdf import publish_rdf as publish_rdf
from jelly_rdflib.live.grpc.rdf import subscribe_rdf as subscribe_rdf
