"""Conditions on the rows of a batch, from Spark's filters and a reader's options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jelly_rdflib.core.arrow import TERM_COLUMNS, RowFilter, TermCondition
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.spark.options import ReadOptions


class _Condition(NamedTuple):
    """A condition on a column: its value must be in ``values`` (None: anything), or not in them."""

    values: tuple[str, ...] | None
    is_negated: bool = False
    accepts_null: bool = False

    def holds(self, value: str) -> bool:
        return self.values is None or (value in self.values) != self.is_negated


_NOT_NULL = _Condition(None)
_NULL = _Condition((), accepts_null=True)


@dataclass
class Conditions:
    """The conditions of a reader. They can be pickled."""

    ops: frozenset[int] | None = None
    terms: dict[str, list[_Condition]] = field(default_factory=dict)
    files: list[_Condition] = field(default_factory=list)

    @classmethod
    def of(cls, options: ReadOptions) -> Conditions:
        """Return the conditions of options; raise a ValueError for an option that isn't a term."""
        terms: dict[str, list[_Condition]] = {}
        for column, term in options.wanted.items():
            if term is not None:
                check_term(term, f"the option {column}", options.limits)
            terms[column] = [_NULL if term is None else _Condition((term,))]
        return cls(options.ops, terms)

    def push(self, filters: Iterable[Any], *, columns: Iterable[str], terms: str) -> list[Any]:
        """Take over Spark's filters on terms, operation codes and the file's name.

        Return the filters that Spark itself must still apply. Of the filters on structs, only
        comparisons with null are taken over.
        """

        def takes(each: Any) -> bool:
            path: tuple[str, ...] = getattr(getattr(each, "child", each), "attribute", ())
            if len(path) != 1 or path[0] not in columns:
                return False
            condition = _condition(each)
            if condition is None:
                return False
            if path[0] in TERM_COLUMNS:
                if terms == "struct" and condition.values:
                    return False
                self.terms.setdefault(path[0], []).append(condition)
            elif path[0] == "file":
                self.files.append(condition)
            elif path[0] == "op":
                ops = frozenset(Op) if self.ops is None else self.ops
                self.ops = frozenset(op for op in ops if condition.holds(Op(op).name))
            else:
                return False
            return True

        return [each for each in filters if not takes(each)]

    def wants_file(self, path: str) -> bool:
        """Return whether a file can contain wanted rows."""
        return all(condition.holds(path) for condition in self.files)

    def make(self, limits: Limits, *, is_statements: bool) -> RowFilter | None:
        """Make the row filter; None if all rows are wanted."""
        ops = frozenset((Op.A,)) if is_statements else self.ops
        if ops is None and not self.terms:
            return None
        factory = make_node_factory(False)
        conditions = {
            column: [
                TermCondition(
                    factory, limits, values, is_negated=is_negated, accepts_null=accepts_null
                )
                for values, is_negated, accepts_null in self.terms.get(column, ())
            ]
            for column in TERM_COLUMNS
        }
        return RowFilter(ops=ops, **conditions)


def check_term(text: str, what: str, limits: Limits | None = None) -> None:
    """Check that a string is a term in the canonical spelling of tables; errors name ``what``."""
    condition = TermCondition(make_node_factory(False), as_limits(limits), (text,))
    if condition.unknown:
        raise ValueError(
            f'{what}: {text!r} is not a term as tables spell it: <urn:s>, "text"@en, _:label'
        )


def _condition(each: Any) -> _Condition | None:
    """Return the condition for one of Spark's filters; None for a filter of another kind."""
    from pyspark.sql.datasource import EqualNullSafe, EqualTo, In, IsNotNull, IsNull, Not

    is_negated = isinstance(each, Not)
    match each.child if is_negated else each:
        case IsNull() | EqualNullSafe(value=None):
            return _NOT_NULL if is_negated else _NULL
        case IsNotNull():
            return _NULL if is_negated else _NOT_NULL
        case EqualNullSafe(value=value) | EqualTo(value=value):
            values: tuple[Any, ...] = (value,)
        case In(value=value):
            values = tuple(value)
        case _:
            return None
    texts = tuple(value for value in values if value is not None)
    if not all(isinstance(text, str) for text in texts):
        return None
    if is_negated and len(texts) < len(values):
        # The filter's values include null. In SQL no value is known to differ from null, so no
        # row is wanted.
        return _Condition(())
    is_null_safe = isinstance(each, Not) and isinstance(each.child, EqualNullSafe)
    return _Condition(texts, is_negated=is_negated, accepts_null=is_null_safe)
