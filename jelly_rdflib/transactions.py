"""Transactions of operations: where they may start and end."""

from __future__ import annotations

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.operations import Op


def follow_transaction(op: Op, is_open: bool) -> bool:
    """Check that a transaction starts or ends where it may; return whether one is open after it.

    Operations other than TX, TC, TA and END have nothing to do with transactions.
    """
    if op == Op.TX:
        if is_open:
            raise ApplyError("a transaction starts (TX) inside a transaction")
        return True
    if op in (Op.TC, Op.TA):
        if not is_open:
            raise ApplyError(f"a transaction ends ({op.name}), but none has started (TX)")
        return False
    if op == Op.END:
        check_closed(is_open, "a patch ends")
    return is_open


def check_closed(is_open: bool, what_ends: str = "the input ends") -> None:
    """Raise an `ApplyError` if a transaction is open."""
    if is_open:
        raise ApplyError(f"{what_ends} inside a transaction: neither TC nor TA came")
