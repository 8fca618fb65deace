"""Finds the quads of one store in another store.

Two versions of a dataset usually have the same terms and quads in the same order. So each search
first tries the term or row after the last one that was found, and only then uses a hash table.
"""

# Stands for the number of a term that the other store lacks.
cdef uint32_t MISSING = 0xFFFFFFFF


@cython.nonecheck(True)
@cython.final
cdef class Counterpart:
    """Another store, with which the quads of a snapshot are compared by the identity of terms.

    Args:
        default_name: The number of the default graph's name in the snapshot's store. This graph is
            compared with the other store's default graph, whatever its name.
        other: The other store.
        default_graph: The name of the other store's default graph.
        only_default: Whether the other store's named graphs are left out.
    """

    cdef Dictionary terms
    cdef QuadStore other
    cdef uint32_t default_name, other_default
    cdef bint only_default
    cdef uint32_t* copies  # the other store's numbers of the snapshot's terms
    cdef uint32_t next_row  # the other store's row to try first

    def __cinit__(
        self, Snapshot snapshot not None, uint32_t default_name,
        QuadStore other not None, default_graph, bint only_default,
    ):
        self.terms = snapshot.terms
        self.other = other
        self.default_name = default_name
        self.other_default = <uint32_t>find_number(other.terms, default_graph)
        self.only_default = only_default
        self.copies = <uint32_t*>PyMem_RawCalloc(
            <size_t>snapshot.terms.count + 1, sizeof(uint32_t)
        )
        if self.copies == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.copies)

    cdef bint has(self, const Row* row) except -1:
        """Return whether the other store has a quad."""
        cdef QuadStore other = self.other
        cdef uint32_t number
        cdef Row copy
        cdef int i
        for i in range(<int>COLUMNS):
            if self.copies[row.terms[i]] == 0:
                self.find_copy(row.terms[i])
            copy.terms[i] = self.copies[row.terms[i]]
            if copy.terms[i] == MISSING and (i != G or row.terms[G] != self.default_name):
                return False
        if row.terms[G] == self.default_name:
            copy.terms[G] = self.other_default
        elif self.only_default or copy.terms[G] == self.other_default:
            return False
        # Try two rows, since one may have been deleted.
        for number in range(self.next_row, min(self.next_row + 2, other.rows.count)):
            if is_row(row_at(other.rows, number), &copy) and death_of(other.rows, number) == 0:
                self.next_row = number + 1
                return True
        number = <uint32_t>other.find_row(&copy)[0]
        if number != 0:
            self.next_row = number
        return number != 0

    cdef int find_copy(self, uint32_t number) except -1:
        """Find the number of a term in the other store; `MISSING` if that store lacks the term."""
        cdef Dictionary source = self.terms
        cdef Dictionary target = self.other.terms
        cdef TermKey key = key_of(source, number)
        cdef uint32_t next = self.copies[number - 1] + 1
        if key.extra != 0:
            # Use the tag's lower-case form, which the other store has if it has the tag at all.
            key.extra = source.terms[key.extra].extra or key.extra
            if self.copies[key.extra] == 0:
                self.find_copy(key.extra)
            key.extra = self.copies[key.extra]
            if key.extra == MISSING:
                self.copies[number] = MISSING
                return 0
        # The next number may be another spelling of a literal, which no quad uses.
        if (
            next < target.count
            and not target.spellings
            and source.terms[number].hash == target.terms[next].hash
            and stored_kind(target, next) == key.kind
            and key.extra == target.terms[next].extra
            and has_bytes(
                stored_text(target, next), key.text.start, key.text.end - key.text.start
            )
        ):
            self.copies[number] = next
        else:
            self.copies[number] = <uint32_t>target.slot_of(&key)[0] or MISSING
        return 0
