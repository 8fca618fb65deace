"""The options of Jelly-RDF 1.2; its two drafts share the version, but not the field numbers."""

cdef enum:
    # The field of a frame that contains columns.
    COLUMNS_FIELD = 2
    # Indexes in the decoder's array of options, for options that only Jelly-RDF 1.2 has.
    MESSAGES_OPTION = 5  # the stream type: 0 for FLAT, 1 for MESSAGES
    RDF_VERSION_OPTION = 6
    LENGTHS_OPTION = 7  # the field of message lengths, which identifies the draft
    # The minimum size of the name lookup.
    MIN_COLUMN_NAMES = 128

cdef enum:
    # The values of `RdfVersion`; 0 announces no version.
    RDF_1_1 = 1
    RDF_1_2_BASIC = 2
    RDF_1_2 = 3

RDF_VERSIONS = ["unspecified", "1.1", "1.2-basic", "1.2"]

ctypedef struct Draft:
    # Field numbers: three of the options, and one of a batch of columns.
    uint32_t physical_type
    uint32_t stream_type
    uint32_t rdf_version
    uint32_t message_lengths

# The later draft, and the earlier one, whose options have no field 2.
cdef Draft[2] DRAFTS
DRAFTS[0] = Draft(2, 5, 6, 15)
DRAFTS[1] = Draft(5, 6, 7, 10)
