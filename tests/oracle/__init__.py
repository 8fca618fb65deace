"""An independent, slow and obvious implementation of the formats, to hold the package against.

- `schema`: protobuf's own classes, compiled from ``proto/`` when the tests start.
- `wire`: Protocol Buffers' wire format by hand: what the strict reader must refuse, and the odd but
  legal spellings that a foreign producer may use.
- `terms`: terms as plain tuples, and the comparison of rdflib's terms attribute by attribute.
- `reference`, `term_producer`: terms and lookups, as both formats have them.
- `build`, `decoder`, `producer`: of Jelly-Patch: rows and frames in few words; messages to
  operations, rule by rule; operations to messages, with every choice that is left to a producer.
- `rdf_build`, `rdf_decoder`, `rdf_producer`: the same of Jelly-RDF.
- `columns_schema`, `columns_decoder`, `columns_producer`: the same of Jelly-RDF 1.2, a draft.

Nothing here imports the package's readers or writers.
"""
