# Dict lookups with a hash that is already known, and the hash of a tuple from its elements' hashes.
#
# Computing the hash of a `Literal` is Python code and takes longer than all other work on it, so
# each hash is computed once. CPython has exported the functions used here since 3.5, but since 3.13
# it declares two of them only in internal headers. Elsewhere the slower public functions are used.

cdef extern from *:
    """
    #if CYTHON_COMPILING_IN_CPYTHON && PY_VERSION_HEX < 0x030F0000 && !defined(Py_GIL_DISABLED)
    PyAPI_FUNC(PyObject *) _PyDict_GetItem_KnownHash(PyObject *, PyObject *, Py_hash_t);
    PyAPI_FUNC(int) _PyDict_SetItem_KnownHash(PyObject *, PyObject *, PyObject *, Py_hash_t);
    PyAPI_FUNC(int) _PyDict_DelItem_KnownHash(PyObject *, PyObject *, Py_hash_t);
    #define jelly_dict_get _PyDict_GetItem_KnownHash
    #define jelly_dict_set _PyDict_SetItem_KnownHash
    #define jelly_dict_delete _PyDict_DelItem_KnownHash
    #else
    #define jelly_dict_get(d, key, hash) PyDict_GetItemWithError(d, key)
    #define jelly_dict_set(d, key, value, hash) PyDict_SetItem(d, key, value)
    #define jelly_dict_delete(d, key, hash) PyDict_DelItem(d, key)
    #endif

    /* The mixing of xxHash, as CPython's tuples do it since 3.8. */
    static CYTHON_INLINE Py_hash_t jelly_triple_hash(Py_hash_t s, Py_hash_t p, Py_hash_t o) {
        Py_uhash_t lanes[3] = {(Py_uhash_t)s, (Py_uhash_t)p, (Py_uhash_t)o};
        uint64_t state = 2870177450012600261ULL;
        for (int i = 0; i < 3; i++) {
            state += lanes[i] * 14029467366897019727ULL;
            state = (state << 31) | (state >> 33);
            state *= 11400714785074694791ULL;
        }
        state += 3 ^ (2870177450012600261ULL ^ 3527539ULL);
        return state == (uint64_t)-1 ? 1546275796 : (Py_hash_t)state;
    }
    """
    # Returns a borrowed reference; NULL without an exception if the key is not in the dict.
    PyObject* dict_get "jelly_dict_get"(dict d, object key, Py_hash_t hash) except? NULL
    int dict_set "jelly_dict_set"(dict d, object key, object value, Py_hash_t hash) except -1
    int dict_delete "jelly_dict_delete"(dict d, object key, Py_hash_t hash) except -1
    Py_hash_t mix_triple_hash "jelly_triple_hash"(Py_hash_t s, Py_hash_t p, Py_hash_t o) noexcept


cdef inline bint dict_has(dict d, object key, Py_hash_t hash) except -1:
    return dict_get(d, key, hash) is not NULL


cdef inline int dict_discard(dict d, object key, Py_hash_t hash) except -1:
    if dict_get(d, key, hash) is not NULL:
        dict_delete(d, key, hash)
    return 0


cdef inline dict dict_get_dict(dict d, object key, Py_hash_t hash):
    """Return ``d[key]``, which is a dict, or None if ``d`` lacks the key."""
    cdef PyObject* found = dict_get(d, key, hash)
    return <dict>found if found is not NULL else None


cdef inline dict dict_need_dict(dict d, object key, Py_hash_t hash):
    """Return ``d[key]``, which is a dict; add an empty dict if ``d`` lacks the key."""
    cdef PyObject* found = dict_get(d, key, hash)
    cdef dict new
    if found is not NULL:
        return <dict>found
    new = {}
    dict_set(d, key, new, hash)
    return new
