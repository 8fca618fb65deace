"""The wire formats, in Cython: convert bytes to batches and back, without importing rdflib.

Each module includes the parts in the folder of its name; ``jelly_decoder`` and ``jelly_encoder``
share the folder ``jelly``. A part is a ``.pxi`` file about one concept; a ``.pxd`` file next to it
declares what other modules use.

- ``wire``: protobuf's wire format, texts and hashes, and the failures of code without the GIL
- ``batch``: rows of numbers with a table of distinct terms, and iterators over them
- ``io``: input and output buffers; ``source`` and ``input_start``, in Python, open the input
- ``jelly_decoder``, ``jelly_encoder``: frames of Jelly-RDF and Jelly-Patch
- ``text``: RDF Patch text, N-Triples and N-Quads
- ``thrift``: RDF Patch in Thrift's compact protocol
- ``arrow``: rows to Arrow columns, and back
"""
