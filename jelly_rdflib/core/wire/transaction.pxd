# Transactions: where operations may start and end them.

cdef inline const char* transaction_fault(bint is_open, uint8_t op) noexcept nogil:
    """Say what is wrong with an operation where a transaction is open, or is not; NULL: nothing.

    TX must not stand inside a transaction, TC and TA must, and END must not.
    """
    if op == TX and is_open:
        return b"transaction starts inside a transaction"
    if op == END and is_open:
        return b"patch ends inside a transaction"
    if (op == TC or op == TA) and not is_open:
        return b"transaction ends, but none was started"
    return NULL


cdef inline const char* transaction_rule(uint8_t op) noexcept nogil:
    """Return the rule of a fault of this operation."""
    if op == TX:
        return b"transaction-start"
    return b"punctuation-transaction" if op == END else b"transaction-end"
