"""An independent, slow and obvious implementation of Jelly-Patch, to hold the package against.

- `schema`: protobuf's own classes, compiled from ``proto/`` when the tests start.
- `build`: rows and frames in few words.
- `wire`: Protocol Buffers' wire format by hand: what the strict reader must refuse, and the odd but
  legal spellings that a foreign producer may use.
- `decoder`: messages to operations, rule by rule.
- `producer`: operations to messages, with every choice that the format leaves to a producer.
- `terms`: terms as plain tuples, and the comparison of rdflib's terms attribute by attribute.

Nothing here imports the package's readers or writers.
"""
