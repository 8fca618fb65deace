"""The messages of the schema as a table: the kinds of their fields, and their oneofs."""

cdef enum:
    # The kind of a field. From `FIRST_MESSAGE` on it is the number of a message in `SCHEMA`.
    NO_FIELD = 0  # the message has no such field
    NUMBER = 1  # uint32
    ENUM = 2  # or bool: any varint
    BYTES = 3
    TEXT = 4
    FIRST_MESSAGE = 5

cdef enum:
    # The numbers must not change, since checkpoints store the number of the row's message.
    IRI_MESSAGE = 5
    LITERAL_MESSAGE = 6
    TRIPLE_MESSAGE = 7
    QUAD_MESSAGE = 8
    LOOKUP_ENTRY = 9
    PATCH_OPTIONS = 10
    PATCH_NAMESPACE = 11
    PATCH_HEADER = 12
    PATCH_ROW = 13
    STREAM_OPTIONS = 14
    GRAPH_START_MESSAGE = 15
    NAMESPACE_DECLARATION = 16
    STREAM_ROW = 17
    TRIPLE_STATEMENT = 18  # an RdfTriple in a row, which is not quoted
    METADATA_ENTRY = 19
    EMPTY_MESSAGE = 20
    # The messages of Jelly-RDF 1.2, a draft.
    COLUMN_ROW = 21
    COLUMN_OPTIONS = 22
    COLUMN_TRIPLE = 23
    COLUMN_LITERAL = 24
    MESSAGES = 25

cdef enum:
    MAX_FIELD = 16
    MAX_SLOTS = 12

ctypedef struct Field:
    # A field in the input that the schema defines.
    uint32_t number
    int kind
    const uint8_t* at  # the field's tag
    uint64_t value  # of a NUMBER or an ENUM
    Span span  # of anything else

TERMS = [IRI_MESSAGE, TEXT, LITERAL_MESSAGE, TRIPLE_MESSAGE]
GRAPH_TERMS = [IRI_MESSAGE, TEXT, EMPTY_MESSAGE, LITERAL_MESSAGE]
STATEMENT = [dict(enumerate(TERMS, first)) for first in (1, 5, 9)]
FLAGS = [{3: ENUM}, {4: ENUM}]
SIZES = [{9: NUMBER}, {10: NUMBER}, {11: NUMBER}]
STATEMENT_ROWS = {
    2: TRIPLE_STATEMENT, 3: QUAD_MESSAGE, 4: GRAPH_START_MESSAGE, 5: EMPTY_MESSAGE,
    6: NAMESPACE_DECLARATION, 9: LOOKUP_ENTRY, 10: LOOKUP_ENTRY, 11: LOOKUP_ENTRY,
}

# The oneofs of each message that has fields; a oneof is a dict from a member's field number to its
# kind. A single field is a oneof with one member.
FIELDS = {
    IRI_MESSAGE: [{1: NUMBER}, {2: NUMBER}],
    LITERAL_MESSAGE: [{1: TEXT}, {2: TEXT, 3: NUMBER}],
    TRIPLE_MESSAGE: STATEMENT,
    TRIPLE_STATEMENT: STATEMENT,
    QUAD_MESSAGE: [*STATEMENT, dict(enumerate(GRAPH_TERMS, 13))],
    LOOKUP_ENTRY: [{1: NUMBER}, {2: TEXT}],
    PATCH_OPTIONS: [{1: ENUM}, {2: ENUM}, *FLAGS, *SIZES, {15: NUMBER}],
    PATCH_NAMESPACE: [{1: TEXT}, {2: IRI_MESSAGE}, dict(enumerate(GRAPH_TERMS, 3))],
    PATCH_HEADER: [{1: TEXT}, dict(enumerate(TERMS, 2))],
    PATCH_ROW: [{
        1: PATCH_OPTIONS, 2: QUAD_MESSAGE, 3: QUAD_MESSAGE, 4: PATCH_NAMESPACE, 5: PATCH_NAMESPACE,
        6: EMPTY_MESSAGE, 7: EMPTY_MESSAGE, 8: EMPTY_MESSAGE,
        11: LOOKUP_ENTRY, 12: LOOKUP_ENTRY, 13: LOOKUP_ENTRY, 14: PATCH_HEADER, 15: EMPTY_MESSAGE,
    }],
    # Fields 5 and 6, which belong to Jelly-RDF 1.2, must be unset.
    STREAM_OPTIONS: [
        {1: TEXT}, {2: ENUM}, *FLAGS, {5: ENUM}, {6: ENUM}, *SIZES, {14: ENUM}, {15: NUMBER},
    ],
    GRAPH_START_MESSAGE: [dict(enumerate(GRAPH_TERMS, 1))],
    NAMESPACE_DECLARATION: [{1: TEXT}, {2: IRI_MESSAGE}],
    METADATA_ENTRY: [{1: TEXT}, {2: BYTES}],
    STREAM_ROW: [{1: STREAM_OPTIONS, **STATEMENT_ROWS}],
    COLUMN_ROW: [{1: COLUMN_OPTIONS, **STATEMENT_ROWS}],
    # The fields of both drafts; see `DRAFTS`.
    COLUMN_OPTIONS: [
        {1: TEXT}, {2: ENUM}, *FLAGS, {5: ENUM}, {6: ENUM}, {7: ENUM}, *SIZES, {14: ENUM},
        {15: NUMBER},
    ],
    COLUMN_TRIPLE: [
        {1: IRI_MESSAGE, 2: TEXT}, {5: IRI_MESSAGE},
        {9: IRI_MESSAGE, 10: TEXT, 11: COLUMN_LITERAL, 12: COLUMN_TRIPLE},
    ],
    COLUMN_LITERAL: [{1: TEXT}, {2: TEXT, 3: NUMBER}, {4: ENUM}],
}

# For each message and field number, the kind of the field and the slot of its oneof.
cdef uint8_t[MESSAGES][MAX_FIELD + 1] SCHEMA
cdef uint8_t[MESSAGES][MAX_FIELD + 1] SLOTS
cdef uint8_t[MESSAGES] SLOT_COUNTS
memset(SCHEMA, NO_FIELD, sizeof(SCHEMA))
for message in range(MESSAGES):
    SLOT_COUNTS[message] = len(FIELDS.get(message, ()))
    for slot, members in enumerate(FIELDS.get(message, ())):
        for field, kind in members.items():
            SCHEMA[message][field] = kind
            SLOTS[message][field] = slot


cdef inline int field_kind(int message, uint32_t field) noexcept nogil:
    return SCHEMA[message][field] if field <= MAX_FIELD else NO_FIELD

# The operation of a row, by the row's message and the number of its field; 0: none.
cdef uint8_t[MESSAGES][MAX_FIELD + 1] OPERATIONS
memset(OPERATIONS, 0, sizeof(OPERATIONS))
for field, op in (
    (STATEMENT_ADD, A), (STATEMENT_DELETE, D), (NAMESPACE_ADD, PA), (NAMESPACE_DELETE, PD),
    (TRANSACTION_START, TX), (TRANSACTION_COMMIT, TC), (TRANSACTION_ABORT, TA), (HEADER, H),
    (PUNCTUATION, END),
):
    OPERATIONS[PATCH_ROW][field] = op
for field, op in ((TRIPLE, A), (QUAD, A), (NAMESPACE, PA)):
    OPERATIONS[STREAM_ROW][field] = op
