"""Tests inputs that fuzzing has found, and that its targets notice faults."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import jelly_rdflib as jr
from fuzz import differential, reading, round_trips
from fuzz.outcomes import attempt, plain_operations
from fuzz.targets import TARGETS
from tests.core.jelly.draft_streams import DRAFT_STREAMS
from tests.core.jelly.formats import PATCH, RDF
from tests.core.jelly.streams import PATCH_SMALL as SMALL
from tests.core.jelly.streams import RDF_TYPES
from tests.core.jelly.streams import SMALL as ALL_SMALL
from tests.oracle import build as b
from tests.oracle import wire

BEGIN = wire.field(6, b"")
COMMIT = wire.field(1, wire.field(7, b""))

DAMAGED_ZSTD = bytes.fromhex(
    "28b52ffd8000170a152081000000400000000000000000000000000000000000000000fd00000000"
    "0000000000780108021000100358ff8180808000b87ffcfbffff0ffcffffffff0f0000000a817d77"
    "fe1cedd6f8df99040a027a00"
)

DAMAGED_ZSTD_OF_RDF = bytes.fromhex(
    "28b52ffd0000c200000000000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000000fb0000000000000000000000000000000000000000fe00000000000000000000001100"
    "00005f737065000000000000000000000000000000000000000000000000000000000000000000000000937f"
)

HEAD, RDF_HEAD = PATCH.head(), RDF.head()

FINDINGS = {
    "a tag of six bytes, which protobuf refuses": (
        "patch-differential",
        b.delimited([HEAD + wire.tag(99, wire.VARINT, 6) + b"\x07"]),
    ),
    "a length of six bytes, which protobuf refuses": (
        "patch-differential",
        b.delimited([HEAD + wire.tag(1, wire.LEN) + wire.varint(2, 6) + BEGIN + COMMIT]),
    ),
    "the same in a message nobody knows": (
        "rdf-differential",
        b.delimited([RDF_HEAD + wire.tag(99, wire.LEN) + wire.varint(1, 10) + b"x"]),
    ),
    "a text that looks compressed, which its reference can't know": (
        "text-differential",
        b"(\xb5/\xfdD\xf3\xcf\x9a;\0\0\0\0:a ",
    ),
    "a text that looks like zstd by a frame to be skipped": (
        "text-differential",
        b"P*M\x18\0\0\0\0",
    ),
    "a character that is cut off behind the dot of the last row": (
        "text-differential",
        b"Z.\xe7*",
    ),
    "damaged zstd, of which more is read in small pieces": (
        "patch",
        DAMAGED_ZSTD,
    ),
    "the same in Jelly-RDF": ("rdf", DAMAGED_ZSTD_OF_RDF),
    "a text that looks compressed with bzip2": ("syntaxes", b"BZh<> \x8d\x8d"),
    "an error of the parser's process without a message": (
        "answers",
        bytes.fromhex(
            "4600000000570000006445000000290100ffffffff0100ffffffffffff0087ffffffff000000000000000003"
            "0000000000000e69742068617320746f6f206d756368"
        ),
    ),
    "options of Jelly-RDF 1.2 with a field that only the earlier draft has": (
        "columns-differential",
        bytes.fromhex(
            "650a1b0a190a08612073747265616d1002280148800150025802780338021246080112041200"
            "12001a150802121175726e3ac3a1f38db9bd620ac395c2bc231a0a080112062f2f23232f2f32"
            "090a01001a01022201023a061a010022010142061a0101220101"
        ),
    ),
    "no options, but bytes after the first frame that look like them": (
        "rdf",
        b"8" * 12 + b"\xc8" + b"8" * 40 + b"=J\n\x08\nJ\n\x08\x06" + b"?" * 101 + b"x\x01",
    ),
    "a byte order mark, which pyoxigraph does not know": ("syntaxes", b"\xef\xbb\xbf"),
    "a text with control characters among the bytes by which it is told": (
        "any",
        b'PA ex <a> <g> .\nPD ex "' + 60 * b"\x12" + b'" .\n',
    ),
}


@pytest.mark.parametrize(("target", "data"), FINDINGS.values(), ids=FINDINGS)
def test_findings(target: str, data: bytes) -> None:
    TARGETS[target].check(data)


@pytest.mark.parametrize("way", round_trips.PATCH_WAYS)
def test_a_prefix_without_a_graph_before_any(way: Callable[..., None]) -> None:
    """Jelly-JVM writes such prefixes; they are written again with the default graph."""
    data = b.stream([b.options(), b.name("urn:e#"), b.prefix_add("e", b.iri(0, 1))])
    operations = jr.read_operations(data, normalize=False)
    plain = list(plain_operations(operations))
    assert plain[0][3] is None
    way(data, plain, operations.options)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("data", [b"", b"\n", b"\x00", SMALL, SMALL[:-1]], ids=len)
def test_any_target_takes_any_input(target: str, data: bytes) -> None:
    TARGETS[target].check(data)


class TestTargetsNotice:
    """Tests that a target fails if a decoder is wrong."""

    def test_an_operation_that_is_lost(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def lose_one(*arguments: Any, **options: Any) -> Iterator[Any]:
            operations = read_operations(*arguments, **options)
            next(operations)
            return operations

        read_operations = jr.read_operations
        monkeypatch.setattr(jr, "read_operations", lose_one)
        with pytest.raises(AssertionError):
            differential.compare_patch(SMALL)
        batches = attempt(lambda: map(len, jr.read_batches(SMALL)))
        for way in (reading.read_normalized, reading.read_limited, reading.read_in_pieces):
            with pytest.raises(AssertionError):
                way(SMALL, "jelly-patch", batches)


@pytest.mark.parametrize(
    ("target", "seeds"),
    [
        ("patch", [SMALL]),
        ("rdf", [ALL_SMALL[format] for format in RDF_TYPES]),
        ("columns-differential", [stream.data for stream in DRAFT_STREAMS.values()]),
    ],
)
def test_mutated_messages_are_read(target: str, seeds: list[bytes]) -> None:
    """The mutator changes fields of every kind, and the target checks the results."""
    make = TARGETS[target].make_mutator
    assert make is not None
    mutate = make(lambda data, size: data[:size])
    for number in range(300):
        data = seeds[number % len(seeds)]
        for step in range(3):
            data = mutate(data, 8192, 10 * number + step)
            TARGETS[target].check(data)
