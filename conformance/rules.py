"""The demands of the specification as named rules.

They follow the published specification of Jelly-Patch, the beta of 30 July 2025 at
https://w3id.org/jelly/dev/specification/patch, and the parts of Jelly-RDF that it includes. Two
rules are new in the beta: a punctuation mark may be anywhere in a frame, and a transaction must end
in its patch.

A rule covers key words (MUST, SHOULD, MAY and the like) of its section. ``key_words`` lists a word
as often as the rule covers it, so that a count of the words shows that the rules leave none out.
The texts are in our own words. `jellyp validate` of jelly-rdflib uses the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RULES", "Rule"]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule of the specification.

    Args:
        name: The name of the rule.
        section: The document ("Patch: " or "RDF: ") and the title of the section.
        key_words: The key words in the section that the rule covers, separated by commas.
        text: The demand of the rule.
        no_case: The reason why no case can test the rule; None if cases test it.
    """

    name: str
    section: str
    key_words: str
    text: str
    no_case: str | None = None

    @property
    def strength(self) -> str:
        """The strongest of the key words."""
        words = self.words
        for word in ("MUST NOT", "MUST", "REQUIRED", "SHOULD NOT", "SHOULD", "RECOMMENDED"):
            if word in words:
                return word
        return words[0]

    @property
    def words(self) -> list[str]:
        """The key words as a list."""
        return [word.strip() for word in self.key_words.split(",") if word]


_DOCUMENTATION = "it is about an implementation's documentation"
_FREE = "it leaves all to the implementation"


def _rules(section: str, *rows: tuple[str, ...]) -> list[Rule]:
    """Return a section's rules; each row has name, key words, text and, optionally, no_case."""
    return [
        Rule(
            name=row[0],
            section=section,
            key_words=row[1],
            text=row[2],
            no_case=row[3] if len(row) > 3 else None,
        )
        for row in rows
    ]


