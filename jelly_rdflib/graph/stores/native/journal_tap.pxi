"""Reads the changes of a `JellyStore` from the store's own journal."""

@cython.final
cdef class JournalTap(Tap):
    """The tap of a `JellyStore`.

    The store itself records each change, as numbers. The tap passes the changes on as batches when
    a transaction is committed, and before a prefix is bound. Until then a rollback leaves no trace.
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
            self.stop()

    def stop(self):
        vars(self.store).pop("recording", None)
        self.changes.close()

    # --- calls by the store -----------------------------------------------------------------------

    def bind(self, prefix, namespace, override):
        with self.lock:
            if not self.journals:
                # Another thread has just ended the recording: bind the prefix without it.
                return self.store.bind(prefix, namespace, override)
            self.is_telling()
            self.expect_prefix(prefix, namespace)
            try:
                self.store.bind_unrecorded(prefix, namespace, override)
            finally:
                self.tell_prefixes()

    def commit(self):
        with self.lock:
            if not self.journals:
                return self.store.commit()
            (<Journal>self.journals[0]).commit()

    def rollback(self):
        with self.lock:
            if not self.journals:
                return self.store.rollback()
            _call_to_its_end(self.journals[0], "roll_back_all", True)

    # --- calls by the journal ---------------------------------------------------------------------

    def expect_prefix(self, prefix, iri):
        self.tell_pending()
        Tap.expect_prefix(self, prefix, iri)

    def tell_pending(self):
        """Report the changes that have not been reported yet.

        If changes can't be undone, and one can't be reported, all other changes are reported.
        """
        cdef Journal journal = self.journals[0]
        cdef Batch batch
        cdef uint64_t added, deleted
        while True:
            added, deleted = self.changes.added, self.changes.deleted
            try:
                batch = self.changes.read()
            except BaseException as error:
                journal.failure = error
                # If one change can't be recorded, leave it out, and continue with the others. Any
                # other error is raised.
                if journal.is_atomic or not isinstance(error, RecordError):
                    raise
                continue
            if batch is None:
                return
            journal.added += self.changes.added - added
            journal.deleted += self.changes.deleted - deleted
            try:
                journal.write(batch)
            except Exception:
                if journal.is_atomic:
                    raise

    @property
    def is_behind(self):
        return self.changes.is_behind

    def commit_store(self):
        """Commit the changes that were reported."""
        self.changes.commit()
        # Do what `keep_prefixes` does, but without a call: that needs memory, and could fail,
        # which must not happen after the commit.
        self.store._committed_prefixes = None

    def roll_back_store(self, of_all_graphs):
        """Undo the changes since the last commit, to the recorded graphs or to all graphs."""
        self.changes.undo(of_all_graphs)
        if of_all_graphs:
            self.store.restore_prefixes()


def open_tap(target):
    """Return the tap of a graph or dataset; no journal has joined it yet.

    Raises:
        RecordError: The store can't be recorded.
    """
    return JournalTap(target) if type(target.store) is JellyStore else Tap(target.store)
