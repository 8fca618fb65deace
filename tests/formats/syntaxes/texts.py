"""Generates random N-Quads, Turtle, N3, RDF/XML and JSON-LD, most of it well-formed."""

import random

HEAD = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://e.org/">'

TURTLE_TERMS = [
    "<urn:a>", "<=a)))>", "<>", "<(>", "'x'", "\"('\"", "'(\"'", "''", '""', "1", "_:b", "ex:a\\(",
    "ex:\\)\\'b", '"a"@en', '"a"^^<urn:)>', '"\\"("', "'\\\\'", '"""\\\\"""', '"""a"b""(\\""""',
    '"""("(""(\\"""(""" ', "'''('(''(\\'''('''", '"""\n(\r#"""',
]  # fmt: skip
PREFIXES = [
    *("@prefix ex: <urn:> .", "@prefix ex:<urn:>.", "PREFIX ex:<urn:>", "@prefix\tex:\n<urn:>."),
    "@prefix:<urn:> . @prefix ex: <urn:> .",
]
BASES = ["@base <http://b/> .", "@base<http://b/>.", "BASE<http://b/>"]
TURTLE_COMMENTS = ["", "# ((('\n", '#)))"\n', "#)))\r", "#)\r\n", "#<\n"]


LINES = [
    "<urn:s> <urn:p> <urn:o> .\n",
    '_:a <urn:p> "x"@en .\n',
    '<urn:s> <urn:p> "1"^^<urn:d> <urn:g> .\n',
    '<urn:s> <urn:p> <<( _:x <urn:p> "a\\u0041\\n" )>> . #c\n',
    '<urn:s><urn:p>"x"^^<http://www.w3.org/2001/XMLSchema#string>_:g.\n\n',
    '<http://a/?b#c> <a:> "" <urn:g>.\r\n',
]


def lines(r: random.Random) -> str:
    return "".join(r.choice(LINES) for _ in range(r.randint(1, 4)))


def turtle(r: random.Random, *, is_n3: bool = False) -> str:
    def term(depth: int = 0) -> str:
        kind = r.randrange(8)
        if kind == 0 and depth < 4:
            return f"[ {predicates(depth + 1) if r.randrange(3) else ''} ]"
        if kind == 1 and depth < 4:
            return f"( {' '.join(term(depth + 1) for _ in range(r.randrange(4)))} )"
        if kind == 2 and depth < 4 and not is_n3:
            return f"<<( <urn:a> <urn:b> {term(9)} )>>"
        return r.choice(TURTLE_TERMS)

    def predicates(depth: int) -> str:
        objects = ", ".join(term(depth) for _ in range(r.randint(1, 2)))
        verbs = ["<urn:p>", "a", "ex:p"]
        if is_n3:
            objects = objects.replace("_:b", "{ ex:a ex:b 'x' }")
            verbs += ["<=", "=>", "<-<urn:p>", "<- ex:p", "ex:p!ex:q"]
        return f"{r.choice(verbs)} {objects}"

    statements = (
        f"{r.choice(['<urn:s>', '_:b', 'ex:s', '[]', '()'])} {predicates(0)} "
        f"{r.choice(TURTLE_COMMENTS)}.\n"
        for _ in range(r.randint(1, 4))
    )
    return f"{r.choice(PREFIXES)}{r.choice(BASES)}\n{''.join(statements)}"


def n3(r: random.Random) -> str:
    return turtle(r, is_n3=True)


def xml(r: random.Random) -> str:
    def node(depth: int) -> str:
        inside = "".join(prop(depth + 1) for _ in range(r.randrange(3)))
        about = r.choice(["", ">", "/>", "'"])
        more = r.choice(["", " ex:a='\"&lt;>'", " "])
        whole = f'<rdf:Description rdf:about="urn:a{about}"{more}>{inside}</rdf:Description>'
        return r.choice([whole, "<ex:T/>", "<ex:T />", "<ex:T\n></ex:T >"])

    def prop(depth: int) -> str:
        return r.choice(
            [
                f"<ex:p>{node(depth) if depth < 4 else 't'}</ex:p>",
                '<ex:p rdf:resource="urn:x"/>',
                "<ex:p>a > b &amp; -- </ex:p>",
                "<ex:p><![CDATA[</ex:p><ex:q>]]]]></ex:p>",
                '<ex:p rdf:parseType="Literal"><a b="/>">c<!-- </a> --></a></ex:p>',
                "<!-- <ex:p> - -> --><?x <ex:p> ? > ?>",
            ]
        )

    start = r.choice(
        [
            "",
            '<?xml version="1.0"?>',
            '<!DOCTYPE rdf:RDF [<!ENTITY a "<b>">]>',
            '<!DOCTYPE rdf:RDF [<!-- > ]> --><!ENTITY a "b">]>',
            "<!-- <a> -->",
            "<?p > ?>",
        ]
    )
    return start + HEAD + "".join(node(0) for _ in range(r.randrange(4))) + "</rdf:RDF>"


def json(r: random.Random) -> str:
    def value(depth: int) -> str:
        kind = r.randrange(3) if depth < 4 else 2
        if kind == 0:
            return f"[{','.join(value(depth + 1) for _ in range(r.randrange(4)))}]"
        if kind == 1:
            keys = ['"urn:p"', '"urn:[{"', '"urn:\\"]"', '"urn:\\\\"']
            chosen = r.sample(keys, r.randrange(4))
            return f"{{{','.join(f'{key}:{value(depth + 1)}' for key in chosen)}}}"
        return r.choice(['"x"', '"[{"', '"]\\\\"', '"\\"}"', "1", "true", '"\\u005b"'])

    return f"[{value(1)}]"


def mutate(r: random.Random, text: str) -> str:
    """Insert something that the parser may refuse."""
    for _ in range(r.choice([0, 0, 1, 1, 2])):
        at = r.randrange(len(text) + 1)
        junk = r.choice([*"<>\"'{}[]()\\/!?-&;=#~|^., \n\r\t", "<!--", "-->", "]]>", "<<("])
        text = text[:at] + junk + text[at + r.randrange(3) :]
    return text
