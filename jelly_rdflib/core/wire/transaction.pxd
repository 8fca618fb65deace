# Checks where operations may start and end transactions.

cdef inline const char* transaction_fault(bint is_open, uint8_t op) noexcept nogil:
    """Return the fault of an operation inside or outside of a transaction, or NULL if it has none.

    TX and END must be outside of a transaction, TC and TA inside.
    """
    if op == TX and is_open:
        return b"transaction starts inside a transaction"
    if op == END and is_open:
        return b"patch ends inside a transaction"
    if (op == TC or op == TA) and not is_open:
        return b"transaction ends, but none was started"
    return NULL


cdef inline const char* transaction_rule(uint8_t op) noexcept nogil:
    """Return the rule that a misplaced operation breaks."""
    if op == TX:
        return b"transaction-start"
    return b"punctuation-transaction" if op == END else b"transaction-end"
