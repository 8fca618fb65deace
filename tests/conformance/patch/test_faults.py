"""Tests that some case detects each fault that is injected into the suite's own reader."""

import types
from pathlib import Path

import pytest

from conformance import document, reader
from tests.conformance.patch.in_process import ENTRIES, outcomes

SOURCE = Path(reader.__file__).read_text("utf-8")
# The many cases about whole histories come last, because other cases detect most faults.
ORDER = sorted(
    (entry for entry in ENTRIES if entry.kind == "from_jelly"),
    key=lambda entry: "/shapes/" in entry.name,
)
AGAIN = """getattr(options, name) != getattr(self._options, name) for name in OPTIONS):
                raise FaultError("options-same", "options that differ from the first")
            return
"""
FRAME_ROWS = "            for row in frame.rows:\n"
REPEATED = 'raise FaultError(rule, f"the {oneof} repeats nothing")'


def _again(work: str) -> tuple[str, str]:
    """Return a fault: the reader also does `work` when options are repeated."""
    return AGAIN, AGAIN.replace("            return\n", f"            {work}\n            return\n")


def _each_frame(work: str) -> tuple[str, str]:
    return FRAME_ROWS, f"            {work}\n{FRAME_ROWS}"


def _size_of_entries(condition: str) -> tuple[str, str]:
    raised = ':\n            raise FaultError("lookup-size", f"{self.name} entry'
    return f"if number > self.size{raised}", f"if {condition}{raised}"


NO_TERMS = 'self._last = dict.fromkeys("spog")'
NO_IDS = "self._prefix_id = self._name_id = 0"
NO_ENTRIES = "[each.entries.clear() for each in self._lookups.values()]"
NO_ENTRY_IDS = "[setattr(each, 'last', 0) for each in self._lookups.values()]"

