"""Filters of Spark and of options, as conditions on the rows of a batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from jelly_rdflib.core.arrow import TERM_COLUMNS, RowFilter, TermCondition
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits
from jelly_rdflib.spark.read_options import ReadOptions


@dataclass(frozen=True)
class _Condition:
    """A condition on a column: a value is one of ``values`` (None: any), or none of them."""

    values: tuple[str, ...] | None
    is_negated: bool = False
    accepts_null: bool = False

    def holds(self, value: str) -> bool:
        return self.values is None or (value in self.values) != self.is_negated


_NOT_NULL = _Condition(None)
_NULL = _Condition((), accepts_null=True)
_NEVER = _Condition(())


@dataclass
class Filters:
    """The conditions of a reader. They can be pickled."""

    ops: frozenset[int] | None = None
    terms: dict[str, list[_Condition]] = field(default_factory=dict)
    files: list[_Condition] = field(default_factory=list)

    @classmethod
    def of(cls, options: ReadOptions) -> Filters:
        """Return the conditions of a reader's options.

        Raises:
            ValueError: An option for a term is no term.
        """
        filters = cls(None if options.ops is None else frozenset(Op[op] for op in options.ops))
        for column, term in options.wanted:
            if term is not None:
                check_term(term, f"the option {column}", options.limits)
            condition = _NULL if term is None else _Condition((term,))
            filters.terms.setdefault(column, []).append(condition)
        return filters

    def take(self, filters: Iterable[Any], *, columns: Iterable[str], terms: str) -> list[Any]:
        """Take over filters of Spark on terms, codes and the file's name; return the other ones.

        Args:
            filters: The filters; a row must meet all of them.
            columns: The columns of the reader.
            terms: The form of terms; filters on structs are taken over only if they are about null.
        """
        left = []
        known = set(columns)
        for each in filters:
            path: tuple[str, ...] = getattr(getattr(each, "child", each), "attribute", ())
            condition = _condition(each) if len(path) == 1 and path[0] in known else None
            if condition is None or not self._add(path[0], condition, terms):
                left.append(each)
        return left

    def _add(self, column: str, condition: _Condition, terms: str) -> bool:
        if column in TERM_COLUMNS:
            if terms == "struct" and condition.values:
                return False
            self.terms.setdefault(column, []).append(condition)
        elif column == "file":
            self.files.append(condition)
        elif column == "op":
            ops = frozenset(Op) if self.ops is None else self.ops
            self.ops = frozenset(op for op in ops if condition.holds(Op(op).name))
        else:
            return False
        return True

    def wants_file(self, path: str) -> bool:
        """Return whether rows of a file may be wanted."""
        return all(condition.holds(path) for condition in self.files)

    def make(self, limits: Limits, *, is_statements: bool) -> RowFilter | None:
        """Make the filter of rows; None if all rows are wanted."""
        ops = frozenset((Op.A,)) if is_statements else self.ops
        if ops is None and not self.terms:
            return None
        factory = make_node_factory(False)
        conditions = {
            column: [
                TermCondition(
                    factory,
                    limits,
                    each.values,
                    is_negated=each.is_negated,
                    accepts_null=each.accepts_null,
                )
                for each in self.terms.get(column, ())
            ]
            for column in TERM_COLUMNS
        }
        return RowFilter(ops=ops, **conditions)


def check_term(text: str, what: str, limits: Limits | None = None) -> None:
    """Check that a text is a term as tables have it: in its canonical spelling.

    Args:
        text: The text.
        what: Its name in the message.
        limits: The limits of terms.

    Raises:
        ValueError: It is not.

    Examples:
        >>> check_term("<urn:lamp>", "s")
        >>> check_term("urn:lamp", "s")
        Traceback (most recent call last):
        ...
        ValueError: s: 'urn:lamp' is no term as a table has it: <urn:s>, "text"@en, _:label
    """
    condition = TermCondition(make_node_factory(False), limits or Limits(), (text,))
    if condition.unknown:
        raise ValueError(
            f'{what}: {text!r} is no term as a table has it: <urn:s>, "text"@en, _:label'
        )


def _condition(each: Any) -> _Condition | None:
    """Return the condition of a filter of Spark; None for a filter of another kind."""
    from pyspark.sql.datasource import EqualNullSafe, EqualTo, In, IsNotNull, IsNull, Not

    is_negated = isinstance(each, Not)
    if is_negated:
        each = each.child
    if isinstance(each, IsNull | IsNotNull):
        return _NULL if isinstance(each, IsNull) != is_negated else _NOT_NULL
    if isinstance(each, EqualNullSafe):
        if each.value is None:
            return _NOT_NULL if is_negated else _NULL
        return _of_values((each.value,), is_negated=is_negated, accepts_null=is_negated)
    if isinstance(each, EqualTo):
        return _of_values((each.value,), is_negated=is_negated)
    if isinstance(each, In):
        return _of_values(tuple(each.value), is_negated=is_negated)
    return None


def _of_values(
    values: tuple[Any, ...], *, is_negated: bool, accepts_null: bool = False
) -> _Condition | None:
    texts = tuple(value for value in values if value is not None)
    if not all(isinstance(text, str) for text in texts):
        return None
    if is_negated and len(texts) < len(values):
        # SQL: no value is known to differ from null.
        return _NEVER
    return _Condition(texts, is_negated=is_negated, accepts_null=accepts_null)
