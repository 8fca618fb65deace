# The log of what a transaction changed, and undoing it to its end, whatever comes in between.

cdef enum:
    # Of a change: a statement was deleted, or a graph is listed no more. Else it came to be there.
    DELETED = 1


cdef class Undoer:
    cdef int undo(self, int change, object statement, object graph) except -1


cdef class UndoLog:
    # Three items for each step; for the kinds of steps see the class.
    cdef readonly list entries

    cdef int note(self, int change, object statement, object graph) except -1
    cdef int undo_last(self, Undoer undoer) except -1
