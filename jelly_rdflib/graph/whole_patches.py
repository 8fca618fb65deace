"""Patches without transactions of their own, to be applied wholly or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from jelly_rdflib.core.batch import check_closed, follow_transaction
from jelly_rdflib.errors import LimitError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, as_limits


class WholePatches:
    """Iterates over the operations of patches, without `TX`, `TC` and aborted transactions.

    The end of a transaction shows whether it is aborted: until then its operations are held.

    Args:
        operations: The operations of patches.
        limits: The limits for held operations.

    Attributes:
        place: The position of the last operation, in words.
        left_out: How many operations were left out: `TX`, `TC`, `TA` and aborted operations.
        aborted: How many transactions were aborted.

    Raises:
        ApplyError: A transaction starts or ends in the wrong place. (The iterator raises it, too.)
        LimitError: A transaction has more operations than ``limits`` allows to hold.
    """

    def __init__(self, operations: Iterator[Operation], limits: Limits | None) -> None:
        self._operations = operations
        self._most = as_limits(limits).max_held_operations
        self.place = ""
        self.left_out = self.aborted = 0

    def __iter__(self) -> Iterator[Operation]:
        held: list[tuple[int, Operation]] = []
        is_open = False
        number = transaction = 0
        patch = 1
        for operation in self._operations:
            # An object other than an operation is passed on: the consumer refuses it.
            given: object = operation
            op = operation[0] if isinstance(given, tuple) and given else None
            number += 1
            inside = f"transaction {transaction} of " if is_open else ""
            self.place = f"operation {number}, in {inside}patch {patch}"
            if op == Op.END:
                check_closed(is_open, "a patch ends")
                yield operation
                number = transaction = 0
                patch += 1
            elif op == Op.TX or op == Op.TC or op == Op.TA:
                is_open = follow_transaction(op, is_open)
                transaction += op == Op.TX
                self.aborted += op == Op.TA
                self.left_out += 1 + (len(held) if op == Op.TA else 0)
                for each, kept in held if op == Op.TC else ():
                    self.place = f"operation {each}, in {inside}patch {patch}"
                    yield kept
                held = []
            elif not is_open:
                yield operation
            elif len(held) < self._most:
                held.append((number, operation))
            else:
                raise LimitError(
                    f"a transaction has more than {self._most} operations",
                    limit="max_held_operations",
                    value=self._most,
                )
        check_closed(is_open, "the input ends")
