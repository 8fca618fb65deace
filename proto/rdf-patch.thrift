/*
 * RDF Patch and RDF Thrift in Thrift's compact protocol, as Apache Jena writes and reads them: one
 * RDF_Patch_Row, or one RDF_StreamRow, after another, with nothing around or between them.
 *
 * The bytes depend on numbers and types only; names are Jena's.
 */

// ---- Terms ----

struct RDF_IRI {
  1: required string iri
}

// An IRI as a name with a prefix that an earlier row declares. Jena's patches have only full IRIs.
struct RDF_PrefixName {
  1: required string prefix
  2: required string localName
}

struct RDF_BNode {
  1: required string label
}

// A simple literal has neither a tag nor a datatype.
struct RDF_Literal {
  1: required string lex
  2: optional string langtag
  3: optional string datatype
  4: optional RDF_PrefixName dtPrefix
  5: optional string baseDirection
}

// value / 10^scale
struct RDF_Decimal {
  1: required i64 value
  2: required i32 scale
}

struct RDF_VAR {
  1: required string name
}

struct RDF_ANY {
}

struct RDF_UNDEF {
}

struct RDF_REPEAT {
}

union RDF_Term {
  1: RDF_IRI iri
  2: RDF_BNode bnode
  3: RDF_Literal literal
  4: RDF_PrefixName prefixName
  5: RDF_VAR variable
  6: RDF_ANY any
  7: RDF_UNDEF undefined
  8: RDF_REPEAT repeat
  9: RDF_Triple tripleTerm
  // Literals of xsd:integer, xsd:double and xsd:decimal, as values.
  10: i64 valInteger
  11: double valDouble
  12: RDF_Decimal valDecimal
}

struct RDF_Triple {
  1: required RDF_Term S
  2: required RDF_Term P
  3: required RDF_Term O
}

// ---- Rows of statements ----

// Without G, the statement is in the default graph.
struct RDF_Quad {
  1: required RDF_Term S
  2: required RDF_Term P
  3: required RDF_Term O
  4: optional RDF_Term G
}

struct RDF_PrefixDecl {
  1: required string prefix
  2: required string uri
}

union RDF_StreamRow {
  1: RDF_PrefixDecl prefixDecl
  2: RDF_Triple triple
  3: RDF_Quad quad
}

// ---- Rows of a patch ----

struct Patch_Header {
  1: required string name
  2: required RDF_Term value
}

// Without g, the statement is in the default graph.
struct Patch_Data_Add {
  1: required RDF_Term s
  2: required RDF_Term p
  3: required RDF_Term o
  4: optional RDF_Term g
}

struct Patch_Data_Del {
  1: required RDF_Term s
  2: required RDF_Term p
  3: required RDF_Term o
  4: optional RDF_Term g
}

struct Patch_Prefix_Add {
  1: optional RDF_Term graphNode
  2: required string prefix
  3: required string iriStr
}

struct Patch_Prefix_Del {
  1: optional RDF_Term graphNode
  2: required string prefix
}

enum PatchTxn {
  TX = 0
  TC = 1
  TA = 2
  // The end of a patch that is followed by another one.
  Segment = 3
}

union RDF_Patch_Row {
  1: Patch_Header header
  2: Patch_Data_Add dataAdd
  3: Patch_Data_Del dataDel
  4: Patch_Prefix_Add prefixAdd
  5: Patch_Prefix_Del prefixDel
  6: PatchTxn txn
}
