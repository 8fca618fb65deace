"""Tests decoding a stream's frames with several decoders, each continuing the previous one."""

from typing import Any

import pytest

pytest.importorskip("pyarrow")
import jelly_rdflib as jr
from jelly_rdflib.arrow import OPERATION_COLUMNS
from jelly_rdflib.spark.stream_decoder import NEW, StreamDecoder, StreamState
from tests.oracle.terms import operation
from tests.spark.files import make_operations

OPERATIONS = make_operations(3, 4)


def frames_of(size: int, **options: Any) -> list[bytes]:
    encoder = jr.PatchEncoder(jr.PatchOptions(**options))
    starts = range(0, len(OPERATIONS), size)
    return [encoder.encode_frame(map(operation, OPERATIONS[n : n + size])) for n in starts]


def make(state: StreamState = NEW, **options: Any) -> StreamDecoder:
    limits = jr.Limits(**options)
    return StreamDecoder("t/0", OPERATION_COLUMNS, limits, "error", file="t/0", state=state)


def test_a_flat_stream_ends_with_each_transaction_and_each_row_outside_of_one() -> None:
    operations = [each for each in OPERATIONS if each != ("END",)]
    encoder = jr.PatchEncoder(jr.PatchOptions(stream_type="FLAT"))
    decoder = make()
    end = 0
    for number, each in enumerate(operations):
        frame = encoder.encode_frame([operation(each)])
        assert not list(decoder.decode("offset 0", memoryview(frame)))
        if each[0] in ("TC", "H"):
            end = number + 1
        assert (decoder.count, decoder.end) == (number + 1, end)


def test_before_the_options_there_is_a_state() -> None:
    decoder = make()
    assert not list(decoder.decode("offset 0", memoryview(b"")))
    assert decoder.save() == NEW


def test_a_state_that_does_not_fit_names_its_stream() -> None:
    decoder = make()
    list(decoder.decode("offset 0", memoryview(frames_of(9)[0])))
    checkpoint, place = decoder.save()
    assert checkpoint is not None
    with pytest.raises(jr.DecodeError, match=r"^stream t/0: its saved state: .* damaged"):
        make(StreamState(checkpoint[:-1], place))
    with pytest.raises(jr.DecodeError, match=r"^stream t/0: its saved state: .*max_name_table"):
        make(StreamState(checkpoint, place), max_name_table_size=8)
