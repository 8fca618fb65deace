# Iterates over the batches of a stream of frames.

@cython.final
cdef class BatchReader(BatchSource):
    cdef FrameReader frames
    cdef FrameDecoder decoder
    cdef FrameDecoder statement_decoder  # None once it is clear which decoder is right
    cdef FrameDecoder other_decoder

    cdef int choose_decoder(self) except -1
