"""Terms as text: that of canonical N-Triples, or that of RDF Patch."""

from jelly_rdflib.core.term_table import TermTable

def find_texts(table: TermTable, max_size: int) -> list[str | None]: ...
