"""Tests the options of the data sources: names, values and defaults."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
from jelly_rdflib import Limits, Op, PatchOptions, StreamOptions
from jelly_rdflib.spark.kinds import JELLY, JELLY_PATCH, RDF_PATCH, Kind
from jelly_rdflib.spark.options import ReadOptions, WriteOptions


class TestReading:
    def test_defaults(self) -> None:
        made = ReadOptions.of({"path": "x", "paths": '["x"]'})
        assert made == ReadOptions()
        assert (made.mode, made.terms, made.pattern) == ("FAILFAST", "string", "*")
        assert (made.partition_bytes, made.max_files, made.ops) == (None, None, None)
        assert (made.is_recursive, made.push_filters) == (False, False)
        assert (made.wanted, made.limits) == ({}, Limits())

    def test_each_option(self) -> None:
        given = {
            "MODE": "dropmalformed",
            "Terms": "STRUCT",
            "partition_bytes": "1",
            "pathGlobFilter": "*.jellyp",
            "recursiveFileLookup": "True",
            "maxFilesPerTrigger": "1",
            "maxFileAge": "2h",
            "maxFileDelay": "5min",
            "latestFirst": "true",
            "modifiedAfter": "1970-01-01T00:00:02Z",
            "modifiedBefore": "1970-01-01T02:00:03.5+02:00",
            "ignoreMissingFiles": "true",
            "columnNameOfCorruptRecord": "damage",
            "pushfilters": "true",
            "on_repeated_options": "Restart",
            "op": "a, tc",
            "s": "<urn:s>",
            "g": "null",
            "maxFrameSize": "0",
            "max_text_size": "70",
        }
        assert ReadOptions.of(given) == ReadOptions(
            mode="DROPMALFORMED",
            terms="struct",
            partition_bytes=1,
            pattern="*.jellyp",
            is_recursive=True,
            max_files=1,
            max_age=7200,
            max_delay=300,
            latest_first=True,
            modified_after=2,
            modified_before=3.5,
            ignores_missing=True,
            corrupt="damage",
            push_filters=True,
            on_repeated_options="restart",
            ops=frozenset({Op.A, Op.TC}),
            wanted={"s": "<urn:s>", "g": None},
            limits=Limits(max_frame_size=0, max_text_size=70),
        )

    @pytest.mark.parametrize(
        ("text", "seconds"),
        [("90s", 90), ("2m", 120), ("2MIN", 120), ("1h", 3600), ("7d", ReadOptions().max_age)],
    )
    def test_durations(self, text: str, seconds: int) -> None:
        made = ReadOptions.of({"maxFileAge": text})
        assert (made.max_age, made.max_delay) == (seconds, min(3600, seconds))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"partitionBytes": "0"}, "partitionBytes must be a number >= 1"),
            ({"maxFilesPerTrigger": "0"}, "maxFilesPerTrigger must be a number >= 1, not '0'"),
            ({"maxFrameSize": "-1"}, "max_frame_size must be a number >= 0, not '-1'"),
            # Python accepts these characters as digits.
            ({"maxFrameSize": "\u0661"}, "max_frame_size must be a number >= 0"),
            ({"pushFilters": "yes"}, "option pushFilters must be one of false, true, not 'yes'"),
            ({"op": "A,X"}, "the option op must be names of .*, not 'X': there are .*PA"),
            (
                {"modifiedAfter": "2026-01-31T08:00:00"},
                "must be a time with a zone, like 2026-01-31T08:",
            ),
            ({"modifiedBefore": "monday Z"}, "modifiedBefore must be a time with a zone"),
            ({"maxFileAge": "1"}, "maxFileAge must be a time like 90s, 30min, 12h or 7d, not '1'"),
            ({"ignoreCorruptFiles": "true"}, "no option 'ignoreCorruptFiles' .*: mode=DROPMALF"),
            ({"basePath": "x"}, "no option 'basePath' to read with: load a glob"),
            (
                {"maxFilesPerTrigger": "1", "maxBytesPerTrigger": "1"},
                "maxFilesPerTrigger and maxBytesPerTrigger: give only one of them",
            ),
            ({"Max_Pages": "1"}, "there is no option 'Max_Pages' to read with: there are .* mode"),
            ({"partitionbyte": "1"}, "'partitionbyte' to read with: did you mean partitionBytes?"),
        ],
    )
    def test_wrong_ones_are_refused(self, options: dict[str, str], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            ReadOptions.of(options)


class TestWriting:
    PATHS = {"path": "x", "checkpointLocation": "y"}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("kind", "stream"),
        [(JELLY_PATCH, PatchOptions()), (JELLY, StreamOptions()), (RDF_PATCH, None)],
    )
    def test_defaults(self, kind: Kind, stream: Any) -> None:
        made = WriteOptions.of(self.PATHS, kind)
        assert made == WriteOptions(stream=stream, suffix="", sort_bytes=64 << 20)

    def test_options_of_files(self) -> None:
        made = WriteOptions.of({"compression": "GZIP", "sortBytes": "0"}, RDF_PATCH)
        assert made == WriteOptions(stream=None, suffix=".gz", sort_bytes=0)
        assert WriteOptions.of({"compression": "zstd"}, RDF_PATCH).suffix == ".zst"

    def test_options_of_streams(self) -> None:
        given = {"preset": "SMALL", "streamType": "flat", "rdfStar": "TRUE", "frameRows": "7"}
        small = PatchOptions.small(stream_type="FLAT", rdf_star=True, frame_rows=7)
        assert WriteOptions.of(given, JELLY_PATCH).stream == small
        given = {"preset": "small", "rdfStar": "false", "logicalType": "114"}
        small = StreamOptions.small(logical_type="DATASETS")
        with pytest.raises(ValueError, match="has a graph in each frame"):
            WriteOptions.of(given, JELLY)
        assert WriteOptions.of({"preset": "small"}, JELLY).stream == StreamOptions.small()

    @pytest.mark.parametrize("name", ["7", "true", "a"])
    def test_a_name_is_a_text(self, name: str) -> None:
        stream = WriteOptions.of({"streamName": name}, JELLY).stream
        assert stream == StreamOptions(stream_name=name)

    @pytest.mark.parametrize(
        ("kind", "options", "message"),
        [
            (JELLY_PATCH, {"delimited": "false"}, "no option 'delimited' to write jelly-patch"),
            (JELLY, {"version": "2"}, "there is no option 'version' to write jelly"),
            (RDF_PATCH, {"frameRows": "2"}, "there is no option 'frameRows' to write rdf-patch"),
            (JELLY_PATCH, {"sortBytes": "1.5"}, "sortBytes must be a number >= 0"),
            (JELLY_PATCH, {"frameRows": "many"}, "frame_rows must be a number >= 0, not 'many'"),
            (JELLY_PATCH, {"frameRows": "0"}, "frame_rows must be from 1"),
            (JELLY_PATCH, {"rdfStar": "no"}, "rdf_star must be one of false, true, not 'no'"),
        ],
    )
    def test_wrong_ones_are_refused(
        self, kind: Kind, options: dict[str, str], message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            WriteOptions.of(options, kind)
