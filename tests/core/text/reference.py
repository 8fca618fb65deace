"""A slow and simple reader of RDF Patch text, with the grammar as regular expressions.

It shares no code with the package, so if both read the same, that is likely to be right. The tokens
are those of Turtle and N-Triples. The rows are those of the two specifications of RDF Patch and of
Apache Jena's reader.
"""

import re
from dataclasses import dataclass, field

from tests.oracle.terms import Plain

XSD = "http://www.w3.org/2001/XMLSchema#"
JENAS_DEFAULT_GRAPHS = [
    ("iri", "urn:x-arq:DefaultGraph"),
    ("iri", "urn:x-arq:DefaultGraphNode"),
]

BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
PART = BASE + "_0-9\u00b7\u0300-\u036f\u203f-\u2040\\-"
ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
STRING_ESCAPE = rf"""\\[tbnrf"'\\]|{ESCAPE}"""

SPACE = re.compile(r"(?:[ \t\r\n\f]|#[^\r\n]*)*")
IRI = re.compile(rf"<(?!<)((?:[^\x00-\x20<>\\]|{ESCAPE})*)>")
SHORT = {
    quote: re.compile(rf"{quote}((?:[^{quote}\\\r\n]|{STRING_ESCAPE})*){quote}") for quote in "\"'"
}
LONG = {
    quote: re.compile(
        rf"{quote * 3}((?:(?:{quote}|{quote * 2})?(?:[^{quote}\\]|{STRING_ESCAPE}))*){quote * 3}"
    )
    for quote in "\"'"
}
LABEL = re.compile(rf"_:([{BASE}_0-9:](?:[{PART}.:]*[{PART}:])?)")
WORD = re.compile(rf"[{BASE}](?:[{PART}.]*[{PART}])?")
TAG = re.compile(r"@([A-Za-z]+(?:-[A-Za-z0-9]+)*)(?![A-Za-z0-9-])")
NUMBERS = (
    ("double", re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)[eE][+-]?[0-9]+")),
    ("decimal", re.compile(r"[+-]?[0-9]*\.[0-9]+")),
    ("integer", re.compile(r"[+-]?[0-9]+")),
)
DOT = re.compile(r"\.(?![0-9])")
RDFLIB_HEADER_END = re.compile(r"\n(?=TX )")

NAMED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


@dataclass
class Result:
    """The operations of a text before its first fault, and the fault, if any."""

    operations: list[Plain] = field(default_factory=list)
    fault: str | None = None


class Fault(Exception):
    """Raised when the text breaks a rule."""


def unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        escape = match[0]
        if escape[1] in "uU":
            code = int(escape[2:], 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise Fault("no character")
            return chr(code)
        return NAMED.get(escape[1], escape[1])

    return re.sub(STRING_ESCAPE, character, text)


class Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> None:
        match = SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def starts(self, *prefixes: str) -> bool:
        return self.text.startswith(prefixes, self.at)

    def expect(self, token: str) -> None:
        self.skip()
        if not self.starts(token):
            raise Fault(f"expected {token}")
        self.at += len(token)

    def at_dot(self) -> bool:
        self.skip()
        return DOT.match(self.text, self.at) is not None

    def string(self) -> str | None:
        quote = self.text[self.at : self.at + 1]
        if quote not in ("'", '"'):
            return None
        match = self.take((LONG if self.starts(quote * 3) else SHORT)[quote])
        if match is None:
            raise Fault("string")
        return unescape(match[1])

    def name(self) -> str:
        self.skip()
        string = self.string()
        if string is not None:
            return string
        match = self.take(WORD)
        if match is None or self.starts(":"):
            raise Fault("name")
        return match[0]

    def iri(self) -> Plain | None:
        match = self.take(IRI)
        if match is None:
            return None
        text = unescape(match[1])
        return ("bnode", text[2:]) if text.startswith("_:") else ("iri", text)

    def real_iri(self) -> Plain:
        self.skip()
        iri = self.iri()
        if iri is None or iri[0] != "iri":
            raise Fault("IRI")
        return iri

    def term(self) -> Plain:
        self.skip()
        if self.starts("<<"):
            brackets = self.starts("<<(")
            self.at += 3 if brackets else 2
            terms = [self.term(), self.term(), self.term()]
            self.expect(")>>" if brackets else ">>")
            return ("triple", *terms)
        iri = self.iri()
        if iri is not None:
            return iri
        string = self.string()
        if string is not None:
            return self.literal(string)
        label = self.take(LABEL)
        if label is not None:
            return ("bnode", label[1])
        for name, pattern in NUMBERS:
            number = self.take(pattern)
            if number is not None:
                return ("literal", number[0], None, XSD + name)
        word = self.take(WORD)
        if word is not None and word[0] in ("true", "false"):
            return ("literal", word[0], None, XSD + "boolean")
        raise Fault("term")

    def literal(self, lexical: str) -> Plain:
        self.skip()
        if self.starts("@"):
            tag = self.take(TAG)
            if tag is None:
                raise Fault("language tag")
            return ("literal", lexical, tag[1], None)
        if self.starts("^"):
            self.expect("^^")
            return ("literal", lexical, None, self.real_iri()[1])
        return ("literal", lexical, None, None)

    def graph(self) -> Plain | None:
        if self.at_dot():
            return None
        if self.starts("<<"):
            raise Fault("graph")
        graph = self.term()
        return None if graph in JENAS_DEFAULT_GRAPHS else graph

    def row(self) -> Plain:
        code = self.take(WORD)
        if code is None:
            raise Fault("code")
        operation = self.content(code[0])
        if operation[0] == "H" and operation[1].lower() == "prev" and self.take(RDFLIB_HEADER_END):
            return operation
        if not self.at_dot():
            raise Fault("dot")
        self.at += 1
        return operation

    def content(self, code: str) -> Plain:
        if code in ("A", "D"):
            return (code, self.term(), self.term(), self.term(), self.graph())
        if code == "H":
            return ("H", self.name(), self.term())
        if code == "PA":
            name = self.name()
            self.skip()
            string = self.string()
            iri = self.real_iri() if string is None else ("iri", string)
            return ("PA", name, iri, self.graph())
        if code == "PD":
            name = self.name()
            self.skip()
            string = self.string()
            if string is not None:
                return ("PD", name, ("iri", string), self.graph())
            first = self.graph()
            if first is None or self.at_dot():
                return ("PD", name, None, first)
            if first[0] != "iri":
                raise Fault("dot")
            return ("PD", name, first, self.graph())
        if code in ("TX", "TB", "TC", "TA", "Z"):
            return ({"TB": "TX", "Z": "END"}.get(code, code),)
        raise Fault("code")


def read(data: bytes) -> Result:
    """Read `data` up to its first fault."""
    result = Result()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data[: error.start].decode("utf-8")
        result.fault = "not UTF-8"
    reader = Reader(text.removeprefix("\ufeff"))
    in_transaction = False
    try:
        while True:
            reader.skip()
            if reader.at == len(reader.text):
                break
            operation = reader.row()
            code = operation[0]
            if code in ("TX", "END") and in_transaction:
                raise Fault("inside a transaction")
            if code in ("TC", "TA") and not in_transaction:
                raise Fault("outside of a transaction")
            in_transaction = code == "TX" or (in_transaction and code not in ("TC", "TA"))
            result.operations.append(operation)
        if in_transaction:
            raise Fault("input ends inside a transaction")
    except Fault as fault:
        result.fault = result.fault or str(fault)
    if result.fault is None and (
        ("END",) not in result.operations or result.operations[-1] != ("END",)
    ):
        result.operations.append(("END",))
    return result
