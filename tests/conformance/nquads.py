"""A strict reader of N-Triples and N-Quads, with quoted triples and generalized statements.

No library reads all that the conformance suite is written in: any term in any place, and
``<< s p o >>`` (RDF-star) wherever a subject, predicate or object may stand. The terminals are
those of the N-Triples and N-Quads recommendations.
"""

from __future__ import annotations

import re

from tests.oracle.terms import DEFAULT_GRAPH, Plain

__all__ = ["SyntaxProblem", "parse"]

_BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_START = _BASE + "_:0-9"
_INNER = _START + "\\-\u00b7\u0300-\u036f\u203f-\u2040"
_UCHAR = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"

_TOKEN = re.compile(
    rf"""[ \t]*(?:
      (?P<open> << )
    | (?P<close> >> )
    | < (?P<iri> (?: [^\x00-\x20<>"{{}}|^`\\] | {_UCHAR} )* ) >
    | _: (?P<bnode> [{_START}] (?: [{_INNER}.]* [{_INNER}] )? )
    | (?P<literal> " (?P<lex> (?: [^"\\\n\r] | \\[tbnrf"'\\] | {_UCHAR} )* ) "
        (?: @ (?P<lang> [a-zA-Z]+ (?: - [a-zA-Z0-9]+ )* )
        | \^\^ < (?P<datatype> (?: [^\x00-\x20<>"{{}}|^`\\] | {_UCHAR} )* ) > )? )
    | (?P<dot> \. )
    | (?P<end> (?: \# .* )? $ )
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(rf"{_UCHAR}|\\.")
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


class SyntaxProblem(ValueError):
    """The text is not in the syntax."""


class _Line:
    """The tokens of one line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise SyntaxProblem(f"no token at column {self.at + 1}")
        self.token = match
        self.at = match.end()

    def at_a(self, kind: str) -> bool:
        return self.token[kind] is not None

    def expect(self, kind: str) -> None:
        if not self.at_a(kind):
            raise SyntaxProblem(f"expected {kind}, not {self.token[0].strip()!r}")
        self.advance()

    def term(self) -> Plain:
        token = self.token
        result: Plain
        if self.at_a("open"):
            self.advance()
            result = ("triple", self.term(), self.term(), self.term())
            self.expect("close")
            return result
        if self.at_a("iri"):
            result = ("iri", _unescape(token["iri"]))
        elif self.at_a("bnode"):
            result = ("bnode", token["bnode"])
        elif self.at_a("literal"):
            datatype = token["datatype"]
            result = (
                "literal",
                _unescape(token["lex"]),
                token["lang"],
                None if datatype is None else _unescape(datatype),
            )
        else:
            raise SyntaxProblem(f"expected a term, not {token[0].strip()!r}")
        self.advance()
        return result


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        escape = match[0][1:]
        if escape[0] not in "uU":
            return _CHARACTERS.get(escape, escape)
        code = int(escape[1:], 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise SyntaxProblem(f"{match[0]} is no character")
        return chr(code)

    return _ESCAPE.sub(character, text)


def _statement(text: str, quads: bool) -> Plain | None:
    line = _Line(text)
    if line.at_a("end"):
        return None
    terms = [line.term(), line.term(), line.term()]
    if quads:
        terms.append(DEFAULT_GRAPH if line.at_a("dot") else line.term())
        if terms[3][0] == "triple":
            raise SyntaxProblem("a quoted triple names no graph")
    line.expect("dot")
    if not line.at_a("end"):
        raise SyntaxProblem(f"more than one statement: {line.token[0].strip()!r}")
    return tuple(terms)


def parse(text: str, *, quads: bool) -> list[Plain]:
    """Return the statements of a document, in order, as plain terms.

    Args:
        text: The document.
        quads: N-Quads: each statement has four terms, the default graph being `DEFAULT_GRAPH`.

    Raises:
        SyntaxProblem: A line is not in the syntax.
    """
    statements = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        try:
            statement = _statement(line, quads)
        except SyntaxProblem as problem:
            raise SyntaxProblem(f"line {number}: {problem}") from None
        if statement is not None:
            statements.append(statement)
    return statements
