"""Generates random texts: tokens in any order, and damaged rows."""

import random

TOKENS = [
    *("A", "D", "H", "TX", "TB", "TC", "TA", "PA", "PD", "Z"),
    *("A ", "D ", "H id ", "TX . ", "TC .", "TA .\n", "Z .\n", ".", ". ", " .\n"),
    *(" ", "\n", "\t", "\r", "\f", "# c\n", "#", "\xa0", "\ufeff", "\U000f0000"),
    *("<a>", "<_:a>", "<http://x/y#z>", "<a\\u00e9>", "<\\u005F:a>", "<a b>", "<é>", "<", ">"),
    *("_:a", "_:a.b", "_:1", "_:é", "_:a:b", "_:", "_:-", "_:a."),
    *('"x"', "'x'", '""', "''", '"""', '"""a"b""c"""', "'''a\nb'''", '"', "'"),
    *('"\\n"', '"\\q"', '"\\u12"', '"\\ud800"', '"\\U0001F600"', '"\\U00110000"', "\\"),
    *("@en", "@en-GB", "@", "@1", "@en-", "@e1", "^^<d>", "^^", "^", "^^ <d>"),
    *("1", "-1", "+1.5", ".5", "1.", "1e5", "1.e5", "1.5E-3", "1e", "-", "+"),
    *("true", "false", "truex", "ex:a", "rdf", '"rdf"', "prev", '"prev"', "H prev <a>\nTX ."),
    *("<<", ">>", "<<(", ")>>", "<< <a> <b> <c> >>", "(", ")", "é", "·", "à"),
    *("<urn:x-rdflib:default>", "A <s> <p> <o> .\n", "A <s> <p> <o> <g> .\n"),
    *('D <s> <p> "o" .', 'PA "a" <b> .', "PD a . ", "PD a <b> <c> .", 'PA a "b" <g>.'),
    'PD "a" "b" .',
]

TERMS = [
    b"<a>",
    b"<http://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaa>",
    b"<_:b1>",
    b"_:b2",
    b'"lit"',
    b"'l'@en",
    b'"5"^^<dt>',
    b"12",
    b"-1.5",
    b"1e3",
    b"true",
    '"é\\n"'.encode(),
]

BYTES = b" \n.\"'<>\\_:@^#aA1(){}|\x00\x80\xc3\xff,-"


def tokens(chance: random.Random) -> bytes:
    """Return random tokens, some of them slightly wrong."""
    count = chance.randint(1, 14)
    return "".join(
        chance.choice(TOKENS) + chance.choice(["", " ", " "]) for _ in range(count)
    ).encode()


def rows(chance: random.Random) -> bytes:
    """Return rows that are correct except for a few bytes."""
    out: list[bytes] = []
    in_transaction = False
    for _ in range(chance.randint(1, 8)):
        kind = chance.choice(["statement", "statement", "H", "PA", "PD", "mark", "mark"])
        if kind == "statement":
            count = chance.choice([3, 3, 4, 4, 2, 5])
            terms = b" ".join(term(chance) for _ in range(count))
            out.append(chance.choice([b"A ", b"D "]) + terms + b" .")
        elif kind == "H":
            key = chance.choice([b"id", b'"a b"', b"prev"])
            out.append(b"H " + key + b" " + term(chance) + b" .")
        elif kind == "PA":
            name = chance.choice([b"ex", b'"ex"'])
            iri = chance.choice([b" <a>", b' "a"'])
            out.append(b"PA " + name + iri + chance.choice([b"", b" <g>"]) + b" .")
        elif kind == "PD":
            out.append(b"PD ex" + chance.choice([b"", b" <g>", b" <a> <g>", b' "a"']) + b" .")
        elif in_transaction and chance.random() < 0.8:
            out.append(b"TC .")
            in_transaction = False
        else:
            out.append(chance.choice([b"TX .", b"Z .", b"TA ."]))
            in_transaction = out[-1] == b"TX ."
        out.append(chance.choice([b"\n", b"\n", b" ", b"", b"#c\n"]))
    if in_transaction:
        out.append(b"TC .")
    data = bytearray(b"".join(out))
    for _ in range(chance.choice([0, 0, 1, 1, 2])):
        damage(data, chance)
    return bytes(data)


def term(chance: random.Random, depth: int = 0) -> bytes:
    if depth < 2 and chance.random() < 0.08:
        return b"<< " + b" ".join(term(chance, depth + 1) for _ in range(3)) + b" >>"
    return chance.choice(TERMS)


def damage(data: bytearray, chance: random.Random) -> None:
    if not data:
        return
    position = chance.randrange(len(data))
    kind = chance.randrange(5)
    if kind == 0:
        del data[position]
    elif kind == 1:
        data[position] = chance.choice(BYTES)
    elif kind == 2:
        data[position] = chance.randrange(256)
    elif kind == 3:
        data.insert(position, chance.choice(BYTES))
    else:
        del data[position : chance.randrange(len(data))]
