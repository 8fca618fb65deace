# The kind of a row of RDF Patch text, by its first letters.

cdef enum RowCode:
    CUT_OFF = -1  # the text ends too early to tell
    NO_CODE = 0
    HEADER_CODE
    START_CODE
    COMMIT_CODE
    ABORT_CODE
    PATCH_END_CODE
    CHANGE_CODE  # of a prefix or a statement


cdef inline bint is_code_part(uint8_t byte) noexcept nogil:
    return is_ascii_name_part(byte) or byte == b":" or byte >= 0x80


cdef inline RowCode find_row_code(const uint8_t* at, const uint8_t* end, bint is_final) noexcept nogil:
    cdef uint8_t second, third
    # The end of the text also ends a word.
    if end - at < 3 and not is_final:
        return CUT_OFF
    if at >= end:
        return NO_CODE
    second = at[1] if end - at > 1 else b" "
    third = at[2] if end - at > 2 else b" "
    if not is_code_part(second):
        if at[0] == b"A" or at[0] == b"D":
            return CHANGE_CODE
        if at[0] == b"H":
            return HEADER_CODE
        return PATCH_END_CODE if at[0] == b"Z" else NO_CODE
    if is_code_part(third):
        return NO_CODE
    if at[0] == b"P":
        return CHANGE_CODE if second == b"A" or second == b"D" else NO_CODE
    if at[0] != b"T":
        return NO_CODE
    if second == b"X" or second == b"B":
        return START_CODE
    if second == b"C":
        return COMMIT_CODE
    return ABORT_CODE if second == b"A" else NO_CODE
