# Numbers in the schema (proto/rdf.proto, proto/patch.proto): fields of rows, types of streams.

cdef enum:
    # Positions of terms in a statement.
    SUBJECT = 0
    PREDICATE = 1
    OBJECT = 2
    GRAPH = 3

cdef enum:
    # The field of a frame that contains its rows, and the tag of this field.
    ROWS_FIELD = 1
    ROWS_TAG = 0x0A
    # The field of RdfStreamFrame that contains its metadata.
    METADATA = 15
    # The field of a row that contains the stream's options.
    OPTIONS_ROW = 1

cdef enum:
    # The oneof of RdfStreamRow, without the options.
    TRIPLE = 2
    QUAD = 3
    GRAPH_START = 4
    GRAPH_END = 5
    NAMESPACE = 6
    RDF_NAME = 9
    RDF_PREFIX = 10
    RDF_DATATYPE = 11

cdef enum:
    # The oneof of RdfPatchRow, without the options.
    STATEMENT_ADD = 2
    STATEMENT_DELETE = 3
    NAMESPACE_ADD = 4
    NAMESPACE_DELETE = 5
    TRANSACTION_START = 6
    TRANSACTION_COMMIT = 7
    TRANSACTION_ABORT = 8
    PATCH_NAME = 11
    PATCH_PREFIX = 12
    PATCH_DATATYPE = 13
    HEADER = 14
    PUNCTUATION = 15

cdef enum:
    # Physical types of Jelly-RDF; the first two are the statement types of Jelly-Patch as well.
    TRIPLES = 1
    QUADS = 2
    GRAPHS = 3

cdef enum:
    # Stream types of Jelly-Patch.
    FRAME = 1
    FLAT = 2
    PUNCTUATED = 3