_ALL = [
    *_rules(
        "Patch: Format specification",
        ("wire", "MUST", "Frames are messages of the schema, read and written as protobuf says."),
        ("frame-length", "MUST", "Frames in a byte stream are preceded by their length."),
    ),
    *_rules(
        "Patch: Patch frames",
        ("frame-size", "RECOMMENDED", "Frames are smaller than 1 MB. They may have any rows."),
    ),
    *_rules(
        "Patch: Ordering",
        ("frame-order", "MUST,MUST", "Frames are read one after another, each to its end."),
        (
            "frame-order-of-its-own",
            "MAY,MUST",
            "An implementation with another order documents it.",
            _DOCUMENTATION,
        ),
    ),
    *_rules(
        "Patch: Patch rows",
        ("row-kinds", "MUST", "A row has exactly one of its fields."),
        ("punctuation-type", "MUST NOT", "Only PUNCTUATED streams have punctuation marks."),
        (
            "row-meaning",
            "MUST",
            "Rows are the operations of RDF Patch: A, D, PA, PD, TX and so on.",
        ),
    ),
    *_rules(
        "Patch: Patch stream types",
        ("stream-type", "MUST,MUST NOT,SHOULD", "The stream's type is FRAME, FLAT or PUNCTUATED."),
        (
            "transaction-frame",
            "MUST NOT",
            "In a FRAME stream no transaction continues in another frame.",
        ),
        ("punctuation-type", "MUST NOT,MUST NOT", "FRAME and FLAT streams have no marks."),
        ("transaction-across-frames", "MUST", "In FLAT, a transaction may span several frames."),
        (
            "punctuation-place",
            "MUST",
            "A mark ends a patch. It may be anywhere in a frame.",
        ),
        (
            "punctuation-transaction",
            "MUST NOT",
            "Only a mark ends a patch, and never inside a transaction.",
        ),
    ),
    *_rules(
        "Patch: Statement types",
        ("statement-type", "MUST,MUST NOT,SHOULD", "The statements' type is TRIPLES or QUADS."),
        ("triples", "MUST", "In TRIPLES, statements have no graph."),
        ("graph-in-triples", "MUST NOT", "In TRIPLES, no graph is set."),
        ("quads", "MUST", "In QUADS, statements have a graph."),
        ("repeated-graph", "MUST", "In QUADS, a missing graph repeats the last one."),
    ),
    *_rules(
        "Patch: Patch stream options",
        (
            "options-first",
            "MUST,MAY,MAY",
            "The first row is the options; readers may refuse another.",
        ),
        ("options-same", "MUST", "Repeated options equal the first ones."),
        ("repeated-options", "MAY,SHOULD NOT", "Options may be repeated; readers accept that."),
        ("statement-type", "REQUIRED,MUST", "The options have the statements' type."),
        ("stream-type", "REQUIRED,MUST", "The options have the stream's type."),
        ("generalized-option", "MUST", "Generalized statements need generalized_statements."),
        ("unused-feature", "SHOULD NOT,SHOULD NOT", "A feature is announced if it is used."),
        (
            "options-defaults",
            "OPTIONAL,OPTIONAL,OPTIONAL,OPTIONAL",
            "An omitted option is 0 or false.",
        ),
        ("rdf-star-option", "MUST", "Quoted triples need rdf_star."),
        ("name-lookup-size", "REQUIRED,MUST", "The name lookup has at least 8 entries."),
        ("lookup-size", "MUST NOT,MUST NOT,MUST NOT", "No lookup has more entries than allowed."),
        (
            "no-lookup",
            "MUST NOT,MUST NOT",
            "A prefix or datatype lookup of size 0 is not used.",
        ),
        ("unused-lookup", "SHOULD,SHOULD", "A lookup that the options ask for is used."),
        (
            "version-tag",
            "REQUIRED,MUST,MUST,SHOULD,SHOULD,SHOULD NOT",
            "The version is that of the format, from 1 to the reader's own.",
        ),
        (
            "version",
            "RECOMMENDED",
            "The version is the lowest one that has what the stream needs.",
            "there is one version",
        ),
    ),
    *_rules(
        "Patch: RDF statements",
        (
            "graph-in-triples",
            "MUST NOT,SHOULD,MAY",
            "In TRIPLES a statement has no graph; readers ignore one, or refuse it.",
        ),
        ("triples", "MUST", "In TRIPLES a statement is a triple."),
        ("quads", "MUST", "In QUADS a statement is a quad."),
        ("terms-set", "MUST,MUST", "Terms are set, unless they repeat."),
    ),
    *_rules(
        "Patch: Repeated terms",
        ("graph-in-triples", "MUST NOT", "In TRIPLES, no graph is set or repeats."),
        (
            "repeated-across-operations",
            "MUST",
            "Terms repeat from the last statement, and graphs from the last namespace too, added or"
            " deleted.",
        ),
    ),
    *_rules(
        "Patch: Namespaces",
        ("prefix-name", "SHOULD", "The name of a namespace is one of Turtle's."),
        (
            "namespace-value",
            "REQUIRED,OPTIONAL",
            "A namespace that is added has an IRI.",
        ),
        ("graph-in-triples", "MUST NOT", "In TRIPLES, a namespace has no graph."),
        ("namespace-graph", "MUST", "In QUADS, a namespace has a graph, or repeats one."),
        (
            "repeated-graph",
            "MUST,MUST",
            "A namespace's graph repeats that of the last statement or namespace.",
        ),
    ),
    *_rules(
        "Patch: Transactions",
        ("transactions", "OPTIONAL", "Changes, namespaces and headers may be inside or outside."),
        ("transaction-end", "MUST,MAY,MAY", "TC and TA end a transaction that was started."),
        ("transaction-start", "MUST,MAY", "TX does not occur in a transaction."),
        ("transaction-open", "MUST", "A transaction ends in its patch, so before the stream does."),
        ("transaction-frame", "MUST NOT,MUST", "In FRAME, a transaction ends in its frame."),
        ("punctuation-transaction", "MUST NOT", "No mark occurs in a transaction."),
    ),
    *_rules(
        "Patch: Headers",
        ("header-value", "MUST,MUST NOT,MUST", "A header has a value, which never repeats."),
    ),
    *_rules(
        "Patch: RDF terms and graph nodes",
        ("term-order", "MUST", "IRIs of headers and namespaces count like those of statements."),
        ("namespace-order", "MUST", "A namespace's IRI comes before its graph."),
    ),
    *_rules(
        "Patch: Delimited variant",
        ("frame-length", "MUST", "A file is a sequence of lengths and frames."),
    ),
    *_rules(
        "Patch: Internet media type and file extension",
        ("media-type", "RECOMMENDED", "The media type is as given.", "no bytes have it"),
        ("file-extension", "RECOMMENDED", "The extension is .jellyp.", "no bytes have it"),
        ("delimited", "SHOULD", "A file is delimited."),
    ),
    *_rules(
        "RDF: Conformance",
        (
            "subset",
            "MAY,SHOULD",
            "An implementation may leave out parts; it says which.",
            'any case may be of a part that is left out: then the outcome is "unsupported"',
        ),
        ("key-words", "MUST,MUST NOT", "The key words are for full implementations.", _FREE),
        ("unknown-field", "MAY,SHOULD NOT", "Extensions don't keep others from reading a stream."),
    ),
    *_rules(
        "RDF: Backward compatibility",
        ("version-tag", "SHOULD,MUST,MAY", "Earlier releases of the same major version are read."),
    ),
    *_rules(
        "RDF: Forward compatibility",
        ("unknown-field", "MAY,MAY,MUST NOT", "Fields of later patch versions are skipped."),
    ),
    *_rules(
        "RDF: Prefix, name, and datatype lookup entries",
        ("lookup-entry", "MUST", "An entry applies to all rows after it, until it is set again."),
        ("lookup-reference", "MUST,SHOULD", "An entry is set before it is used."),
        ("lookup-first-id", "MUST", "Id 0 in the first entry of a lookup means 1."),
        ("lookup-next-id", "MUST", "Id 0 in a later entry means one more than the last id."),
        ("lookup-size", "MUST NOT", "No entry is beyond the size of its lookup."),
        ("lookup-array", "MAY", "A reader may implement its lookup in any way.", _FREE),
    ),
    *_rules(
        "RDF: Repeated terms",
        ("quoted-repeated-term", "MUST NOT", "No term of a quoted triple repeats."),
        ("repeated-term-first", "MUST NOT", "No term of the first statement repeats."),
        ("repeated-across-frames", "MAY,MUST", "Terms repeat from an earlier frame."),
        ("repeated-again", "MAY,MUST", "A term may repeat any number of times."),
    ),
    *_rules(
        "RDF: RDF terms and graph nodes",
        ("second-field", "MUST", "At most one member of a oneof is set."),
    ),
    *_rules(
        "RDF: IRIs",
        ("prefix-id-zero", "MUST", "Prefix id 0 means the last one that is not 0."),
        ("prefix-id-first", "MUST", "Prefix id 0 before all others means the empty prefix."),
        ("name-id-zero", "MUST,MUST", "Name id 0 means one more than the last, even repeatedly."),
        ("name-id-first", "MUST", "Name id 0 in the first IRI means 1."),
        ("term-order", "MUST", "IRIs count in order: rows, then terms, quoted ones too."),
        ("iri", "SHOULD", "An IRI is valid by RFC 3987."),
    ),
    *_rules(
        "RDF: Blank nodes",
        ("utf-8", "MUST", "A label, as each string, is UTF-8."),
        ("blank-nodes", "MAY,MAY,MAY", "Labels are valid in the stream, or in a frame."),
        ("blank-node-strategy", "SHOULD", "A producer documents the scope.", _DOCUMENTATION),
    ),
    *_rules(
        "RDF: Literals",
        ("empty-literal", "OPTIONAL", "A missing lexical form is the empty string."),
        ("second-field", "MUST", "A literal has a language, a datatype, or neither."),
        ("language-tag", "SHOULD", "A language tag is valid by BCP 47."),
        ("datatype-id", "MUST,MUST", "A datatype's id is not 0, and its entry is set."),
        ("simple-literal", "MUST", "A literal with neither is a simple literal."),
    ),
    *_rules(
        "RDF: Quoted triples (RDF-star)",
        ("quoted-repeated-term", "MUST NOT,SHOULD", "No term of a quoted triple repeats."),
        ("quoted-depth", "SHOULD", "Nesting that is too deep is refused."),
    ),
    *_rules(
        "RDF: Delimited variant of Jelly",
        ("frame-length", "MUST,OPTIONAL", "A file is lengths and frames; reading it is optional."),
    ),
]


def _merge() -> dict[str, Rule]:
    merged: dict[str, Rule] = {}
    for rule in _ALL:
        first = merged.setdefault(rule.name, rule)
        if first is not rule:
            words = ",".join(word for word in (first.key_words, rule.key_words) if word)
            merged[rule.name] = Rule(
                name=rule.name,
                section=first.section,
                key_words=words,
                text=first.text,
                no_case=first.no_case,
            )
    return merged


RULES: dict[str, Rule] = _merge()
"""The rules by name. A rule of several sections has the text of the first."""

PARTS: list[Rule] = _ALL
"""The rules section by section; a rule of several sections is repeated."""
