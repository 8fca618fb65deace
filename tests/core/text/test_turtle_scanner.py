"""Tests wrong escapes and the scanner's marks in Turtle, wherever a piece of the text starts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jelly_rdflib.core.text import TurtleScanner

BAD = [
    (r":a|\u0039", 1),
    (r":a\~b :c\|n", 0),
    (r'"" :a\|"', 0),
    (r'"\\" :a\|\ ', 0),
    ('"""a\\"""" :a" """ :a\\|n', 0),
    ("'' '\\'' :a\\|t", 0),
    ("# '\n:a\\|b", 0),
    (r"<urn:'> <> <<( :a\|u", 0),
    (r'"\u00e9\uD|83D\uDE00"', 0),
    (r"'''\u0De0\ud|c00'''", 0),
    ('"a|\nb"', 0),
    ("'|\r'", 0),
    ('"""\n""" "\\n|\n"', 0),
    (r'"a"@EN, "b"^^xsd:string, "c"^^:\|n', 0),
    (r'"a"@EN #' + "'\n" + r', "b"^^:\|n .', 0),
]

# The scanner appends a mark, as a flag, where braces are. `{ }` is a mark with a space before a
# dot, and `{#}` a mark in the empty IRI. M and W in the text stand for the characters of marks.
MARKED = [
    '"a"^^xsd:string{}, "a"^^xsd:integer, "a"^^:string{}; :p 1',
    '"a"^^s:ing{}, "a"^^s:{}, "a"^^s:tring{}, "a"^^s:xstring, "a"^^s:str, "a"^^s:strings',
    '"a"^^xsd:string{ }. "a"^^xsd:string{ }.. "a"^^xsd:string.a, "a"^^a.b:string{ }.',
    '"a"^^s:{ }.a:b "a"^^s:{ }.',
    r'"a"^^xsd:str\-ing{}, "a"^^:\~{ }. "a"^^:a\.{ }. "a"^^:\.{ }.. "a"^^:a.\~b{}',
    '"a"^^:%73tring, "a"^^:\u00e9{}, "a"^^:\u00e9a, "a"^^:M{}, "a"^^:W{ }. "a"^^string',
    '"a"^^<urn:#string{}>, "a"^^<urn:#xstring>, "a"^^<#string{}>, "a"^^<string>, "a"^^<urn:g>',
    r'"a"^^<urn:\u0073tring{}>, "a"^^<urn:M{}>, "a"^^<urn:W{}>, "a"^^<{#}>, "a"^^<#string',
    '<< <urn:s> <urn:p> "a"^^xsd:string{}>> <urn:p> "a"^^<urn:#string{}>',
    '"a"@en, "a"@en-GB{}, "a"@EN{}, "a"@eN{ }. "a"@de, "a"@zh-min-nan-CN{}, "a"@',
    '"a"@en-GB{}--ltr, "a"@en--ltr, "a"@EN-GB{}-, "a"@EN{}--, "a"@EN-',
    '"a"@en-x-a{}, "a"@en-x-case-18{}, "a"@x-A{}, "a"@en-x-X-x{}',
    '"a"@En-abcdeF-Abcdefg-abcdefgH-12345-67890-x-Y{}',
    "''@EN{}, '''a'''@EN{}, '''a'b''c'''@EN{}, '\\''@EN{}, \"\"^^:string{}",
    '"a" # "a"@EN\r\n # ^^\n @EN{} "a"\t^^ # @EN\n\n:string{} ',
    '"a" <urn:b> @EN :string, ^^:string <urn:#string> "a" ^ ^:string, "a" "a"^^"a"@EN{} ',
    '# "a"@EN\n<urn:"a"@EN> "@EN" \'\'\'"a"@EN\'\'\' """\'a\'@EN',
]
# The scanner inserts these marks only for a parser that does not check tags.
LENIENT = [
    '"a"@en-GB-oed{}, "a"@I-klingon{}, "a"@sgn-BE-FR{}, "a"@i-lux{}',
    '"a"@abcdefghI{}, "a"@EN-x{}, "a"@EN-a{}, "a"@X{}',
]

# If the version is wrong, a bar precedes the first letter of VERSION.
VERSIONS = [
    *('|VERSION "1.3"', "|version '1.2 '", '@|Version "" .', ":a :b :c .\n|VERSION\r\n\t'2'"),
    *('<a> <b> "c" .\n@|version """1.2""" .', "PREFIX : <a>|VERSION '1.0'", '[]|VERSION"1"'),
    *('VERSION "1.2"', "@version '1.2-basic' .", 'version\n"1.1"', "VERSION", 'VERSION "1.3', "v"),
    *(
        ':version "1.3"',
        'a:b-version "1.3"',
        'version:a "1.3"',
        '_:version "1.3"',
        ':s.version "2"',
    ),
    *('# VERSION "3"', '"VERSION \\"3\\"" \'version "3"\'', '<version "3">', 'versions "3"'),
    *('"a"@version, "b"', '"""\nVERSION "3"\n"""', 'virtual "3"', '"v" "V" v V', ':a%version "3"'),
]


