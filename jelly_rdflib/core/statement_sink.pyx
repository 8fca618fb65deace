"""Takes statements for an encoder of any kind."""

from jelly_rdflib.core.statement_encoder cimport StatementFrameEncoder


cdef class StatementSink:
    """Hands statements to an encoder: to that of Jelly-RDF without a call of Python's in between.

    Args:
        encoder: An encoder of statements.
    """

    cdef readonly object encoder
    cdef StatementFrameEncoder jelly  # the same, or None if it is another

    def __init__(self, encoder not None):
        if self.encoder is not None:
            raise RuntimeError("it is initialized already")
        self.encoder = encoder
        self.jelly = encoder if isinstance(encoder, StatementFrameEncoder) else None

    def add(self, s, p, o, g=None):
        """Write a statement.

        Args:
            s, p, o: Terms.
            g: The graph's name; None in a stream of triples, and for the default graph.
        """
        if self.jelly is not None:
            self.jelly.put_statement(s, p, o, g)
        else:
            self.encoder.add(s, p, o, g)

    def write(self, statement):
        """Write a statement that is given as a tuple of three or four terms."""
        if self.jelly is not None:
            self.jelly.put_tuple(statement)
        else:
            self.encoder.write(statement)
