"""Watches the nesting of JSON-LD."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport UINT64_MAX, uint8_t, uint64_t
from libc.string cimport memcmp, memset

from jelly_rdflib.core.nesting cimport NestingWatch

import json

from jelly_rdflib.errors import DecodeError, LimitError


cdef enum JsonState:
    BETWEEN_STRINGS
    IN_JSON_STRING
    ESCAPE_IN_JSON_STRING


cdef enum:
    # What a parser takes for each event of JSON (again in each object around it, except for the
    # outermost), key and statement, in bytes; measured, and more.
    EVENT_SIZE = 72
    INNER_EVENT_SIZE = 112
    KEY_SIZE = 600
    STATEMENT_SIZE = 680
    # Of contexts that are copied: bytes for each that is read.
    CONTEXT_WORK = 1 << 13
    # A scoped context is made anew where a property or type opens it, which takes much longer than
    # to copy as much; and what is around it is copied for a type twice.
    SCOPED_WORK = 10
    SCOPED_COPIES = 2
    # How deep the definitions of a context may refer to each other. The parser's calls are as deep
    # in each other, each with 2.4 KB of the stack: less than a third of the half MiB that a
    # thread's may have.
    MAX_CONTEXT_DEPTH = 64
    # As long as "@context" is when all of it is escaped.
    KEY_START = 48


# The same, to begin with: about a second.
cdef double FREE_CONTEXT_WORK = <uint64_t>1 << 32
# So that sums with it are no larger than they may be.
cdef double MAX_ERRORS = <uint64_t>1 << 60
# Containers whose values are objects with any keys.
cdef frozenset MAPS = frozenset(("@id", "@index", "@language", "@type"))


cdef struct JsonObject:
    uint64_t events  # in it
    uint64_t keys  # of its own
    uint64_t held  # of the object in it that takes the most
    uint64_t values  # in it
    uint64_t opened  # of these: those that may open a scoped context
    bint opens_outside  # whether it is inside of what opens one
    bint opens  # whether the value of the last key may open one
    uint64_t depth  # of objects in it, with itself
    uint64_t context  # bytes that its own context takes
    uint64_t definitions  # of its own context
    uint64_t copied  # bytes, or what takes as long, when its own context is
    uint64_t longest  # IRI that its own context makes of a few bytes
    uint64_t all_definitions  # of all contexts in it
    uint64_t nulls  # contexts in it that are null
    uint64_t protected  # bytes to tell of each definition of its own context that it is protected
    double errors  # bytes that errors about contexts in it may take
    double scoped_errors  # the same for each null in what a value opens
    uint64_t scopes  # of its own context
    uint64_t openings  # of contexts in it
    uint64_t open_contexts  # at once
    uint64_t open_definitions
    uint64_t open_longest  # IRIs one after the other
    uint64_t contexts  # bytes of those that are open at once
    uint64_t scoped_contexts  # the same if each object opens them anew
    double work  # to copy them
    double scoped_work  # the same for each value that may open one


@cython.final
cdef class JsonNesting(NestingWatch):
    """Watches the brackets of JSON, and what JSON-LD makes of it.

    Its parser keeps an outermost object until that ends, since its context may come last, and then
    makes all its statements at once. A context is copied by each one that is inside of it.

    Args:
        limit: How many levels there may be.
        max_held: As for `NestingWatch`.
        measure_context: Called with a context's bytes; returns what it stands for, with the
            attributes of `jelly_rdflib.encodings.syntaxes.contexts.ContextSize`. Without it
            contexts are not watched.
        is_lenient: Whether IRIs may have blanks.

    Attributes:
        made: How many statements the outermost objects make that have ended, at the most.
    """

    cdef readonly uint64_t made
    cdef object measure_context
    cdef bint is_lenient
    cdef JsonObject* objects  # that are open, from 1
    cdef uint8_t* is_array  # by depth
    cdef size_t top
    cdef bint expects_key
    cdef bint is_part_next  # of what its object says, and no statement
    cdef bint in_scalar
    cdef size_t token_start
    cdef bint has_blank
    cdef bint has_escape
    cdef uint8_t[KEY_START] key
    # Of the outermost object.
    cdef uint64_t events
    cdef uint64_t statements
    cdef uint64_t parts
    cdef uint64_t properties
    cdef uint64_t text
    cdef uint64_t longest_key
    cdef uint64_t longest_value
    cdef set scoped_terms
    cdef uint64_t longest_scoped_term
    cdef uint64_t largest_scope
    cdef uint64_t deepest_scope
    cdef uint64_t scope_errors
    cdef uint64_t scope_nulls
    cdef set containers  # of its contexts
    cdef bint has_inner_context  # in an object inside of it
    cdef bint has_list
    cdef double work
    # Where the context is that is being read, as far as it is.
    cdef bint is_context_next
    cdef size_t context_depth
    cdef bytearray context

    def __init__(
        self, size_t limit, *, uint64_t max_held=UINT64_MAX, measure_context=None,
        bint is_lenient=False
    ):
        super().__init__(limit, max_held=max_held)
        self.measure_context = measure_context
        self.is_lenient = is_lenient
        self.context = bytearray()
        self.scoped_terms = set()
        self.containers = set()
        PyMem_Free(self.objects)
        PyMem_Free(self.is_array)
        self.is_array = NULL
        self.objects = <JsonObject*>PyMem_Calloc(limit + 2, sizeof(JsonObject))
        self.is_array = <uint8_t*>PyMem_Calloc(limit + 2, 1)
        if self.objects == NULL or self.is_array == NULL:
            raise MemoryError
        self.is_ready = True

    def __dealloc__(self):
        PyMem_Free(self.objects)
        PyMem_Free(self.is_array)

    cdef int look_through(self, const uint8_t* text, size_t size) except -1:
        cdef JsonState state = <JsonState>self.state
        cdef uint8_t byte
        cdef size_t at
        cdef size_t start
        # Of a context that is being read.
        cdef size_t context_start = 0
        for at in range(size):
            byte = text[at]
            if state != BETWEEN_STRINGS:
                start = self.position + at - self.token_start
                if start < KEY_START:
                    self.key[start] = byte
                if state == ESCAPE_IN_JSON_STRING:
                    state = IN_JSON_STRING
                elif byte == b'"':
                    state = BETWEEN_STRINGS
                    self.end_string(at)
                elif byte == b"\\":
                    state = ESCAPE_IN_JSON_STRING
                    self.has_escape = True
                elif byte <= b" ":
                    self.has_blank = True
                continue
            if byte <= b" " or byte == b"," or byte == b":" or byte == b"]" or byte == b"}":
                if self.in_scalar:
                    self.end_scalar(at)
                if byte == b":":
                    self.expects_key = False
                elif byte == b",":
                    self.expects_key = self.depth > 0 and not self.is_array[self.depth]
                elif byte > b" " and self.depth > 0:
                    self.close(at)
                    if self.context_depth == self.depth:
                        self.context += text[context_start:at + 1]
                        self.end_context(at)
                    self.leave()
            elif byte == b'"':
                state = IN_JSON_STRING
                self.token_start = self.position + at + 1
                self.has_blank = self.has_escape = False
            elif byte == b"{" or byte == b"[":
                self.enter(at)
                if self.is_context_next:
                    self.is_context_next = False
                    self.context_depth = self.depth
                    context_start = at
                self.open(byte == b"[", at)
            elif not self.in_scalar:
                self.note_null_context()
                self.in_scalar = True
                self.token_start = self.position + at
                self.note_value(False)
                self.note_event(not self.is_part_next, at)
                self.is_part_next = False
        if self.context_depth > 0:
            self.context += text[context_start:size]
        self.state = state
        return 0

    cdef size_t find_token(self) noexcept:
        if <JsonState>self.state == BETWEEN_STRINGS and not self.in_scalar:
            return self.position
        return self.token_start

    cdef int note_event(self, bint is_statement, size_t at) except -1:
        """Note a part of an object, or nothing outside of all objects."""
        if self.top == 0:
            return 0
        self.objects[self.top].events += 1
        self.events += 1
        if is_statement and self.context_depth == 0:
            self.statements += 1
        return self.check_held(
            EVENT_SIZE * self.events + KEY_SIZE * self.objects[1].keys + 3 * self.text, at
        )

    cdef int note_value(self, bint is_scoped_term) except -1:
        """Note a value that may open a scoped context: of a property, or a type.

        A value of a property that opens one does, and what is inside of it may: it may be a list,
        or a map from languages and the like.
        """
        if self.top == 0 or self.context_depth > 0:
            return 0
        cdef JsonObject* whole = &self.objects[self.top]
        whole.values += 1
        if whole.opens or is_scoped_term:
            whole.opened += 1
        return 0

    cdef int note_null_context(self) except -1:
        """Note what is a context and neither an object nor an array."""
        if self.is_context_next:
            self.is_context_next = False
            self.objects[self.top].context += 1
            self.objects[self.top].nulls += 1
        return 0

    cdef bint is_scoped_term(self, uint64_t size) except -1:
        """Whether a string may be a term that opens a context."""
        if not self.scoped_terms:
            return False
        if self.has_escape:
            # Six bytes may be one.
            return size <= 6 * self.longest_scoped_term
        if size > self.longest_scoped_term:
            return False
        return size > KEY_START or self.key[:size] in self.scoped_terms

    cdef int end_scalar(self, size_t at) except -1:
        self.in_scalar = False
        self.text += self.position + at - self.token_start
        return 0

    cdef int end_string(self, size_t at) except -1:
        cdef uint64_t size = self.position + at - self.token_start
        self.text += size
        if not self.expects_key:
            self.note_null_context()
            if self.context_depth == 0 and (self.is_lenient or not self.has_blank):
                self.longest_value = max(self.longest_value, size)
            self.note_value(not self.is_part_next and self.is_scoped_term(size))
            self.note_event(not self.is_part_next, at)
            self.is_part_next = False
            return 0
        if self.context_depth == 0:
            self.longest_key = max(self.longest_key, size)
            self.is_context_next = (
                self.measure_context is not None and self.is_keyword(size, b"@context")
            )
            if self.is_keyword(size, b"@list") or self.is_keyword(size, b"@set"):
                self.has_list = True
            self.properties += 1
            if self.is_context_next and self.top > 1:
                self.has_inner_context = True
        self.is_part_next = not self.has_escape and (
            (size == 3 and memcmp(self.key, b"@id", 3) == 0)
            or (size == 6 and memcmp(self.key, b"@value", 6) == 0)
            or (size == 9 and memcmp(self.key, b"@language", 9) == 0)
        )
        self.parts += self.is_part_next and self.context_depth == 0
        cdef JsonObject* whole = &self.objects[self.top]
        whole.keys += 1
        whole.opens = whole.opens_outside or self.is_scoped_term(size)
        return self.note_event(False, at)

    cdef bint is_keyword(self, uint64_t size, bytes keyword) except -1:
        """Whether a key is a keyword, in whatever way it is escaped."""
        if size > KEY_START:
            return False
        if not self.has_escape:
            return self.key[0] == b"@" and self.key[:size] == keyword
        try:
            return json.loads(b'"%b"' % self.key[:size]) == keyword.decode()
        except ValueError:
            return False

    cdef int open(self, bint is_array, size_t at) except -1:
        # An array in another is a list in a list.
        self.note_event(not is_array or (self.depth > 1 and self.is_array[self.depth - 1]), at)
        self.is_array[self.depth] = is_array
        self.expects_key = not is_array
        self.is_part_next = False
        cdef bint opens
        if not is_array:
            self.note_value(False)
            opens = self.top > 0 and self.objects[self.top].opens
            self.top += 1
            memset(&self.objects[self.top], 0, sizeof(JsonObject))
            self.objects[self.top].opens = self.objects[self.top].opens_outside = opens
        return 0

    cdef int close(self, size_t at) except -1:
        self.expects_key = False
        if self.is_array[self.depth]:
            return self.note_event(False, at)
        cdef JsonObject* inner = &self.objects[self.top]
        cdef JsonObject* outer = inner - 1
        self.sum_up(inner)
        if self.context_depth > 0:
            # No object of data.
            inner.depth = 0
        if self.top == 1:
            self.end_outermost(inner, at)
        else:
            outer.events += inner.events
            outer.held = max(
                outer.held, inner.held + INNER_EVENT_SIZE * inner.events + KEY_SIZE * inner.keys
            )
            outer.values += inner.values
            outer.opened += inner.opened
            outer.all_definitions += inner.all_definitions
            outer.nulls += inner.nulls
            outer.errors += inner.errors
            outer.scoped_errors += inner.scoped_errors
            outer.depth = max(outer.depth, inner.depth)
            outer.openings += inner.openings
            outer.open_contexts = max(outer.open_contexts, inner.open_contexts)
            outer.open_definitions = max(outer.open_definitions, inner.open_definitions)
            outer.open_longest = max(outer.open_longest, inner.open_longest)
            outer.contexts = max(outer.contexts, inner.contexts)
            outer.scoped_contexts = max(outer.scoped_contexts, inner.scoped_contexts)
            outer.work += inner.work
            outer.scoped_work += inner.scoped_work
        self.top -= 1
        return self.note_event(False, at)

    cdef void sum_up(self, JsonObject* whole) noexcept:
        """Add an object's own context to those in it: each of these has a copy of it."""
        whole.depth += 1
        if whole.context == 0:
            return
        # Each that is in it is made with it, to see whether it is well-formed.
        whole.openings += 1 + whole.scopes
        whole.open_contexts += 1
        # Those in it may begin each of their IRIs with its longest.
        cdef uint64_t begun = whole.longest * whole.open_definitions
        whole.contexts += (whole.context + begun) * whole.open_contexts
        whole.scoped_contexts += (whole.context + begun) * whole.depth
        whole.work += <double>(whole.copied + begun) * whole.openings
        whole.scoped_work += <double>(whole.copied + begun) * whole.opened
        # Errors are kept until all statements are made.
        whole.errors += (
            2 * <double>whole.longest * whole.all_definitions
            + <double>whole.protected * whole.nulls
        )
        whole.scoped_errors += <double>whole.protected * whole.opened
        whole.all_definitions += whole.definitions
        whole.open_definitions += whole.definitions
        whole.open_longest += whole.longest

    cdef int end_outermost(self, JsonObject* whole, size_t at) except -1:
        # A statement may have a subject, a predicate, a datatype and the name of a graph.
        cdef uint64_t iris = (
            2 * self.longest_value + self.longest_key + 4 * whole.open_longest
        )
        cdef uint64_t statements = self.count_statements()
        cdef double errors = (
            whole.errors
            + whole.scoped_errors * self.scope_nulls
            + <double>whole.opened * self.scope_errors
        )
        self.check_held(
            EVENT_SIZE * self.events + KEY_SIZE * whole.keys + 3 * self.text + whole.held
            + <uint64_t>min(errors, MAX_ERRORS)
            + (whole.scoped_contexts if self.scoped_terms else whole.contexts)
            + statements * (STATEMENT_SIZE + iris),
            at,
        )
        self.work += (
            whole.work
            + whole.scoped_work * SCOPED_COPIES * self.deepest_scope
            + <double>whole.opened * SCOPED_WORK * self.largest_scope
        )
        if self.work > FREE_CONTEXT_WORK + CONTEXT_WORK * (self.position + at):
            raise LimitError(
                f"contexts are copied so often that it is more than {CONTEXT_WORK} bytes for each"
                " byte of the input",
                offset=self.position + at,
            )
        # An item of a list has one for itself, and one that leads to the next.
        self.made += 2 * statements
        if "@graph" in self.containers and self.has_list:
            raise DecodeError(
                "JSON-LD with a container of graphs is read without @list and @set only: pyoxigraph"
                " would end the process",
                offset=self.position + at,
            )
        if self.has_inner_context and not self.containers.isdisjoint(MAPS):
            # In a map this is a key like others, and what is not counted here are values.
            raise DecodeError(
                "JSON-LD with a container that is a map (of @id, @index, @language or @type) is read"
                " without contexts in inner objects only",
                offset=self.position + at,
            )
        self.has_list = self.has_inner_context = False
        self.containers.clear()
        self.events = self.statements = self.parts = self.properties = self.text = 0
        self.longest_key = self.longest_value = 0
        self.longest_scoped_term = self.largest_scope = self.deepest_scope = 0
        self.scope_errors = self.scope_nulls = 0
        self.scoped_terms.clear()
        return 0

    cdef uint64_t count_statements(self) except? 0:
        """Return how many values the outermost object has, or what takes as much.

        A value makes up to two statements: in a list one for itself, and one that leads on.
        """
        cdef uint64_t count = self.statements
        if "@graph" in self.containers or "@index" in self.containers:
            # A graph has a name, and a statement with that; an index that is a property another.
            count *= 2
        if "@list" in self.containers:
            # From each property to its list.
            count += self.properties
        if not self.containers.isdisjoint(MAPS):
            # There these words are keys like others.
            count += self.parts
        return count

    cdef int end_context(self, size_t at) except -1:
        cdef JsonObject* whole = &self.objects[self.top]
        size = self.measure_context(bytes(self.context))
        self.context.clear()
        self.context_depth = 0
        if size.depth > MAX_CONTEXT_DEPTH:
            raise LimitError(
                "definitions of a context refer to each other, or contexts are in each other,"
                f" over more than {MAX_CONTEXT_DEPTH} levels",
                offset=self.position + at,
            )
        whole.context += size.size
        whole.definitions += size.definitions
        whole.longest += size.longest
        whole.copied += size.copied
        whole.scopes += size.scopes
        whole.errors += size.errors
        whole.protected += size.protected
        whole.nulls += size.nulls
        self.containers |= size.containers
        self.has_list = self.has_list or size.has_list_alias
        if size.scoped_terms:
            self.largest_scope = max(self.largest_scope, <uint64_t>size.largest_scope)
            self.deepest_scope = max(self.deepest_scope, <uint64_t>size.deepest_scope)
            self.scope_errors = max(self.scope_errors, <uint64_t>size.scope_errors)
            self.scope_nulls = max(self.scope_nulls, <uint64_t>size.scope_nulls)
            self.longest_scoped_term = max(
                self.longest_scoped_term, <uint64_t>max(map(len, size.scoped_terms))
            )
            self.scoped_terms |= size.scoped_terms
            # What came before in this object was not compared with them.
            whole.opened = whole.values
        return 0
