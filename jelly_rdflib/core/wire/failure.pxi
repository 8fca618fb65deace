"""Turns a failure of code without the GIL into the exception to raise."""

cdef object failure_to_error(
    Failure* failure, object offset, object frame, object row, object line=None, object column=None
):
    if failure.message == NULL:
        return MemoryError()
    place = {"offset": offset, "frame": frame, "row": row, "line": line, "column": column}
    rule = Rule(failure.rule.decode())
    message = in_words(failure, failure.message)
    if rule is not Rule.LIMIT:
        return DecodeError(message, rule=rule, **place)
    if failure.limit == NULL:
        return LimitError(message, **place)
    return LimitError(
        message, limit=in_words(failure, failure.limit), value=failure.bound,
        asked=failure.number or None, **place,
    )


cdef str in_words(Failure* failure, const char* text):
    """Return a text with its fields {number}, {bound} and {what} filled in."""
    what = b"" if failure.what == NULL else <bytes>failure.what
    return text.decode("ascii").format(
        number=failure.number, bound=failure.bound, what=what.decode("ascii")
    )
