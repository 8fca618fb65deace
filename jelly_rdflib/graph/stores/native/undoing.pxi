"""The log of a transaction's changes; it undoes all of them, whatever interrupts it.

Python checks for signals between its own instructions, such as at the start of a function. This is
Cython code, so that no such check comes between a call that is interrupted and the next one.
"""

cdef enum:
    # A flag of a change: a statement was deleted, or a graph was taken off the list. Without it, a
    # statement was added, or a graph was put on the list.
    DELETED = 1
    # How many times a step is tried: a store may be busy for a moment, or memory may be short.
    MAX_FAILURES = 3
    # Nobody presses Ctrl-C that often; a method that always raises must not be called for ever.
    MAX_INTERRUPTS = 1000


cdef class Undoer:
    """Reverts changes to the statements of a store, and to its list of graphs."""

    cdef int undo(self, int change, object statement, object graph) except -1:
        """Revert a change, if it was made and has not been reverted yet.

        The statement is None for a change to the list of graphs.
        """
        raise NotImplementedError


cdef class UndoLog:
    """The changes of a transaction, oldest first, which are undone strictly in reverse.

    An entry is made before its change, which may then fail or be interrupted. So undoing an entry
    restores the state before it, and may be done twice.

    An entry is one of three kinds: a statement that was added or deleted, in the store's spelling;
    a graph that was put on or taken off the list; and a step, which is a function to call. An entry
    is three items of one list: flags, statement, graph; or flags, None, graph; or step, None, None.
    """

    cdef readonly list entries

    def __cinit__(self):
        self.entries = []

    cdef int note(self, int change, object statement, object graph) except -1:
        self.entries.append(change)
        self.entries.append(statement)
        self.entries.append(graph)
        return 0

    def note_step(self, step not None):
        """Record a function to call after all later entries are undone."""
        self.entries.extend((step, None, None))

    def drop_steps(self):
        """Forget all steps."""
        cdef list entries = self.entries
        cdef Py_ssize_t i
        self.entries = [
            item
            for i in range(0, len(entries), 3)
            if entries[i + 1] is not None or entries[i + 2] is not None
            for item in entries[i : i + 3]
        ]

    def clear(self):
        """Forget all entries: the changes stay."""
        self.entries.clear()

    cdef int undo_last(self, Undoer undoer) except -1:
        cdef list entries = self.entries
        cdef Py_ssize_t last = len(entries) - 3
        if last < 0 or len(entries) % 3:
            # Memory ran out while the entry was made, so its change was not made.
            del entries[len(entries) - len(entries) % 3 :]
            return 0
        if entries[last + 1] is None and entries[last + 2] is None:
            entries[last]()
        else:
            undoer.undo(entries[last], entries[last + 1], entries[last + 2])
        # Delete by position, since a step may have cleared the log.
        del entries[last:]
        return 0

    def undo(self, Undoer undoer not None, first=None, last=None):
        """Undo all entries, after calling ``first`` and before calling ``last``.

        A failing entry is retried before older ones, since order matters if a store treats two
        statements as equal. An entry that fails for good is left out.

        Raises:
            RollbackError: A step has failed too many times.
            BaseException: An interrupt, raised after all is undone.
        """
        cdef int failures = 0
        cdef int interrupts = 0
        failure = interrupt = None
        while first is not None or self.entries or last is not None:
            try:
                if first is not None:
                    first()
                    first = None
                elif self.entries:
                    self.undo_last(undoer)
                else:
                    last()
                    last = None
                failures = 0
            except Exception as error:
                failures += 1
                if failures < MAX_FAILURES:
                    continue
                failures = 0
                if failure is None:
                    failure = error
                if first is not None:
                    first = None
                elif self.entries:
                    del self.entries[max(len(self.entries) - 3, 0) :]
                else:
                    last = None
            except BaseException as error:
                interrupts += 1
                if interrupts == MAX_INTERRUPTS:
                    raise RollbackError(
                        "the target can't be restored to its earlier state, and has part of a "
                        f"transaction: undoing it was interrupted {interrupts} times"
                    ) from error
                interrupt = error
        if failure is not None:
            raise RollbackError(
                "the target can't be restored to its earlier state, and has part of a transaction: "
                f"it refuses to undo a change ({str(failure) or type(failure).__name__})"
            ) from failure
        if interrupt is not None:
            raise interrupt
