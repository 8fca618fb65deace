"""The structs of RDF Patch and RDF in Thrift, as in jelly_rdflib/proto/rdf-patch.thrift."""

cdef enum:
    # Kinds of structs: those in `STRUCTS`, then one for all unused structs.
    RDF_PATCH_ROW, RDF_PATCH_HEADER, RDF_PATCH_DATA_ADD, RDF_PATCH_DATA_DEL, RDF_PATCH_PREFIX_ADD,
    RDF_PATCH_PREFIX_DEL,
    RDF_TERM, RDF_IRI, RDF_BNODE, RDF_LITERAL, RDF_TRIPLE, RDF_DECIMAL,
    RDF_STREAM_ROW, RDF_QUAD, RDF_PREFIX_DECL, RDF_PREFIX_NAME, OTHER_STRUCT

cdef enum:
    # Fields of a row.
    ROW_HEADER = 1, DATA_ADD, DATA_DEL, PREFIX_ADD, PREFIX_DEL, TXN

cdef enum:
    # Fields of a row of statements.
    ROW_PREFIX = 1, ROW_TRIPLE, ROW_QUAD

cdef enum:
    # Fields of a term. VARIABLE to REPEAT are not used, nor is PREFIX_NAME in RDF Patch.
    TERM_IRI = 1, BNODE, LITERAL, PREFIX_NAME, VARIABLE, UNBOUND, UNDEFINED, REPEAT, TERM_TRIPLE,
    VAL_INTEGER, VAL_DOUBLE, VAL_DECIMAL, MAX_FIELDS = VAL_DECIMAL

cdef enum:
    # Fields of a literal.
    LEX = 1, LANGTAG, DATATYPE, DT_PREFIX, BASE_DIRECTION

cdef enum:
    # Values of TXN, from 0 on.
    TXN_TX, TXN_TC, TXN_TA, TXN_SEGMENT

# The fields of each struct, from number 1 on, with their types. "!" marks a required field.
STATEMENT = "s:RDF_Term! p:RDF_Term! o:RDF_Term! g:RDF_Term"
STRUCTS = {
    "RDF_Patch_Row": "header:Patch_Header dataAdd:Patch_Data_Add dataDel:Patch_Data_Del"
    " prefixAdd:Patch_Prefix_Add prefixDel:Patch_Prefix_Del txn:i32",
    "Patch_Header": "name:string! value:RDF_Term!",
    "Patch_Data_Add": STATEMENT,
    "Patch_Data_Del": STATEMENT,
    "Patch_Prefix_Add": "graphNode:RDF_Term prefix:string! iriStr:string!",
    "Patch_Prefix_Del": "graphNode:RDF_Term prefix:string!",
    "RDF_Term": "iri:RDF_IRI bnode:RDF_BNode literal:RDF_Literal prefixName:RDF_PrefixName"
    " variable:RDF_VAR any:RDF_ANY undefined:RDF_UNDEF repeat:RDF_REPEAT tripleTerm:RDF_Triple"
    " valInteger:i64 valDouble:double valDecimal:RDF_Decimal",
    "RDF_IRI": "iri:string!",
    "RDF_BNode": "label:string!",
    "RDF_Literal": "lex:string! langtag:string datatype:string dtPrefix:RDF_PrefixName"
    " baseDirection:string",
    "RDF_Triple": "S:RDF_Term! P:RDF_Term! O:RDF_Term!",
    "RDF_Decimal": "value:i64! scale:i32!",
    "RDF_StreamRow": "prefixDecl:RDF_PrefixDecl triple:RDF_Triple quad:RDF_Quad",
    "RDF_Quad": "S:RDF_Term! P:RDF_Term! O:RDF_Term! G:RDF_Term",
    "RDF_PrefixDecl": "prefix:string! uri:string!",
    "RDF_PrefixName": "prefix:string! localName:string!",
}
TYPES = {"i32": I32, "i64": I64, "double": DOUBLE, "string": BINARY}


ctypedef struct FieldSpec:
    int type  # STOP: no such field
    int kind  # the kind of the struct in the field
    const char* name


ctypedef struct StructSpec:
    const char* name
    const char* lacks  # the message for a missing field
    uint32_t required  # a bit for the number of each field
    bint is_union  # a union has only one field
    FieldSpec[MAX_FIELDS + 1] fields


cdef StructSpec[OTHER_STRUCT] SPECS
memset(SPECS, 0, sizeof(SPECS))
# Keeps alive the texts that the specs point to.
cdef list NAMES = []


cdef const char* keep(str text) except NULL:
    cdef bytes name = text.encode()
    NAMES.append(name)
    return name


cdef int make_spec(StructSpec* spec, str name, list fields) except -1:
    cdef FieldSpec* field
    required = [each.partition(":")[0] for each in fields if each.endswith("!")]
    spec.name = keep(name)
    spec.lacks = keep(f"{name} lacks {' or '.join(required)}")
    spec.is_union = name in ("RDF_Patch_Row", "RDF_StreamRow", "RDF_Term")
    for number, each in enumerate(fields, 1):
        field_name, _, type_ = each.rstrip("!").partition(":")
        field = &spec.fields[<int>number]
        field.name = keep(f"{field_name} of {name}")
        field.type = TYPES.get(type_, STRUCT)
        field.kind = list(STRUCTS).index(type_) if type_ in STRUCTS else OTHER_STRUCT
        spec.required |= <uint32_t>(field_name in required) << <int>number
    return 0


for index, (name, fields) in enumerate(STRUCTS.items()):
    make_spec(&SPECS[<int>index], name, fields.split())
