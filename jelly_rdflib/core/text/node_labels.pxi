"""Replaces the random labels that another library's parser gives to nodes without a label."""

# pyoxigraph's labels are random numbers of 128 bits in hexadecimal digits, the first a letter.
# Leading zeros are left out; more than 16 of them are too unlikely to occur.
cdef enum:
    RANDOM_DIGITS = 32
    FEWEST_DIGITS = 16
    # The number of labels kept in memory, where they need less than a megabyte.
    MOST_IN_MEMORY = 1 << 14


cdef struct RandomLabel:
    uint64_t high
    uint64_t low
    int64_t number  # 0 if the label is in the text
    bint is_new


cdef bint read_random_label(str text, RandomLabel* label):
    """Return whether a text looks like a random label, and store its number in ``label``."""
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
    """Random labels and their numbers: the latest ones in memory, all others in a file.

    Args:
        open_file: Called when first needed; returns an object that stores labels in a file.
    """

    cdef object open_file
    cdef object file
    cdef SlotTable table
    cdef RandomLabel* labels
    cdef uint32_t count
    cdef uint32_t capacity

    def __cinit__(self, open_file):
        self.open_file = open_file

    def __dealloc__(self):
        PyMem_RawFree(self.table.slots)
        PyMem_RawFree(self.labels)

    cdef int64_t find(self, const RandomLabel* label) except -2:
        """Return the number of a label, or -1 if the label is unknown."""
        cdef uint64_t* slot
        cdef const RandomLabel* other
        if self.count > 0:
            slot = first_slot(&self.table, label.low)
            while slot[0] != 0:
                other = &self.labels[<uint32_t>slot[0] - 1]
                if other.low == label.low and other.high == label.high:
                    return other.number
                slot = next_slot(&self.table, label.low, slot)
        if self.file is None:
            return -1
        number = self.file.find(label_bytes(label))
        if number is None:
            return -1
        self.add(label, number, is_new=False)
        return number

    cdef int add(self, const RandomLabel* label, int64_t number, bint is_new=True) except -1:
        """Add a label that is not in memory; if not ``is_new``, it is already in the file."""
        cdef uint64_t* slot
        cdef RandomLabel* added
        if self.count == MOST_IN_MEMORY:
            self.empty()
        make_room(<void**>&self.labels, self.count, &self.capacity, sizeof(RandomLabel))
        slots_reserve(&self.table)
        slot = first_slot(&self.table, label.low)
        while slot[0] != 0:
            slot = next_slot(&self.table, label.low, slot)
        added = &self.labels[self.count]
        added[0] = label[0]
        added.number = number
        added.is_new = is_new
        self.count += 1
        fill_slot(&self.table, slot, label.low, self.count)
        return 0

    cdef int empty(self) except -1:
        """Move all labels into the file."""
        cdef uint32_t i
        if self.file is None:
            self.file = self.open_file()
        self.file.add([
            (label_bytes(&self.labels[i]), self.labels[i].number)
            for i in range(self.count) if self.labels[i].is_new
        ])
        slots_clear(&self.table)
        self.count = 0
        return 0


cdef bytes label_bytes(const RandomLabel* label):
    return PyBytes_FromStringAndSize(<const char*>&label.high, 2 * sizeof(uint64_t))


@cython.final
cdef class NodeLabels:
    """Gives the blank nodes of a text their labels.

    A label in the text is kept, with a prefix before it. A node without a label has a random one
    from the parser. This is replaced with a label that is the same each time the text is read: a
    hash of the text, and the number of such nodes so far. So no other text has the same label,
    unless the label was copied.

    Args:
        prefix: The prefix of labels that are in the text.
        made_prefix: The prefix of generated labels.
        digest: Returns the hash of the text; called for the first node without a label.
        open_file: As for `RandomLabels`.
    """

    cdef str prefix
    cdef str made_prefix
    cdef object digest
    cdef str start  # the start of generated labels; set when it is first needed
    cdef RandomLabels numbers
    cdef int64_t made  # the number of nodes without a label so far

    def __cinit__(self, str prefix not None, str made_prefix not None, digest, open_file):
        self.prefix = prefix
        self.made_prefix = made_prefix
        self.digest = digest
        self.numbers = RandomLabels(open_file)

    def keep(self, list labels not None):
        """Record labels that are in the text, before the parser returns statements with them.

        Only labels that look like random ones are recorded.
        """
        cdef RandomLabel random
        cdef bytes label
        for label in labels:
            if read_random_label(label.decode("ascii"), &random):
                if self.numbers.find(&random) < 0:
                    self.numbers.add(&random, 0)

    cdef str label(self, str label):
        """Return the final label of a node, given its label from the parser."""
        cdef RandomLabel random
        cdef int64_t number = 0
        if read_random_label(label, &random):
            number = self.numbers.find(&random)
            if number < 0:
                if self.start is None:
                    self.start = f"{self.made_prefix}b{self.digest()}-"
                self.made += 1
                number = self.made
                self.numbers.add(&random, number)
        if number == 0:
            return self.prefix + label if self.prefix else label
        return f"{self.start}{number}"
