"""Checks where transactions may start and end."""

def follow_transaction(uint8_t op, bint is_open):
    """Check that an operation may start or end a transaction; return whether one is open after it.

    Operations other than TX, TC, TA and END change nothing.
    """
    cdef const char* fault = transaction_fault(is_open, op)
    if fault != NULL:
        raise ApplyError(fault.decode())
    return op == TX or is_open and op != TC and op != TA


def check_closed(bint is_open, str what_ends="the input ends"):
    """Raise an `ApplyError` if a transaction is open."""
    if is_open:
        raise ApplyError(f"{what_ends} inside a transaction: neither TC nor TA came")