FAULTS: dict[str, tuple[str, str]] = {
    # -- bytes and frames
    "a bare frame is not known": (
        "    if is_bare(data):\n        return",
        "    if 0:\n        return",
    ),
    "0A 0A 0A is delimited": (' or data[2:3] == b"\\n")', ")"),
    "a frame that is cut off is the end": (
        'raise FaultError("frame-length", f"a frame of {size} bytes is cut off")',
        "break",
    ),
    "a length that is cut off is the end": (
        'raise FaultError("frame-length", "the length of a frame is not a varint")',
        "return frames",
    ),
    "lengths have one byte": ("if data[at - 1] < 0x80:", "if True:"),
    "what is not a message is left out": (
        'raise FaultError("wire", f"protobuf refuses a frame: {error}") from error',
        "continue",
    ),
    "an empty frame is left out": (
        "            if len(part) > LARGE_FRAME:",
        "            if not part: continue\n            if len(part) > LARGE_FRAME:",
    ),
    "a large frame is refused": (
        'self.remarks.append("frame-size")',
        'raise FaultError("frame-size", "it is large")',
    ),
    "the rows of the first frame only": (
        "for part in split(data):",
        "for part in split(data)[:1]:",
    ),
    "a frame forgets terms": _each_frame(NO_TERMS),
    "a frame forgets ids of IRIs": _each_frame(NO_IDS),
    "a frame forgets entries": _each_frame(NO_ENTRIES),
    "a frame forgets ids of entries": _each_frame(NO_ENTRY_IDS),
    # -- where patches end
    "FRAME: all is one patch": (
        'a transaction goes on after its frame")\n                self._end()',
        'a transaction goes on after its frame")\n',
    ),
    "FRAME: a frame without operations is not a patch": (
        'its frame")\n                self._end()',
        'its frame")\n                if self._patch: self._end()',
    ),
    "FRAME: transactions go on": (
        'raise FaultError("transaction-frame", "a transaction goes on after its frame")',
        "pass",
    ),
    "FLAT: frames are patches": (
        "self._options.stream_type == FRAME:",
        "self._options.stream_type in (FRAME, FLAT):",
    ),
    "FLAT: no operations, no patch": (
        "if options.stream_type == FLAT or (options.stream_type == PUNCTUATED and self._patch):",
        "if options.stream_type != FRAME and self._patch:",
    ),
    "PUNCTUATED: the end is a mark": (
        "(options.stream_type == PUNCTUATED and self._patch)",
        "options.stream_type == PUNCTUATED",
    ),
    "PUNCTUATED: without a mark it is lost": (
        " or (options.stream_type == PUNCTUATED and self._patch):",
        ":",
    ),
    "PUNCTUATED: frames are patches, too": (
        "self._options.stream_type == FRAME:",
        "self._options.stream_type in (FRAME, PUNCTUATED):",
    ),
    "PUNCTUATED: a mark without operations is none": (
        'a mark inside a transaction")\n            self._end()',
        'a mark inside a transaction")\n            if self._patch: self._end()',
    ),
    "marks anywhere": (
        "if self._options.stream_type != PUNCTUATED:\n",
        "if False:\n",
    ),
    "marks of other types are left out": (
        'raise FaultError("punctuation-type", "a mark in a stream that is not PUNCTUATED")',
        "return",
    ),
    "marks in transactions": (
        'raise FaultError("punctuation-transaction", "a mark inside a transaction")',
        "pass",
    ),
    "a mark forgets terms": (
        'a mark inside a transaction")\n            self._end()',
        f'a mark inside a transaction")\n            self._end()\n            {NO_TERMS}',
    ),
    "transactions stay open": (
        'raise FaultError("transaction-open", "the stream ends inside a transaction")',
        "pass",
    ),
    "an end of a transaction forgets terms": (
        "self._in_transaction = False\n            return",
        f"self._in_transaction = False\n            {NO_TERMS}\n            return",
    ),
    "abort is commit": ('if kind == "transaction_commit" else ("TA",)', 'or ("TA",)'),
    # -- options
    "rows of no kind are left out": (
        'raise FaultError("row-kinds", "a row is of no kind")',
        "return",
    ),
    "stream type 0": ("1 <= options.stream_type <= 3", "0 <= options.stream_type <= 3"),
    "stream type 4": ("1 <= options.stream_type <= 3", "1 <= options.stream_type"),
    "no FRAME": ("1 <= options.stream_type <= 3", "2 <= options.stream_type <= 3"),
    "no PUNCTUATED": ("1 <= options.stream_type <= 3", "1 <= options.stream_type <= 2"),
    "statement type 0": ("1 <= options.statement_type <= 2", "0 <= options.statement_type <= 2"),
    "statement type 3": ("1 <= options.statement_type <= 2", "1 <= options.statement_type"),
    "no QUADS": ("1 <= options.statement_type <= 2", "options.statement_type == 1"),
    "any size of names": ("max_name_table_size < 8", "max_name_table_size < 0"),
    "seven names": ("max_name_table_size < 8", "max_name_table_size < 7"),
    "nine names": ("max_name_table_size < 8", "max_name_table_size < 9"),
    "no names": ("max_name_table_size < 8", "max_name_table_size in range(1, 8)"),
    "version 0": ("options.version != 1", "options.version > 1"),
    "later versions": ("options.version != 1", "options.version < 1"),
    "versions that are not standard": (
        "options.version != 1",
        "options.version not in (1, 10_001)",
    ),
    "options once": (AGAIN.split("\n")[0], "True for name in OPTIONS):"),
    "other options later": (
        'raise FaultError("options-same", "options that differ from the first")',
        "pass",
    ),
    **{
        f"another {name} later": (
            "for name in OPTIONS):",
            f"for name in OPTIONS if name != {name!r}):",
        )
        for name in document.OPTIONS
    },
    "smaller lookups later": ("!= getattr(self._options, name)", "> getattr(self._options, name)"),
    "larger lookups later": ("!= getattr(self._options, name)", "< getattr(self._options, name)"),
    "options again forget terms": _again(NO_TERMS),
    "options again forget ids of IRIs": _again(NO_IDS),
    "options again forget the prefix": _again("self._prefix_id = 0"),
    "options again forget the name": _again("self._name_id = 0"),
    "options again forget entries": _again(NO_ENTRIES),
    "options again forget ids of entries": _again(NO_ENTRY_IDS),
    **{
        f"options again forget ids of {kind} entries": _again(f"self._lookups[{kind!r}].last = 0")
        for kind in ("name", "prefix", "datatype")
    },
    "options again end a patch": _again("self._end()"),
    "options again end a transaction": _again("self._in_transaction = False"),
    # -- lookups
    "the first id 0 is 0": (
        "entry.id or self.last + 1",
        "entry.id or (self.last and self.last + 1)",
    ),
    "id 0 is behind all others": ("entry.id or self.last + 1", "entry.id or len(self.entries) + 1"),
    "id 0 is the first that is free": (
        "entry.id or self.last + 1",
        "entry.id or next(n for n in range(1, 9999) if n not in self.entries)",
    ),
    "id 0 is behind the greatest": (
        "entry.id or self.last + 1",
        "entry.id or max(self.entries, default=0) + 1",
    ),
    "id 0 is the last one": ("entry.id or self.last + 1", "entry.id or max(self.last, 1)"),
    "only ids of 0 move on": (
        "        self.last = number\n",
        "        self.last += not entry.id\n",
    ),
    "ids of entries go round": (
        "number = entry.id or self.last + 1",
        "number = entry.id or self.last % max(self.size, 1) + 1",
    ),
    "entries of a lookup of size 0": (
        'raise FaultError("no-lookup", f"an entry of the {self.name} lookup, which has none")',
        "return",
    ),
    "entries beyond the size": _size_of_entries("False"),
    "an entry less than the size": _size_of_entries("number >= self.size"),
    "an entry more than the size": _size_of_entries("number > self.size + 1"),
    "an entry stays as it was": (
        "self.entries[number] = entry.value",
        "self.entries.setdefault(number, entry.value)",
    ),
    "an empty entry is none": (
        "self.entries[number] = entry.value",
        "self.entries.update({number: entry.value} if entry.value else {})",
    ),
    "an entry that was never set is empty": (
        'raise FaultError("lookup-reference", f"{self.name} {number} was never set")',
        'return ""',
    ),
    "references go round": (
        "    def get(self, number: int) -> str:\n",
        "    def get(self, number: int) -> str:\n"
        "        number = (number - 1) % max(self.size, 1) + 1\n",
    ),
    "references go round behind the last entry": (
        "    def get(self, number: int) -> str:\n",
        "    def get(self, number: int) -> str:\n"
        "        number = number if number in self.entries else 1\n",
    ),
    "name id 0 goes round": (
        "iri.name_id or self._name_id + 1",
        "iri.name_id or self._name_id % self._options.max_name_table_size + 1",
    ),
    "references to a lookup of size 0 are empty": (
        'raise FaultError("no-lookup", f"{self.name} {number} of a lookup that has none")',
        'return ""',
    ),
    # -- terms
    "prefix id 0 is none": ("iri.prefix_id or self._prefix_id", "iri.prefix_id"),
    "the first prefix id 0 is 1": (
        "iri.prefix_id or self._prefix_id",
        "iri.prefix_id or self._prefix_id or int(self._lookups['prefix'].size > 0)",
    ),
    "prefix id 0 is the next": (
        "iri.prefix_id or self._prefix_id",
        "iri.prefix_id or self._prefix_id + 1",
    ),
    "name id 0 is the last": (
        "iri.name_id or self._name_id + 1",
        "iri.name_id or self._name_id or 1",
    ),
    "name id 0 counts other ids of 0": (
        "self._name_id = iri.name_id or self._name_id + 1\n",
        "self._name_id += 1\n"
        "        if iri.name_id: return ('iri', prefix + self._lookups['name'].get(iri.name_id))\n",
    ),
    "entries move the ids of IRIs": (
        "self._lookups[kind].define(getattr(row, kind))",
        "self._lookups[kind].define(getattr(row, kind)); self._name_id = 0",
    ),
    "the name stands before the prefix": (
        'prefix + self._lookups["name"].get(self._name_id)',
        'self._lookups["name"].get(self._name_id) + prefix',
    ),
    "a literal of datatype 0 is simple": (
        'raise FaultError("datatype-id", "a literal of datatype 0")',
        'return ("literal", literal.lex, None, None)',
    ),
    "no languages": (
        'return ("literal", literal.lex, literal.langtag, None)',
        'return ("literal", literal.lex, None, None)',
    ),
    "no datatypes": (
        'return ("literal", literal.lex, None, self._lookups["datatype"].get(literal.datatype))',
        'return ("literal", literal.lex, None, None)',
    ),
    "a quoted triple lacks terms": (
        'raise FaultError("quoted-repeated-term", "a quoted triple lacks a term")',
        'terms = [term or ("bnode", "") for term in terms]',
    ),
    "terms in quoted triples repeat": (
        "self._term(message, oneof, oneof[0]) for oneof in",
        "self._term(message, oneof, oneof[0]) or self._last[oneof[0]] for oneof in",
    ),
    "terms repeat from quoted triples": (
        'return ("triple", *terms)',
        'self._last |= zip("spo", terms); return ("triple", *terms)',
    ),
    # -- statements
    "D is A": (
        'return ("A" if kind == "statement_add" else "D", s, p, o, graph)',
        'return ("A", s, p, o, graph)',
    ),
    "no graph is the default graph": (REPEATED, "return DEFAULT"),
    "no graph": (REPEATED, "return None"),
    "an empty message is none": (
        "if field is None:\n            return None\n",
        "if field is None or not str(getattr(message, field)): return None\n",
    ),
    "graphs don't repeat": (
        "term = self._last[oneof[0]]\n",
        "term = self._last[oneof[0]] if oneof != 'graph' else DEFAULT\n",
    ),
    "terms don't repeat from deleted statements": (
        'graph = self._graph(value, "repeated-term-first")\n',
        'graph = self._graph(value, "repeated-term-first")\n'
        '        if kind == "statement_add": self.added = dict(self._last)\n'
        '        else: self._last = dict(getattr(self, "added", self._last))\n',
    ),
    # -- namespaces and headers
    "a graph does not repeat from a namespace": (
        'graph = self._graph(value, "namespace-graph")\n',
        'old = self._last["g"]; graph = self._graph(value, "namespace-graph")\n'
        '            self._last["g"] = old\n',
    ),
    "a namespace's graph comes first": (
        'iri = self._iri(value.value) if value.HasField("value") else None\n',
        'graph = self._graph(value, "namespace-graph")\n'
        '            iri = self._iri(value.value) if value.HasField("value") else None\n',
    ),
    "an IRI is not a message of defaults": (
        'if value.HasField("value") else None',
        "if value.value.ByteSize() else None",
    ),
    "the IRI of PD does not count": (
        'if value.HasField("value") else None',
        'if value.HasField("value") and kind == "namespace_add" else None',
    ),
    "a namespace without an IRI": (
        'raise FaultError("namespace-value", f"namespace {value.name!r} has no IRI")',
        "pass",
    ),
    "a header without a value is left out": (
        'raise FaultError("header-value", f"header {value.key!r} has no value")',
        'term = ("bnode", "")',
    ),
    "a header's value is a subject to repeat": (
        'return ("H", value.key, term)',
        'self._last["s"] = term; return ("H", value.key, term)',
    ),
    "a header's IRI does not count": (
        'term = self._term(value, "value", "h", any_term=True)\n',
        "ids = self._prefix_id, self._name_id\n"
        '            term = self._term(value, "value", "h", any_term=True)\n'
        "            self._prefix_id, self._name_id = ids\n",
    ),
    "a header's literal is generalized": ("any_term=True", "any_term=False"),
}


def _noticed_by(source: str) -> str | None:
    """Return the name of the first case that a faulty reader fails."""
    module = types.ModuleType("faulty")
    exec(compile(source, "faulty", "exec"), vars(module))

    def answer(verb: str, path: Path) -> bytes:
        try:
            return document.dump(module.read(path.read_bytes())).encode()
        except module.FaultError as error:
            raise ValueError(error) from error

    return next(
        (entry.name for entry in ORDER if outcomes(answer, [entry])[0].verdict != "passed"), None
    )


def test_the_reader_without_a_fault_passes() -> None:
    assert _noticed_by(SOURCE) is None


@pytest.mark.parametrize("name", FAULTS)
def test_a_case_notices(name: str) -> None:
    before, after = FAULTS[name]
    assert SOURCE.count(before) == 1
    assert _noticed_by(SOURCE.replace(before, after)) is not None
