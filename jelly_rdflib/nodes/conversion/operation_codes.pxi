"""Finds the codes of operations that are given as tuples."""

# The length of an operation's tuple, by the operation's code; 0 for a number that isn't a code.
cdef Py_ssize_t[16] SIZES
memset(SIZES, 0, sizeof(SIZES))
for op, size in (
    (Op.H, 3), (Op.TX, 1), (Op.TC, 1), (Op.TA, 1), (Op.PA, 4), (Op.PD, 4), (Op.A, 5), (Op.D, 5),
    (Op.END, 1),
):
    SIZES[<int>op] = size


# Most operations begin with one of these two objects, so they are compared first.
cdef object ADD = Op.A
cdef object DELETE = Op.D


cdef int operation_code(object operation) except -1:
    """Return the code of an operation; raise an EncodeError if its tuple has the wrong length."""
    cdef PyObject* first
    cdef int op
    if not isinstance(operation, tuple) or PyTuple_GET_SIZE(operation) == 0:
        raise EncodeError(f"{show(operation)} is not an operation: give a tuple that starts with an Op")
    first = PyTuple_GET_ITEM(operation, 0)
    if first == <PyObject*>ADD:
        op = A
    elif first == <PyObject*>DELETE:
        op = D
    else:
        try:
            op = <object>first
        except (TypeError, OverflowError):
            op = 0
    if op <= 0 or op >= 16 or PyTuple_GET_SIZE(operation) != SIZES[op]:
        raise EncodeError(f"{show(operation)} is not an operation: see jelly_rdflib.Op")
    return op
