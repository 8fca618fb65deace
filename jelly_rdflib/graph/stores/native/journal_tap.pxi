"""Reads the changes of a `JellyStore` from the store's own journal."""

@cython.final
cdef class JournalTap(Tap):
    """The tap of a `JellyStore`.

    The store itself notes each change, as numbers. They are told as batches: when a transaction is
    committed, and before a prefix is bound. Until then a rollback leaves no trace of them.
    """

    cdef StoreJournal changes

    def __init__(self, target):
        super().__init__(target.store)
        is_dataset = isinstance(target, ConjunctiveGraph)
        name = get_name(get_default_graph(target) if is_dataset else target)
        is_refused = is_dataset and name != DATASET_DEFAULT_GRAPH_ID
        self.changes = StoreJournal(
            self.store.quads,
            name,
            is_one=not is_dataset,
            refused=DATASET_DEFAULT_GRAPH_ID if is_refused else None,
            refuse=refuse_default_graph,
        )
        self.has_journal = True

    cdef dict find_methods(self):
        return {}

    def join(self, Journal journal not None):
        Tap.join(self, journal)
        self.store.recording = self

    def leave(self, Journal journal not None):
        with self.lock:
            Tap.leave(self, journal)
            vars(self.store).pop("recording", None)
            self.changes.close()

    def bind(self, prefix, namespace, override):
        with self.lock:
            self.is_telling()
            self.tell_pending()
            self.expect_prefix(prefix, namespace)
            try:
                self.store.bind_unrecorded(prefix, namespace, override)
            finally:
                self.tell_prefixes()

    def commit(self):
        with self.lock:
            (<Journal>self.journals[0]).commit()

    def rollback(self):
        with self.lock:
            (<Journal>self.journals[0]).roll_back()

    def tell_pending(self):
        """Tell of the changes that were not told yet.

        If they can't be undone, and one can't be told, the others are told all the same.
        """
        cdef Journal journal = self.journals[0]
        while True:
            try:
                if not self.tell_batch(journal):
                    return
            except BaseException as error:
                journal.failure = error
                if journal.is_atomic or not isinstance(error, Exception):
                    raise

    cdef bint tell_batch(self, Journal journal) except -1:
        """Tell of some changes; return whether there were any."""
        cdef uint64_t added = self.changes.added
        cdef uint64_t deleted = self.changes.deleted
        cdef Batch batch = self.changes.read()
        if batch is None:
            return False
        journal.added += self.changes.added - added
        journal.deleted += self.changes.deleted - deleted
        journal.write(batch)
        return True

    @property
    def is_behind(self):
        return self.changes.is_behind

    def commit_store(self):
        """Commit what was told."""
        self.changes.commit()
        self.store.keep_prefixes()

    def roll_back_store(self):
        """Undo the changes to what is recorded, since the last commit."""
        self.changes.undo()


def open_tap(target):
    """Return the tap of a graph or dataset, which is not joined yet.

    Raises:
        RecordError: The store can't be recorded.
    """
    return JournalTap(target) if type(target.store) is JellyStore else Tap(target.store)
