"""Finding encodings."""

import io

import pytest
from rdflib import Literal, URIRef

from jelly_rdflib import Op
from jelly_rdflib.encodings import ENCODINGS, find_encoding

ADD = (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("o"), URIRef("urn:g"))


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: encoding.name)
class TestEncodings:
    def test_it_is_found_by_everything_it_is_known_by(self, encoding):
        for key in (*encoding.names, *encoding.extensions):
            assert find_encoding(key) is encoding
            assert find_encoding(key.upper()) is encoding

    def test_its_reader_reads_what_its_writer_writes(self, encoding):
        file = io.BytesIO()
        with encoding.writer(file) as writer:
            writer.write(ADD if encoding.holds_changes else ADD[1:])
        operations = [ADD, (Op.END,)] if encoding.holds_changes else [ADD]
        assert list(encoding.read_operations(file.getvalue())) == operations
        assert [len(batch) for batch in encoding.read_batches(file.getvalue())] == [len(operations)]


def test_an_unknown_encoding_is_an_error_that_names_the_known_ones():
    with pytest.raises(LookupError, match="jelly-patch"):
        find_encoding("turtle")
