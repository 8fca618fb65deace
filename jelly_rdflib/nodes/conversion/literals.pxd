# Makes the values and normal forms of literals as rdflib does.

cdef enum:
    MAX_NATIVE_TYPES = 24

ctypedef struct NativeType:
    PyObject* iri  # the same object as the key in rdflib's table
    PyObject* converter  # rdflib's function from lexical forms to values
    int kind
    int64_t least, most  # the range of integers; other values are ill-typed


@cython.final
cdef class LiteralRules:
    cdef dict converters, original_converters
    cdef list specific, original_specific, generic, original_generic
    cdef NativeType[MAX_NATIVE_TYPES] types
    cdef size_t count

    cdef const NativeType* find(self, Span iri) noexcept
    cdef bint are_original(self, const NativeType* native) except -1


cdef bint is_canonical(LiteralRules rules, Span text, Span datatype) except -1
