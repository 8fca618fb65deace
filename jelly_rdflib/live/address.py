"""Addresses of patch streams."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from jelly_rdflib.options import did_you_mean

_T = TypeVar("_T")


class Address:
    """An address, ``scheme://host:port/path?setting=value``, with further settings.

    The further settings, such as passwords, take precedence over those in the address. A ValueError
    is raised if the address contains a user name or a password, since messages would show it, or if
    it contains a ``#``, since addresses have no fragments. ``arguments`` are names that are not
    settings, but other arguments of the function that gets the settings.

    Examples:
        >>> address = Address("kafka://localhost:9092/changes?group=copies", {"retries": 3})
        >>> address.scheme, address.host, address.path, address.take("retries", int, 5)
        ('kafka', 'localhost:9092', 'changes', 3)
        >>> address.settings
        {'group': 'copies'}
    """

    def __init__(
        self, url: str, settings: Mapping[str, Any], arguments: Collection[str] = ()
    ) -> None:
        # A path of a folder is not split: it has no settings, and may contain "?".
        parts = urlsplit(url) if "://" in url else SplitResult("", "", url, "", "")
        if "@" in parts.netloc:
            raise ValueError(
                f"the address of {parts.netloc.rpartition('@')[2]} has a user name or a password:"
                " give them as settings"
            )
        if "://" in url and "#" in url:
            raise ValueError(f"the address of {parts.netloc} has a #: write it as %23")
        self.scheme = parts.scheme.lower()
        """In lowercase; empty for the path of a folder."""
        self.host = parts.netloc
        """The host and its port, or several separated by commas, as in the address."""
        self.path = unquote(parts.path.lstrip("/")) if self.scheme else url
        self.settings = {**dict(parse_qsl(parts.query, keep_blank_values=True)), **settings}
        """The settings that have not been taken yet."""
        self._arguments = arguments
        # The names of the settings that could be taken so far.
        self._known: list[str] = []

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}/{self.path}" if self.scheme else self.path

    def take(self, name: str, kind: Callable[[Any], _T], default: _T) -> _T:
        """Remove a setting and return its converted value, or raise a ValueError."""
        self._known.append(name)
        if name not in self.settings:
            return default
        value = self.settings.pop(name)
        try:
            return kind(value)
        except (ValueError, TypeError):
            raise ValueError(f"{self}: {name}={value} is not of type {kind.__name__}") from None

    def choose(self, name: str, choices: tuple[str, ...]) -> str:
        """Remove and return a setting that must be one of ``choices``; by default the first."""
        found = self.take(name, str, choices[0])
        if found not in choices:
            raise ValueError(f"{self}: {name}={found} is not one of: {', '.join(choices)}")
        return found

    def check_all_taken(self) -> None:
        """Raise a ValueError if a setting is left over, since it is unknown."""
        for name in self.settings:
            if name in self._arguments:
                raise ValueError(f"{self}: {name} can't be in an address: give it separately")
            hint = did_you_mean(name, [*self._known, *self._arguments])
            what = f"{self}: there is no setting {name!r}"
            raise ValueError(f"{what}; {hint}" if hint else what)
