"""Compares the check of language tags with regular expressions for Turtle and BCP 47."""

import re

from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr

TURTLE = re.compile(r"[a-zA-Z]+(-[a-zA-Z0-9]+)*")
# The expression follows the grammar of RFC 5646, section 2.1.
BCP_47 = re.compile(
    r"""
    (?: [a-z]{2,3} (?: -[a-z]{3} ){0,3} | [a-z]{4,8} )
    (?: -[a-z]{4} )?
    (?: - (?: [a-z]{2} | [0-9]{3} ) )?
    (?: - (?: [a-z0-9]{5,8} | [0-9][a-z0-9]{3} ) )*
    (?: - [0-9a-wy-z] (?: -[a-z0-9]{2,8} )+ )*
    (?: -x (?: -[a-z0-9]{1,8} )+ )?
    | x (?: -[a-z0-9]{1,8} )+
    | en-gb-oed | sgn-be-fr | sgn-be-nl | sgn-ch-de
    | i- (?: ami | bnn | default | enochian | hak | klingon | lux | mingo | navajo | pwn | tao
           | tay | tsu )
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
SUBTAGS = [
    *("en", "de", "x", "X", "a", "1", "abc", "abcd", "abcde", "12345678", "123456789", "1abc"),
    *("123", "CH", "Latn", "a1", "", "\u00e9", "a_", "\u212a"),
]
tags = st.one_of(
    st.lists(st.sampled_from(SUBTAGS), max_size=7).map("-".join),
    st.sampled_from(["i-klingon", "EN-GB-oed", "sgn-be-fr", "i-tsu-x", "i-nobody", "i-", "tsu"]),
    st.text("aAxz19-\u00e9", max_size=12),
)


def is_read(tag: str, *, strict: bool) -> bool:
    text = f'<urn:s> <urn:p> "x"@{tag} .'.encode()
    try:
        [(_, _, literal)] = jr.read_statements(text, format="n-triples", strict=strict)
    except jr.DecodeError:
        return False
    assert literal.language == tag
    return True


@given(tags)
def test_tags_of_turtle(tag: str) -> None:
    assert is_read(tag, strict=False) == (TURTLE.fullmatch(tag) is not None)


@given(tags)
def test_tags_of_bcp_47(tag: str) -> None:
    assert is_read(tag, strict=True) == (BCP_47.fullmatch(tag) is not None)
