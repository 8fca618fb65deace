"""Iterates over the batches and the operations of a Jelly-Patch stream."""

cimport cython

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.frame_reader cimport FrameReader
from jelly_rdflib.core.nodes cimport NodeFactory
from jelly_rdflib.core.patch_decoder cimport PatchFrameDecoder

from jelly_rdflib.errors import DecodeError


@cython.final
cdef class PatchBatchReader:
    """Iterates over a stream's batches: one for each frame, and one for the end if it says any.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`.
    """

    cdef FrameReader frames
    cdef PatchFrameDecoder decoder
    cdef bint is_finished
    cdef bint is_reading

    def __cinit__(self, source, NodeFactory factory not None, limits):
        self.decoder = PatchFrameDecoder(factory, limits)
        self.frames = FrameReader(source, limits.max_frame_size)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Batch batch = self.next_batch()
        if batch is None:
            raise StopIteration
        return batch

    def close(self):
        """Stop reading, and close the file if the reader opened it."""
        if self.is_reading:
            raise ValueError("the reader is reading, and can't be closed")
        self.stop()

    @property
    def options(self):
        """The stream's `jelly_rdflib.PatchOptions`; None before its first frame was read."""
        return self.decoder.options

    cdef int stop(self) except -1:
        self.is_finished = True
        self.frames.close()
        return 0

    cdef Batch next_batch(self):
        cdef Batch batch
        if self.is_finished:
            return None
        if self.is_reading:
            # The source's read() came back here, or another thread is reading.
            raise ValueError("the reader is already reading")
        self.is_reading = True
        try:
            if self.frames.next_frame():
                return self.decoder.decode(
                    self.frames.frame, self.frames.frame_size, self.frames.frame_offset
                )
            batch = self.decoder.end(self.frames.position)
        except DecodeError as error:
            self.stop()
            if not self.decoder.has_options and self.frames.position > 0:
                error.message += "; is the input Jelly-Patch at all?"
            raise
        except BaseException:
            self.stop()
            raise
        finally:
            self.is_reading = False
        self.stop()
        return batch if batch.rows.count > 0 else None


@cython.final
cdef class PatchOperationReader:
    """Iterates over a stream's operations, as tuples; arguments as for `PatchBatchReader`."""

    cdef PatchBatchReader batches
    cdef Batch batch
    cdef list nodes
    cdef size_t row

    def __cinit__(self, source, NodeFactory factory not None, limits):
        self.batches = PatchBatchReader(source, factory, limits)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Batch batch
        cdef list nodes
        while self.batch is None or self.row >= self.batch.rows.count:
            batch = self.batches.next_batch()
            if batch is None:
                raise StopIteration
            # Making nodes runs rdflib's code, and other threads: the batch and its nodes are put
            # in place together.
            nodes = batch.terms.make_nodes()
            self.batch, self.nodes, self.row = batch, nodes, 0
        self.row += 1
        return self.batch.operation(self.row - 1, self.nodes)

    def close(self):
        """Stop reading, and close the file if the reader opened it."""
        self.batches.close()
        self.batch = None

    @property
    def options(self):
        """The stream's `jelly_rdflib.PatchOptions`; None before its first frame was read."""
        return self.batches.options
