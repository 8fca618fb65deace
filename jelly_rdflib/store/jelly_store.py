"""`JellyStore`, the store with rdflib's interface."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.store import VALID_STORE, Store
from rdflib.term import URIRef

from jelly_rdflib.core.warning import warn
from jelly_rdflib.display.words import count
from jelly_rdflib.errors import LogWarning
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.options import Limits, StreamOptions
from jelly_rdflib.store.quads import QuadStore
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.streams.writing import StatementWriter

__all__ = ["JellyStore"]

_NO_TURN = nullcontext()
# A closed store lacks these attributes, so no method has to check whether the store is open.
_CONTENTS = ("quads", "_namespace_for_prefix", "_prefix_for_namespace", "_committed_prefixes")
# Limits for copying a store: none, since the store itself may exceed any limit.
_NO_LIMITS = Limits(
    max_frame_size=2**31 - 1,
    max_string_size=2**31 - 1,
    max_text_size=2**31 - 1,
    max_expansion=1 << 24,
)


class JellyStore(Store):
    """A store in memory, made for changes, for rdflib's graphs and datasets.

    Each distinct term is kept once, and each quad as four numbers: this needs a fraction of the
    memory and of the time of rdflib's own store. rdflib decides which terms are equal. Literals
    keep their lexical form; if language tags differ only in case, the first one is kept.

    **Transactions.** Changes are pending until ``commit()``. ``rollback()`` undoes all changes
    since the last commit: to quads, to the list of graphs, and to prefixes. Committing is optional:
    all readers see pending changes.

    **Readers see one state.** An iterator continues with the triples as of its start, even if this
    or another thread changes the store in the meantime.

    Any term of a triple may be a URIRef, a BNode or a Literal; formulas, variables and quoted
    triples are not allowed. A file keeps only RDF triples, and no empty graphs.

    Args:
        configuration: The path of a file to open: see `open`. None: the store is in memory.
        identifier: Any name for the store.

    Examples:
        >>> from rdflib import Dataset, Literal, URIRef
        >>> dataset = Dataset(store=JellyStore())
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> _ = dataset.add((s, p, Literal("old")))
        >>> _ = dataset.commit()
        >>> for triple in dataset.triples((s, p, None)):
        ...     _ = dataset.remove(triple)
        ...     _ = dataset.add((s, p, Literal("new")))
        >>> [str(o) for o in dataset.objects(s, p)]
        ['new']
        >>> _ = dataset.rollback()
        >>> [str(o) for o in dataset.objects(s, p)]
        ['old']
    """

    context_aware = True
    graph_aware = True
    transaction_aware = True
    # The recording's `Tap`, if any: its commit, rollback and bind replace the store's own.
    recording: Any = None
    # Opens a file for a store. The plugin sets this, since an import here would be circular: a
    # file has a log, and the log's module imports this one.
    open_file: ClassVar[Callable[..., Any]]
    # The `StoreFile` of an open file, set by the `StoreFile`; None for a store in memory.
    file: Any = None

    def __init__(self, configuration: str | None = None, identifier: Any = None) -> None:
        self.identifier = identifier
        self._start()
        super().__init__(configuration)

    def _start(self) -> None:
        """Start with no quads, graphs or prefixes."""
        self.quads = QuadStore(NODE_TYPES, self._make_graph)
        self._namespace_for_prefix: dict[str, URIRef] = {}
        self._prefix_for_namespace: dict[URIRef, str] = {}
        # The prefixes at the last commit, in both directions; None while they are unchanged.
        self._committed_prefixes: tuple[dict[str, URIRef], dict[URIRef, str]] | None = None

    def __getattr__(self, name: str) -> Any:
        """Raise the error for a missing attribute; if the store is closed, say so."""
        if name in _CONTENTS:
            raise ValueError("the store is closed: open() its file again")
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
        )

    def __repr__(self) -> str:
        if self.is_closed:
            return "<JellyStore, closed>"
        sizes = self.quads.sizes()
        quads, terms = count(sizes["quads"], "quad"), count(sizes["terms"], "term")
        where = "in memory" if self.file is None else f"in {self.file}"
        return f"<JellyStore {where}: {quads}, {terms}>"

    def _make_graph(self, name: Any) -> Graph:
        return Graph(self, name)

    # --- statements -------------------------------------------------------------------------------

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        """Add a triple to a graph, and list the graph.

        Raises:
            TypeError: A term is neither URIRef nor BNode nor Literal; or the triple is quoted, or
                in no graph.
            EncodeError: A term has a text without a UTF-8 form.
            LimitError: The store already has 2 billion quads.
        """
        if quoted:
            raise TypeError("this store has no formulas, and can't hold a quoted triple")
        if context is None:
            raise TypeError(
                "this store keeps each triple in a graph, but the graph is None: for the default"
                " graph of a dataset, add the triple without a graph"
            )
        # This is called for each triple, so even acquiring `_turn` would cost time. It is needed
        # only for a recording, and usually there is none.
        if self.recording is None:
            self.quads.add(triple, context)
        else:
            with self._turn:
                self.quads.add(triple, context)
        super().add(triple, context, quoted)

    def addN(self, quads: Iterable[Any]) -> None:
        """Add quads: tuples of subject, predicate, object and a Graph."""
        for s, p, o, context in quads:
            self.add((s, p, o), context)

    def remove(self, triple: Any, context: Any = None) -> None:
        """Remove the triples that match a pattern, from one graph or, if that is None, from all."""
        with self._turn:
            self.quads.remove(triple, context)
        super().remove(triple, context)

    def triples(self, triple_pattern: Any, context: Any = None) -> Iterator[Any]:
        """Iterate over the triples that match a pattern, each once.

        Args:
            triple_pattern: A triple with None for any term.
            context: A graph, or None for all graphs.

        Returns:
            An iterator of pairs: the triple, and an iterator over all graphs that have it.
        """
        return self.quads.triples(triple_pattern, context)

    def __len__(self, context: Any = None) -> int:
        """Count the triples of a graph, or the distinct triples of all graphs.

        rdflib counts a dataset in this way, whatever its ``default_union``. The triples of all
        graphs are counted at the first call; a few changes then only update the count.
        """
        return self.quads.count(context)

    # --- graphs -----------------------------------------------------------------------------------

    def contexts(self, triple: Any = None) -> Any:
        """Iterate over all listed graphs, or over the graphs that contain ``triple``."""
        return self.quads.contexts(triple)

    def add_graph(self, graph: Graph) -> None:
        """List a graph, which may be empty."""
        with self._turn:
            self.quads.list_graph(graph)

    def remove_graph(self, graph: Graph) -> None:
        """Remove a graph with its triples, and take it off the list."""
        with self._turn:
            self.quads.drop_graph(graph)

    @property
    def _turn(self) -> AbstractContextManager[Any]:
        """The lock of the recording, which each change acquires.

        `jelly_rdflib.apply` holds it for a whole patch, so that no other thread changes the store.
        """
        recording = self.recording
        return _NO_TURN if recording is None else recording.lock

    # --- transactions -----------------------------------------------------------------------------

    def commit(self) -> None:
        """Make all changes since the last commit permanent.

        Raises:
            LogConflict: The store is in a file, and another process has committed to it since.
            EncodeError, LimitError: The log of the file can't express a change, such as a literal
                as subject; or a term is too long for it.
            LogError: An earlier commit was interrupted: close the file, and open it again.
            OSError: The log can't be written. After each of these errors the changes are undone.
        """
        if self.recording is not None:
            self.recording.commit()
            return
        self.quads.commit()
        self.keep_prefixes()

    def rollback(self) -> None:
        """Undo all changes since the last commit.

        Raises:
            MemoryError: Memory ran out; call this again to continue.
        """
        if self.recording is not None:
            self.recording.rollback()
            return
        self.quads.rollback()
        self.restore_prefixes()

    def restore_prefixes(self) -> None:
        """Restore the prefixes of the last commit."""
        if self._committed_prefixes is not None:
            iris, names = self._committed_prefixes
            # Change the dicts in place, since code that changes prefixes may refer to them.
            self._namespace_for_prefix.clear()
            self._namespace_for_prefix.update(iris)
            self._prefix_for_namespace.clear()
            self._prefix_for_namespace.update(names)
            self._committed_prefixes = None

    def open(self, configuration: Any, create: bool = False) -> int | None:
        """Open a file: load its statements into the store, and write commits to the disk.

        The file is a Jelly-RDF file. Next to it is a `PatchLog`, ``FILE.log``, to which each commit
        appends a patch: the patch is on the disk when `commit` returns. If the process ends, no
        commit is lost. The file itself is written in one step when the store is closed, and after
        a commit if the log has grown by more than the file's size. The file ends with a digest.

        `jelly_rdflib.apply` commits each transaction of a patch; other changes are pending until
        you commit. The store's prefixes become those of the file.

        Several processes may open one file, but only the first to commit succeeds: in the others,
        a commit raises LogConflict and undoes their changes. They have to open the file again.

        Args:
            configuration: The path of the file, such as ``"data.jelly"``.
            create: Make the file and the log if neither exists.

        Returns:
            rdflib's ``VALID_STORE``.

        Raises:
            FileNotFoundError: Neither the file nor the log exists.
            ValueError: The store has statements, or a file open.
            DecodeError, LimitError: The file is damaged, or exceeds the default limits, and has no
                log.
            LogError: The log is damaged or older than the file, or the file belongs to another log
                or to another branch of this one.
            LogConflict: Another process is opening the file for the first time.
            OSError: The file or the log can't be read or created.

        Warns:
            LogWarning: The file is damaged, and its data were restored from the log.

        Examples:
            >>> import tempfile
            >>> from rdflib import Dataset, Literal, URIRef
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     dataset = Dataset(store="Jelly")
            ...     _ = dataset.open(f"{folder}/data.jelly", create=True)
            ...     _ = dataset.add((URIRef("urn:s"), URIRef("urn:p"), Literal("kept")))
            ...     _ = dataset.commit()
            ...     dataset.close()
            ...     _ = dataset.open(f"{folder}/data.jelly")
            ...     print(len(dataset))
            ...     dataset.close()
            1
        """
        if self.is_in_file:
            raise ValueError("the store has a file open: close() it first")
        was_closed = self.is_closed
        if was_closed:
            self._start()
        try:
            self.open_file(configuration, create=create)
        except BaseException:
            if was_closed:
                self._end()
            raise
        return VALID_STORE

    @property
    def is_closed(self) -> bool:
        """Return whether a file was closed: then the store can only be opened again."""
        return "quads" not in self.__dict__

    def _end(self) -> None:
        """Make all methods but `open` and `close` raise a ValueError from now on."""
        for name in _CONTENTS:
            delattr(self, name)

    @property
    def is_in_file(self) -> bool:
        """Return whether a file is open."""
        return self.file is not None

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Close the file; reading or changing the store raises a ValueError afterwards.

        Pending changes are committed if ``commit_pending_transaction`` is set. Otherwise a store
        in a file undoes them, with a LogWarning; `open` opens a file again. A store in memory stays
        usable, with its changes pending, as rdflib's own stores in memory do.

        Raises:
            LogConflict: Another process has committed first; see `open`. The file stays open.
            OSError: The file or its log can't be written. The log keeps all earlier commits.

        Warns:
            LogWarning: Pending changes are undone; also if the program ends without `close`.
        """
        if self.is_closed:
            return
        is_lost = False
        # No other thread may change the store until its file is written.
        with self._turn:
            if not self.is_in_file or self.file.follower is not None:
                self._refuse_if_recorded("close")
            if commit_pending_transaction:
                self.commit()
            elif self.is_in_file:
                is_lost = self.quads.is_changed
                self.rollback()
            if self.is_in_file:
                try:
                    self.file.close()
                finally:
                    self._end()
        if is_lost:
            warn(
                "the store is closed with pending changes, which are undone: commit() before, or"
                " close(commit_pending_transaction=True)",
                LogWarning,
            )

    def __del__(self) -> None:
        if self.file is not None and self.quads.is_changed:
            warn(
                f"the store in {self.file} was not closed, and its pending changes are lost:"
                " commit() before the program ends",
                LogWarning,
            )

    def _refuse_if_recorded(self, name: str) -> None:
        if self.recording is not None:
            self.recording.call_or_refuse(name, (), {})

    def destroy(self, configuration: str | None) -> None:
        """Remove all quads, graphs and prefixes. If a file is open, close it first."""
        self._refuse_if_recorded("destroy")
        if not self.is_closed:
            self.quads = QuadStore(NODE_TYPES, self._make_graph)
            self._namespace_for_prefix.clear()
            self._prefix_for_namespace.clear()
            self._committed_prefixes = None

    # --- prefixes ---------------------------------------------------------------------------------

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to an IRI.

        If ``override`` is False, existing bindings are kept: a bound prefix keeps its IRI, and a
        bound IRI keeps its prefix.
        """
        if self.recording is not None:
            self.recording.bind(prefix, namespace, override)
        else:
            self.bind_unrecorded(prefix, namespace, override)

    def bind_unrecorded(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix as `bind` does, but hide it from a recording."""
        self._note_prefixes()
        old_iri = self._namespace_for_prefix.get(prefix)
        old_prefix = self._prefix_for_namespace.get(namespace)
        if old_prefix is None and old_iri is not None:
            old_prefix = self._prefix_for_namespace.get(old_iri)
        if override:
            if old_prefix is not None:
                self._namespace_for_prefix.pop(old_prefix, None)
            if old_iri is not None:
                self._prefix_for_namespace.pop(old_iri, None)
            self._prefix_for_namespace[namespace] = prefix
            self._namespace_for_prefix[prefix] = namespace
        else:
            iri = namespace if old_iri is None else old_iri
            name = prefix if old_prefix is None else old_prefix
            self._prefix_for_namespace[iri] = name
            self._namespace_for_prefix[name] = iri

    def keep_prefixes(self) -> None:
        """Make a rollback leave the prefixes as they are now."""
        self._committed_prefixes = None

    def _note_prefixes(self) -> None:
        if self._committed_prefixes is None:
            self._committed_prefixes = (
                dict(self._namespace_for_prefix),
                dict(self._prefix_for_namespace),
            )

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the IRI of a prefix."""
        return self._namespace_for_prefix.get(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix of an IRI."""
        return self._prefix_for_namespace.get(namespace)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Iterate over the prefixes and their IRIs."""
        return iter(list(self._namespace_for_prefix.items()))

    # --- copies -----------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Return the contents for a copy of the store; in the copy no change is pending."""
        file = io.BytesIO()
        options = StreamOptions(generalized_statements=True)
        with StatementWriter(file, options) as writer:
            for batch in self.quads.batches(DATASET_DEFAULT_GRAPH_ID):
                writer.write_all(batch)
        return {
            "identifier": self.identifier,
            "quads": file.getvalue(),
            "graphs": [graph.identifier for graph in self.contexts()],
            "iris": self._namespace_for_prefix,
            "names": self._prefix_for_namespace,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(None, state["identifier"])  # type: ignore[misc]
        for name in state["graphs"]:
            self.quads.list_graph(name)
        opened = open_input(state["quads"], limits=_NO_LIMITS, normalize=False)
        for batch in opened.batches():
            for s, p, o, g in batch.statements():
                self.quads.add((s, p, o), g)
        self._namespace_for_prefix.update(state["iris"])
        self._prefix_for_namespace.update(state["names"])
        self.commit()
