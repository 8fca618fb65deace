"""Labels for nodes to which another library's parser gives random ones."""

# pyoxigraph takes 128 random bits as a hexadecimal number whose first digit is a letter. Zeros at
# its start are left out; that there are more than 16 of them is not to be expected.
cdef enum:
    RANDOM_DIGITS = 32
    FEWEST_DIGITS = 16


cdef struct RandomLabel:
    uint64_t high
    uint64_t low


cdef bint read_random_label(str text, RandomLabel* label):
    """Does a label look like a random one? Then its number is put into ``label``."""
    cdef Py_ssize_t size = len(text)
    cdef uint64_t digit
    cdef Py_UCS4 character
    if not FEWEST_DIGITS <= size <= RANDOM_DIGITS or not u"a" <= text[0] <= u"f":
        return False
    label.high = label.low = 0
    for character in text:
        if u"0" <= character <= u"9":
            digit = <uint32_t>character - c"0"
        elif u"a" <= character <= u"f":
            digit = <uint32_t>character - c"a" + 10
        else:
            return False
        label.high = label.high << 4 | label.low >> 60
        label.low = label.low << 4 | digit
    return True


@cython.final
cdef class RandomLabels:
    """A set of random labels, numbered from 1 on; each takes some 40 bytes."""

    cdef SlotTable table
    cdef RandomLabel* labels
    cdef uint32_t count
    cdef uint32_t capacity

    def __dealloc__(self):
        PyMem_RawFree(self.table.slots)
        PyMem_RawFree(self.labels)

    cdef uint32_t find(self, const RandomLabel* label) noexcept:
        """Return the number of a label; 0 if it is not there."""
        cdef uint64_t* slot
        cdef uint32_t number
        if self.count == 0:
            return 0
        slot = first_slot(&self.table, label.low)
        while slot[0] != 0:
            number = <uint32_t>slot[0]
            if self.labels[number - 1].low == label.low and (
                self.labels[number - 1].high == label.high
            ):
                return number
            slot = next_slot(&self.table, label.low, slot)
        return 0

    cdef uint32_t add(self, const RandomLabel* label) except 0:
        """Add a label that is not there, and return its number."""
        cdef uint64_t* slot
        make_room(<void**>&self.labels, self.count, &self.capacity, sizeof(RandomLabel))
        slots_reserve(&self.table)
        slot = first_slot(&self.table, label.low)
        while slot[0] != 0:
            slot = next_slot(&self.table, label.low, slot)
        self.labels[self.count] = label[0]
        self.count += 1
        fill_slot(&self.table, slot, label.low, self.count)
        return self.count


@cython.final
cdef class NodeLabels:
    """Gives the nodes of a text their labels.

    A label that stands in the text stays, behind a prefix. A node without one has a random label of
    the parser: it gets one that is the same in each reading, of a hash of the text and the number
    of such nodes so far. So no other text has the same label, unless it is copied from there.

    Args:
        prefix: Put before the labels that stand in the text.
        digest: Returns the hash of the text, when the first node without a label appears.
    """

    cdef str prefix
    cdef object digest
    cdef str start
    cdef RandomLabels written
    cdef RandomLabels made

    def __cinit__(self, str prefix not None, digest):
        self.prefix = prefix
        self.digest = digest
        self.written = RandomLabels()
        self.made = RandomLabels()

    def keep(self, list labels not None):
        """Note labels that stand in the text, before the parser's statements have them.

        Only those that look like random ones are noted.
        """
        cdef RandomLabel random
        cdef bytes label
        for label in labels:
            if read_random_label(label.decode("ascii"), &random):
                if self.written.find(&random) == 0:
                    self.written.add(&random)

    cdef str label(self, str label):
        """Return the label of a node for the one that the parser gave it."""
        cdef RandomLabel random
        cdef uint32_t number
        if not read_random_label(label, &random) or self.written.find(&random) != 0:
            return self.prefix + label if self.prefix else label
        number = self.made.find(&random)
        if number == 0:
            if self.start is None:
                self.start = f"b{self.digest()}-"
            number = self.made.add(&random)
        return f"{self.start}{number}"
