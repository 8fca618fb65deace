"""Tests that numbers, times and strings get rdflib's values without running rdflib's code."""

import datetime
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import rdflib.term
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Dataset, Literal, URIRef
from rdflib.namespace import XSD

import jelly_rdflib as jr
from tests.oracle import build as b

Form = tuple[str, str]

INTEGERS = [
    *("integer", "int", "long", "short", "byte"),
    *("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
    *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
]
NAMES = ["decimal", "dateTime", "date", "double", "float", "boolean", "string", "anyURI", *INTEGERS]

# Datatypes, lexical forms whose value is made without rdflib's code, and their normal forms.
KNOWN = [
    *((name, "7", "7") for name in INTEGERS),
    ("integer", "-99999999999999999", "-99999999999999999"),
    ("integer", "999999999999999999", "999999999999999999"),
    ("byte", "128", "128"),
    ("decimal", "-0.50", "-0.50"),
    ("decimal", "120", "120"),
    ("double", "12.5", "12.5"),
    ("double", "1.25E1", "12.5"),
    ("double", "-0", "-0.0"),
    ("double", "1e999", "inf"),
    ("float", "0.00001", "1e-05"),
    ("boolean", "true", "true"),
    ("boolean", "1", "true"),
    ("boolean", "0", "false"),
    ("date", "2024-02-29", "2024-02-29"),
    ("dateTime", "2026-03-01T00:00:01Z", "2026-03-01T00:00:01+00:00"),
    ("dateTime", "2026-03-01T00:00:01.5Z", "2026-03-01T00:00:01.500000+00:00"),
    ("dateTime", "2026-03-01T23:59:59.000001-14:00", "2026-03-01T23:59:59.000001-14:00"),
    ("dateTime", "2026-03-01T00:00:01-00:00", "2026-03-01T00:00:01+00:00"),
    ("dateTime", "2026-03-01T00:00:01", "2026-03-01T00:00:01"),
    ("string", "é", "é"),
    ("anyURI", "urn:é", "urn:é"),
]

# These lexical forms look similar, but rdflib normalizes them differently or gives them no value.
OTHERS = [
    *(
        ("integer", text)
        for text in ("-0", "+7", "007", "1_0", "٣", " 7", "7.0", "", "-", "9" * 19)
    ),
    *(("decimal", text) for text in ("1.", ".5", "+1.5", "01.5", "1e2", "1_0.0", "٣.٣", "-", "-.")),
    *(("double", text) for text in ("1.", ".5", "1e", "1e+", "+1.5", "01.5", "1_0.0", "٣", "NaN")),
    *(("date", text) for text in ("2023-02-29", "2024-13-01", "0000-01-01", "12024-01-01")),
    *(("date", text) for text in ("-0044-01-01", "2024-01-01Z", "2024-01-01+01:00", "20240101")),
    *(
        ("dateTime", f"2024-02-29T{rest}")
        for rest in [
            *("24:00:00", "23:59:60", "23:59", "23:59:59,5", "23:59:59.", "23:59:59z", "235959"),
            *("23:59:59.000000", "23:59:59.0000000+01:00", "23:59:59.1234567", "23:59:59.000Z"),
            *("23:59:59+01:60", "23:59:59-01:99", "23:59:59+14:01"),
            *("23:59:59.000000-00:00", "23:59:59+0100", "23:59:59+01", "23:59:59+01:00:30"),
        ]
    ),
    *(("dateTime", f"{day}T00:00:00Z") for day in ("2023-02-29", "0000-01-01", "12024-01-01")),
    *(("boolean", text) for text in ("TRUE", "fAlSe", " true", "truf", "2", "", "…")),
]


def stream(*parts: Iterable[Form]) -> bytes:
    """Return a stream in which each part is a frame of literals."""
    head = [b.options(max_datatype_table_size=len(NAMES))]
    head += [b.name("urn:p"), *(b.datatype(str(XSD[name])) for name in NAMES)]
    frames = [
        [
            b.add(b.iri(0, 1), b.iri(0, 1), b.literal(text, datatype=NAMES.index(name) + 1))
            for name, text in part
        ]
        for part in parts
    ]
    return b.stream(head, *frames)


def read(forms: Iterable[Form], normalize: bool | None = None) -> list[Literal]:
    rows = jr.read_operations(stream(forms), normalize=normalize)
    return [row[3] for row in rows if row[0] == jr.Op.A]


def make(name: str, text: str, normalize: bool | None = None) -> Literal:
    return Literal(text, datatype=XSD[name], normalize=normalize)


def outcome(literal: Literal) -> list[Any]:
    """Return all observable properties of a literal."""
    value = literal.value
    zone = getattr(value, "tzinfo", None)
    return [
        *(type(literal), str(literal), literal.datatype, literal.language, literal.ill_typed),
        *(type(value), repr(value), type(zone), hash(literal), str(literal.normalize())),
    ]


def has_short_exponent(form: Form) -> bool:
    """Return whether a decimal has a short exponent; 1E999999999 would have too many digits."""
    name, text = form
    return name != "decimal" or len(text.lower().partition("e")[2].lstrip("+-")) <= 2


def can_be_spelled(form: Form) -> bool:
    """Return whether rdflib can format a time; in Python 3.10 an offset of a day makes it fail."""
    if sys.version_info >= (3, 11):
        return True
    try:
        make(*form, normalize=True)
    except ValueError:
        return False
    return True


def regex(pattern: str) -> st.SearchStrategy[str]:
    return st.from_regex(pattern, fullmatch=True)


def spoiled(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Insert or remove characters in some of the lexical forms."""
    more = st.sampled_from(["", *" \n+-.eEZT:_0159٣é"])
    place = st.integers(0, 40)
    cut = st.builds(
        lambda text, at, end, new: text[:at] + new + text[end:], texts, place, place, more
    )
    inserted = st.builds(lambda text, at, new: text[:at] + new + text[at:], texts, place, more)
    return st.one_of(texts, texts, texts, inserted, cut)


ZONES = regex(r"(Z|[+-](0[0-9]|1[0-4]|2[34]):([0-5][0-9]|6[01]))?")
offsets = st.integers(-23 * 60, 23 * 60).map(
    lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
)
dates = st.one_of(st.dates().map(str), regex(r"([0-9]{4}|20[0-9]{2})-[01][0-9]-[0-3][0-9]"))
clocks = regex(r"([01][0-9]|2[0-4]):[0-5][0-9]:([0-5][0-9]|60)(\.([0-9]{3}|[0-9]{6}|[0-9]{0,9}))?")
numbers = regex(r"[+-]?[0-9]{0,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{0,3})?")
doubles = st.one_of(
    st.floats().map(repr), st.sampled_from(["INF", "-INF", "NaN", "1e16", "0.0001"]), numbers
)
edges = [
    limit + more
    for limit in (2**7, 2**8, 2**15, 2**16, 2**31, 2**32, 2**63, 10**18)
    for more in (-2, -1, 0, 1)
]
integers = st.one_of(
    st.integers().map(str),
    st.sampled_from([text for edge in edges for text in (f"{edge}", f"-{edge}")]),
    regex(r"[+-]?[0-9]{0,20}"),
)
TEXTS = {
    **dict.fromkeys(INTEGERS, integers),
    "decimal": st.one_of(st.decimals(allow_nan=False).map(lambda each: f"{each:f}"), numbers),
    "double": doubles,
    "float": doubles,
    "boolean": st.sampled_from(["true", "false", "1", "0", "True", "2", ""]),
    "date": st.one_of(dates, st.builds(str.__add__, dates, ZONES)),
    "dateTime": st.one_of(
        st.datetimes(timezones=st.none() | offsets).map(lambda time: time.isoformat()),
        st.builds("{}T{}{}".format, dates, clocks, ZONES),
    ),
    "string": st.text(max_size=3),
    "anyURI": st.text(max_size=3),
}
forms = st.sampled_from(NAMES).flatmap(
    lambda name: (
        st.tuples(st.just(name), spoiled(TEXTS[name]))
        .filter(has_short_exponent)
        .filter(can_be_spelled)
    )
)


def check(forms: list[Form], normalize: bool | None) -> None:
    for (name, text), literal in zip(forms, read(forms, normalize), strict=True):
        expected = make(name, text, normalize)
        assert outcome(literal) == outcome(expected), (name, text)
        assert literal == expected
        assert literal.value == expected.value or expected.value != expected.value


def check_store(forms: list[Form]) -> None:
    dataset = Dataset(jr.JellyStore())
    jr.apply(stream(forms), dataset, normalize=True)
    stored = {(str(o), o.datatype) for _, _, o, _ in dataset.quads()}
    assert stored == {(str(make(*form, normalize=True)), XSD[form[0]]) for form in forms}


@pytest.mark.filterwarnings("ignore:Parsing weird boolean")
class TestLiteralsAreWhatRdflibMakes:
    @given(st.lists(forms, min_size=1, max_size=10), st.sampled_from([None, True, False]))
    def test_of_any_text(self, forms: list[Form], normalize: bool | None) -> None:
        check(forms, normalize)

    @given(st.lists(forms, min_size=1, max_size=10))
    def test_in_the_store(self, forms: list[Form]) -> None:
        check_store(forms)

    @pytest.mark.parametrize("form", OTHERS)
    def test_of_text_that_is_not_known(self, form: Form) -> None:
        check([form], True)
        check([form], False)
        check_store([form])


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(("name", "text", "normal"), KNOWN)
def test_values_are_made_without_rdflibs_code(
    name: str, text: str, normal: str, normalize: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = outcome(make(name, text, normalize))
    with monkeypatch.context() as patch:
        patch.setattr(Literal, "__new__", None)
        [literal] = read([(name, text)], normalize)
    assert outcome(literal) == expected
    assert str(literal) == (normal if normalize else text)
    check_store([(name, text)])


@pytest.mark.parametrize("normalize", [True, False, None])
@pytest.mark.parametrize("rest", ["+24:00", "-24:30", "+99:00", ".5+24:00", ".500000-99:00"])
def test_a_time_with_a_zone_of_a_day_or_more_keeps_its_text(
    rest: str, normalize: bool | None
) -> None:
    form = ("dateTime", f"2024-02-29T23:59:59{rest}")
    [literal] = read([form], normalize)
    assert (str(literal), literal.datatype) == (form[1], XSD.dateTime)
    dataset = Dataset(jr.JellyStore())
    jr.apply(stream([form]), dataset, normalize=True)
    assert [str(o) for _, _, o, _ in dataset.quads()] == [form[1]]
    if can_be_spelled(form):
        check([form], normalize)


@pytest.fixture
def bindings() -> Iterator[None]:
    yield
    rdflib.term._reset_bindings()


def shout(value: object) -> str:
    return f"<{value}>"


REBINDINGS: dict[str, Callable[[URIRef, Any], object]] = {
    "another class": lambda datatype, _: rdflib.term.bind(datatype, Fraction, lambda _: Fraction()),
    "of the datatype, another form": lambda datatype, cls: rdflib.term.bind(
        datatype, cls, rdflib.term.XSDToPython[datatype], shout, datatype_specific=True
    ),
    "of all datatypes, another form": lambda datatype, cls: (
        rdflib.term._GenericPythonToXSDRules.insert(0, (cls, (shout, datatype)))
    ),
    "no more": lambda datatype, _: rdflib.term._toPythonMapping.pop(datatype),
}


@pytest.mark.parametrize("rebind", REBINDINGS.values(), ids=REBINDINGS)
@pytest.mark.parametrize(
    ("name", "cls"),
    [("decimal", Decimal), ("integer", int), ("double", float), ("dateTime", datetime.datetime)],
)
@pytest.mark.usefixtures("bindings")
def test_a_datatype_may_be_bound_anew_while_a_stream_is_read(
    name: str, cls: type, rebind: Callable[[URIRef, Any], object]
) -> None:
    texts = ["2026-03-01T00:00:01", "2026-03-01T00:00:02"] if name == "dateTime" else ["1", "2"]
    rows = jr.read_operations(stream([(name, texts[0])], [(name, texts[1])]))
    before = next(rows)
    assert outcome(before[3]) == outcome(make(name, texts[0]))
    rebind(XSD[name], cls)
    expected = outcome(make(name, texts[1]))
    after = next(rows)
    assert outcome(after[3]) == expected
    dataset = Dataset(jr.JellyStore())
    jr.apply(stream([(name, texts[1])]), dataset, normalize=True)
    assert [str(o) for _, _, o, _ in dataset.quads()] == expected[1:2]
    rdflib.term._reset_bindings()
    assert outcome(make(name, texts[1])) != expected


@pytest.mark.usefixtures("bindings")
def test_a_rule_for_another_class_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rdflib.term.bind("urn:fraction", Fraction)
    with monkeypatch.context() as patch:
        patch.setattr(Literal, "__new__", None)
        [literal] = read([("decimal", "1.5")])
    assert literal.value == Decimal("1.5")
