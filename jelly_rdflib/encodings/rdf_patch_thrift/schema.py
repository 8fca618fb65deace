"""The structs of RDF Patch in Thrift, as ``proto/rdf-patch.thrift`` defines them.

Each class has what Thrift's compiler would give it: ``thrift_spec``, which tells of each field its
number, type, name, what more the type needs, and a default. In two ways they are not the
compiler's: strings are bytes, since thrift's decoder would replace in silence what is not UTF-8;
and members are class attributes until they are set, for an ``__init__`` would take longer than all
the rest of reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from thrift.Thrift import TType
from thrift.TRecursive import fix_spec

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "RDF_ANY",
    "RDF_IRI",
    "RDF_REPEAT",
    "RDF_UNDEF",
    "RDF_VAR",
    "STRUCTS",
    "PatchTxn",
    "Patch_Data_Add",
    "Patch_Data_Del",
    "Patch_Header",
    "Patch_Prefix_Add",
    "Patch_Prefix_Del",
    "RDF_BNode",
    "RDF_Decimal",
    "RDF_Literal",
    "RDF_Patch_Row",
    "RDF_PrefixName",
    "RDF_Term",
    "RDF_Triple",
    "Struct",
]


class PatchTxn:
    """What a row of a transaction says."""

    TX = 0
    TC = 1
    TA = 2
    Segment = 3


class Struct:
    """A struct, or a union, whose members are None until they are set.

    Examples:
        >>> RDF_Term.of(iri=RDF_IRI.of(iri=b"urn:a"))
        RDF_Term(iri=RDF_IRI(iri=b'urn:a'))
    """

    thrift_spec: ClassVar[tuple[Any, ...]] = ()
    is_union: ClassVar[bool] = False

    @classmethod
    def of(cls, **members: Any) -> Self:
        """Return a struct with these members."""
        struct = cls()
        for name, value in members.items():
            setattr(struct, name, value)
        return struct

    def __repr__(self) -> str:
        members = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({members})"


class RDF_IRI(Struct):
    """An IRI in full."""

    iri: bytes | None = None


class RDF_PrefixName(Struct):
    """An IRI as a prefix and the rest."""

    prefix: bytes | None = None
    localName: bytes | None = None


class RDF_BNode(Struct):
    """A blank node."""

    label: bytes | None = None


class RDF_Literal(Struct):
    """A literal."""

    lex: bytes | None = None
    langtag: bytes | None = None
    datatype: bytes | None = None
    dtPrefix: RDF_PrefixName | None = None
    baseDirection: bytes | None = None


class RDF_Decimal(Struct):
    """The number ``value`` divided by 10 to the power of ``scale``."""

    value: int | None = None
    scale: int | None = None


class RDF_VAR(Struct):
    """A variable of a query."""

    name: bytes | None = None


class RDF_ANY(Struct):
    """The wildcard of a pattern."""


class RDF_UNDEF(Struct):
    """The lack of a term."""


class RDF_REPEAT(Struct):
    """The same term again."""


class RDF_Term(Struct):
    """A term of RDF, or of what has to do with it."""

    is_union = True

    iri: RDF_IRI | None = None
    bnode: RDF_BNode | None = None
    literal: RDF_Literal | None = None
    prefixName: RDF_PrefixName | None = None
    variable: RDF_VAR | None = None
    any: RDF_ANY | None = None
    undefined: RDF_UNDEF | None = None
    repeat: RDF_REPEAT | None = None
    tripleTerm: RDF_Triple | None = None
    valInteger: int | None = None
    valDouble: float | None = None
    valDecimal: RDF_Decimal | None = None


class RDF_Triple(Struct):
    """A quoted triple."""

    S: RDF_Term | None = None
    P: RDF_Term | None = None
    O: RDF_Term | None = None  # noqa: E741


class Patch_Header(Struct):
    """A header: ``H``."""

    name: bytes | None = None
    value: RDF_Term | None = None


class Patch_Data_Add(Struct):
    """A statement that is added: ``A``."""

    s: RDF_Term | None = None
    p: RDF_Term | None = None
    o: RDF_Term | None = None
    g: RDF_Term | None = None


class Patch_Data_Del(Struct):
    """A statement that is deleted: ``D``."""

    s: RDF_Term | None = None
    p: RDF_Term | None = None
    o: RDF_Term | None = None
    g: RDF_Term | None = None


class Patch_Prefix_Add(Struct):
    """A prefix that is bound: ``PA``."""

    graphNode: RDF_Term | None = None
    prefix: bytes | None = None
    iriStr: bytes | None = None


class Patch_Prefix_Del(Struct):
    """A prefix that is no longer bound: ``PD``."""

    graphNode: RDF_Term | None = None
    prefix: bytes | None = None


class RDF_Patch_Row(Struct):
    """A row: all that there is between one row and the next."""

    is_union = True

    header: Patch_Header | None = None
    dataAdd: Patch_Data_Add | None = None
    dataDel: Patch_Data_Del | None = None
    prefixAdd: Patch_Prefix_Add | None = None
    prefixDel: Patch_Prefix_Del | None = None
    txn: int | None = None


STRUCTS: tuple[type[Struct], ...] = (
    RDF_IRI,
    RDF_PrefixName,
    RDF_BNode,
    RDF_Literal,
    RDF_Decimal,
    RDF_VAR,
    RDF_ANY,
    RDF_UNDEF,
    RDF_REPEAT,
    RDF_Term,
    RDF_Triple,
    Patch_Header,
    Patch_Data_Add,
    Patch_Data_Del,
    Patch_Prefix_Add,
    Patch_Prefix_Del,
    RDF_Patch_Row,
)


def _spec(*fields: tuple[str, Any]) -> tuple[Any, ...]:
    """Make a spec of the fields' names and types; they are numbered from 1."""
    spec: list[Any] = [None]
    for number, (name, kind) in enumerate(fields, 1):
        if isinstance(kind, type):
            # The list's second item is the struct's own spec, which is put in below.
            spec.append((number, TType.STRUCT, name, [kind, None], None))
        else:
            spec.append((number, kind, name, "BINARY" if kind == TType.STRING else None, None))
    return tuple(spec)


