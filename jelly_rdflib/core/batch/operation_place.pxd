# The position of an operation in its file: its number, and those of its patch and transaction.

cdef enum:
    NO_TRANSACTION = -1


ctypedef struct OperationPlace:
    # The numbers of the next operation.
    int64_t seq
    int64_t patch
    int64_t next_transaction
    # The open transaction, or NO_TRANSACTION. Operations outside of TX … TC also form a
    # transaction, up to the next TX or the end of the patch.
    int64_t transaction
    int64_t implicit_transaction


cdef inline void place_init(OperationPlace* place) noexcept nogil:
    place.seq = place.patch = place.next_transaction = 0
    place.transaction = place.implicit_transaction = NO_TRANSACTION


cdef inline int64_t place_operation(OperationPlace* place, uint8_t op) noexcept nogil:
    """Move past an operation; return the number of its transaction, or NO_TRANSACTION.

    Outside of TX … TC a header and the end of a patch are in no transaction.
    """
    cdef int64_t transaction = place.transaction
    place.seq += 1
    if op == A or op == D or op == PA or op == PD:
        if transaction == NO_TRANSACTION:
            if place.implicit_transaction == NO_TRANSACTION:
                place.implicit_transaction = place.next_transaction
                place.next_transaction += 1
            transaction = place.implicit_transaction
    elif op == TX:
        transaction = place.transaction = place.next_transaction
        place.next_transaction += 1
        place.implicit_transaction = NO_TRANSACTION
    elif op == TC or op == TA:
        place.transaction = NO_TRANSACTION
    elif op == END:
        place.patch += 1
        place.implicit_transaction = NO_TRANSACTION
    return transaction
