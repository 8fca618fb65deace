"""Turns a failure of code without the GIL into the exception to raise."""

cdef object failure_to_error(
    Failure* failure, object offset, object frame, object row, object line=None, object column=None
):
    if failure.message == NULL:
        return MemoryError()
    what = b"" if failure.what == NULL else <bytes>failure.what
    message = failure.message.decode("ascii").format(
        number=failure.number, bound=failure.bound, what=what.decode("ascii")
    )
    kind = LimitError if failure.is_limit else DecodeError
    return kind(message, offset=offset, frame=frame, row=row, line=line, column=column)
