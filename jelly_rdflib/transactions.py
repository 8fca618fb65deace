"""Transactions of operations: where they may start and end."""

from __future__ import annotations

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.operations import Op


def follow_transaction(op: Op, is_open: bool) -> bool:
    """Check that a transaction starts or ends where it may.

    Args:
        op: TX, TC, TA or END; any other has nothing to do with transactions.
        is_open: Is a transaction open before it?

    Returns:
        Whether one is open after it.

    Raises:
        ApplyError: It must not stand here.

    Examples:
        >>> follow_transaction(Op.TX, False)
        True
        >>> follow_transaction(Op.TC, False)
        Traceback (most recent call last):
        jelly_rdflib.errors.ApplyError: a transaction ends (TC), but none has started (TX)
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
    """Check that no transaction is open.

    Raises:
        ApplyError: One is.
    """
    if is_open:
        raise ApplyError(f"{what_ends} inside a transaction: neither TC nor TA came")
