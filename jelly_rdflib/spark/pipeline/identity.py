"""The identity of terms in columns: the same for all spellings that RDF 1.1 considers equal.

It is the identity that `jelly_rdflib.terms.identity` returns: ``"x"`` for ``"x"^^xsd:string``, and
language tags in lower case. Literals within quoted triples are compared as they are spelled.

Rows are grouped by the identity, and a number records how the term is spelled. A number is used
since Spark computes the maximum of numbers in place, without sorting.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from rdflib.namespace import XSD

SPELLING = "_spelling"
"""How a spelling differs from the identity: 1 for xsd:string, or a bit per capital in a tag."""

_TYPE = f"^^{XSD.string.n3()}"
# How many letters of a tag keep their case, with a bit each; later letters become lower case.
_BITS = 62


def identity_sql(term: str) -> str:
    """Return an SQL expression for the identity of a term that is given as an SQL expression."""
    return (
        f"CASE WHEN {_is_string(term)} THEN left({term}, length({term}) - {len(_TYPE)})"
        f" WHEN {_has_tag(term)} THEN concat({_before_tag(term)}, lower({_tag(term)}))"
        f" ELSE {term} END"
    )


def is_term(column: str, term: str) -> Column:
    """Return whether a column has a term, whatever its spelling."""
    if not term.startswith('"'):
        return F.col(column) == term
    text, tag = term[: term.rindex('"') + 1], term[term.rindex('"') + 1 :]
    wanted = text if tag == _TYPE else text + (tag.lower() if tag.startswith("@") else tag)
    return F.expr(identity_sql(column)) == wanted


def with_identity(rows: DataFrame) -> DataFrame:
    """Replace the objects of rows by their identities, and add a column with their spelling."""
    tag = _tag("o")
    bits = (
        f"aggregate(sequence(1, least(length({tag}), {_BITS})), 0L, (bits, i) -> bits +"
        f" IF(substr({tag}, i, 1) BETWEEN 'A' AND 'Z', shiftleft(1L, i), 0L))"
    )
    spelling = (
        f"CASE WHEN {_is_string('o')} THEN 1L"
        f" WHEN {_has_tag('o')} AND {tag} != lower({tag}) THEN {bits} ELSE 0L END"
    )
    return rows.withColumns({SPELLING: F.expr(spelling), "o": F.expr(identity_sql("o"))})


def with_spelling(rows: DataFrame) -> DataFrame:
    """Restore the spelling of the rows' objects."""
    tag = _tag("o")
    letters = (
        f"transform(sequence(1, length({tag})), i -> IF(i <= {_BITS} AND"
        f" (shiftright({SPELLING}, i) & 1) = 1, upper(substr({tag}, i, 1)), substr({tag}, i, 1)))"
    )
    spelled = (
        f"CASE WHEN {SPELLING} = 0 THEN o WHEN endswith(o, '\"') THEN concat(o, '{_TYPE}')"
        f" ELSE concat({_before_tag('o')}, array_join({letters}, '')) END"
    )
    return rows.withColumn("o", F.expr(spelled)).drop(SPELLING)


def _is_string(term: str) -> str:
    return f"startswith({term}, '\"') AND endswith({term}, '\"{_TYPE}')"


def _has_tag(term: str) -> str:
    return f"startswith({term}, '\"') AND NOT endswith({term}, '\"') AND NOT endswith({term}, '>')"


def _tag(term: str) -> str:
    return f"substring_index({term}, '@', -1)"


def _before_tag(term: str) -> str:
    return f"left({term}, length({term}) - length({_tag(term)}))"
