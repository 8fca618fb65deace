"""Undoing a transaction to its end, whatever comes in between.

Python looks for signals between its own instructions, at the start of each function for one. This is
Cython code so that there is no such place between the call that is interrupted and the next one.
"""

cimport cython

from jelly_rdflib.errors import ApplyError, RollbackError

# Who applies changes to which store, by the store's identity: not all stores have a dictionary.
cdef dict CLAIMS = {}

cdef enum:
    # A store may be busy for a moment, and memory be short.
    MAX_FAILURES = 3
    # Nobody presses Ctrl-C so often; a store that always raises it must not be asked forever.
    MAX_INTERRUPTS = 1000


def undo_fully(undo):
    """Call a function that undoes something until it has come to its end.

    Args:
        undo: Takes no arguments, and goes on from where it was if it is called again.

    Raises:
        RollbackError: It has failed too often.
        BaseException: Not an Exception, but what interrupted it, once it has come to its end.
    """
    cdef int failures = 0
    cdef int interrupts = 0
    cdef bint is_over = False
    interrupt = None
    while not is_over:
        try:
            undo()
            is_over = True
        except Exception as error:
            failures += 1
            if failures == MAX_FAILURES:
                raise RollbackError(
                    "the target can't be brought back to where it was, and has part of a "
                    f"transaction: it refuses to undo a change ({str(error) or type(error).__name__})"
                ) from error
        except BaseException as error:
            interrupts += 1
            if interrupts == MAX_INTERRUPTS:
                raise RollbackError(
                    "the target can't be brought back to where it was, and has part of a "
                    f"transaction: undoing it was interrupted {interrupts} times"
                ) from error
            interrupt = error
    if interrupt is not None:
        raise interrupt


@cython.final
cdef class Claim:
    """Says that changes are being applied to a store: two at once would undo each other's.

    Args:
        store: Any store of rdflib.
    """

    cdef object key

    def __init__(self, store):
        # Made here: to free it must take no memory.
        self.key = id(store)

    def take(self):
        """Claim the store.

        Raises:
            ApplyError: Somebody else has claimed it.
        """
        # At once: looking and then setting might let another thread in between.
        if CLAIMS.setdefault(self.key, self) is not self:
            raise ApplyError(
                "changes are being applied to this store already, by another thread or by what"
                " yields these operations: apply one after the other"
            )

    def free(self):
        """Free the store; nothing is done if another has it."""
        if CLAIMS.get(self.key) is self:
            del CLAIMS[self.key]