_STATEMENT = _spec(("s", RDF_Term), ("p", RDF_Term), ("o", RDF_Term), ("g", RDF_Term))

RDF_IRI.thrift_spec = _spec(("iri", TType.STRING))
RDF_PrefixName.thrift_spec = _spec(("prefix", TType.STRING), ("localName", TType.STRING))
RDF_BNode.thrift_spec = _spec(("label", TType.STRING))
RDF_Literal.thrift_spec = _spec(
    ("lex", TType.STRING),
    ("langtag", TType.STRING),
    ("datatype", TType.STRING),
    ("dtPrefix", RDF_PrefixName),
    ("baseDirection", TType.STRING),
)
RDF_Decimal.thrift_spec = _spec(("value", TType.I64), ("scale", TType.I32))
RDF_VAR.thrift_spec = _spec(("name", TType.STRING))
RDF_Term.thrift_spec = _spec(
    ("iri", RDF_IRI),
    ("bnode", RDF_BNode),
    ("literal", RDF_Literal),
    ("prefixName", RDF_PrefixName),
    ("variable", RDF_VAR),
    ("any", RDF_ANY),
    ("undefined", RDF_UNDEF),
    ("repeat", RDF_REPEAT),
    ("tripleTerm", RDF_Triple),
    ("valInteger", TType.I64),
    ("valDouble", TType.DOUBLE),
    ("valDecimal", RDF_Decimal),
)
RDF_Triple.thrift_spec = _spec(("S", RDF_Term), ("P", RDF_Term), ("O", RDF_Term))
Patch_Header.thrift_spec = _spec(("name", TType.STRING), ("value", RDF_Term))
Patch_Data_Add.thrift_spec = _STATEMENT
Patch_Data_Del.thrift_spec = _STATEMENT
Patch_Prefix_Add.thrift_spec = _spec(
    ("graphNode", RDF_Term), ("prefix", TType.STRING), ("iriStr", TType.STRING)
)
Patch_Prefix_Del.thrift_spec = _spec(("graphNode", RDF_Term), ("prefix", TType.STRING))
RDF_Patch_Row.thrift_spec = _spec(
    ("header", Patch_Header),
    ("dataAdd", Patch_Data_Add),
    ("dataDel", Patch_Data_Del),
    ("prefixAdd", Patch_Prefix_Add),
    ("prefixDel", Patch_Prefix_Del),
    ("txn", TType.I32),
)
fix_spec(STRUCTS)
