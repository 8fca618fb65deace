"""An independent, slow and obvious implementation of the formats, to compare the package with.

- `schema`: protobuf's own classes, compiled from ``proto/`` when the tests start.
- `wire`: Protocol Buffers' wire format, coded by hand: what a strict reader must refuse, and the
  odd but legal bytes that a foreign producer may write.
- `terms`: terms as plain tuples, and the comparison of rdflib's terms attribute by attribute.
- `reference`, `term_producer`: terms and lookups, which both formats share.
- `build`, `decoder`, `producer`: for Jelly-Patch. `build` has short functions that build rows and
  frames, `decoder` turns messages into operations, rule by rule, and `producer` turns operations
  into messages and exercises every choice that a producer has.
- `rdf_build`, `rdf_decoder`, `rdf_producer`: the same for Jelly-RDF.
- `columns_schema`, `columns_decoder`, `columns_producer`: the same for the draft of Jelly-RDF 1.2.

No module here imports the package's readers or writers.
"""