def scan(text: str, size: int, **arguments: bool) -> tuple[str, int, TurtleScanner]:
    """Return the text with marks, the position of a wrong escape or -1, and the scanner."""
    data = text.encode()
    settings = {"finds_faults": True, "parser_checks_tags": False} | arguments
    scanner = TurtleScanner(**settings, max_marks=99)
    marked, start, end = b"", 0, 0
    while start < len(data):
        # The bytes that the scanner has not consumed are passed again, with more bytes.
        end += size
        piece = data[start:end]
        found = scanner.mark(piece, end >= len(data))
        if scanner.fault >= 0:
            return "", start + scanner.fault, scanner
        # A piece without marks is not copied.
        assert (found is piece) == (found == piece)
        marked += found
        start += scanner.taken
    return marked.decode(), -1, scanner


def tag_mark(tag: str) -> str:
    """Return the mark of a language tag, computed by its rule."""
    fours = [tag[start : start + 4] for start in range(0, len(tag), 4)]
    digits = "".join(f"{sum(c.isupper() << i for i, c in enumerate(four)):x}" for four in fours)
    return "-x-case-" + "-".join(re.findall(".{1,8}", digits))


def with_marks(text: str) -> list[str]:
    """Split `text` at its braces; every second part is the mark that the braces represent."""
    text = text.replace("M", "\U000efffd").replace("W", "\U000efffc")
    parts = re.split(r"(\{.?\})", text)
    for place in range(1, len(parts), 2):
        tag = re.search(r"(?<=@)[\w-]+\Z", parts[place - 1])
        mark = tag_mark(tag[0]) if tag else "\U000efffd"
        parts[place] = {"{}": mark, "{ }": mark + " ", "{#}": "#\U000efffc"}[parts[place]]
    return parts


def lines(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 999])
class TestPieces:
    @pytest.mark.parametrize(("text", "more"), BAD)
    def test_bad(self, text: str, more: int, size: int) -> None:
        """The fault is `more` bytes after the bar."""
        text, place = text.replace("|", ""), text.index("|") + more
        _, fault, scanner = scan(text, size)
        assert fault == place
        assert scanner.line == len(lines(text[:place]))
        # A strict parser refuses such escapes itself.
        assert scan(text, size, finds_faults=False)[1] == -1

    @pytest.mark.parametrize("text", VERSIONS)
    def test_versions(self, text: str, size: int) -> None:
        place = text.find("|")
        for finds_faults in (True, False):
            found, fault, scanner = scan(text.replace("|", ""), size, finds_faults=finds_faults)
            assert fault == place
            if place < 0:
                assert found == text
            else:
                assert scanner.line == len(lines(text[:place]))

    @pytest.mark.parametrize("text", MARKED + LENIENT)
    def test_marks(self, text: str, size: int) -> None:
        parts = with_marks(text)
        assert scan("".join(parts[::2]), size)[0] == "".join(parts)
        if text in MARKED:
            found, *_ = scan("".join(parts[::2]), size, parser_checks_tags=True)
            assert found == "".join(parts)

    @pytest.mark.parametrize("text", LENIENT)
    def test_tags_without_a_mark(self, text: str, size: int) -> None:
        text = "".join(with_marks(text)[::2])
        assert scan(text, size, parser_checks_tags=True)[0] == text

    @pytest.mark.parametrize("between", [" \u00e9 ", "\r\n\u00e9", "\r"])
    def test_columns(self, between: str, size: int) -> None:
        parts = with_marks(between.join(MARKED[:7]))
        _, _, scanner = scan("".join(parts[::2]), size)
        text, marked = "", ""
        for place, part in enumerate(parts):
            for c in part:
                column, with_mark = len(lines(text)[-1]) + 1, len(lines(marked)[-1]) + 1
                assert scanner.original_column(len(lines(text)), with_mark) == column
                marked += c
                text += c if place % 2 == 0 else ""


CHARACTERS = [*"\"'a\\u0@^<>#-.:EN \r\n\u00e9M\U000efffd", "VERSION", "version", "1.2"]


@given(st.lists(st.sampled_from(CHARACTERS), max_size=40).map("".join), st.integers(1, 9))
def test_pieces_make_no_difference(text: str, size: int) -> None:
    one, fault, scanner = scan(text, size)
    assert (one, fault) == scan(text, 999)[:2]
    assert scanner.line == len(lines(text.encode()[: fault if fault >= 0 else None].decode()))
