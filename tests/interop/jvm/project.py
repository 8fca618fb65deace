"""Builds the Maven project next to this file, and runs its classes."""

import re
from collections.abc import Sequence
from pathlib import Path

from tests import maven
from tests.maven import UnavailableError

__all__ = ["UnavailableError", "build", "command", "versions"]

FOLDER = Path(__file__).resolve().parent


def build() -> None:
    """Compile the project; this raises the exceptions of `tests.maven.build`."""
    maven.build(FOLDER)


def command(
    main: str, *arguments: str, java: Sequence[str] = ("-Xss8m", "-XX:+UseSerialGC")
) -> list[str]:
    """Return the command that runs a class of the project, which must have been built."""
    classpath = ":".join([str(FOLDER / "target" / "classes"), *maven.build(FOLDER)])
    return ["java", *java, "-cp", classpath, main, *arguments]


def versions() -> dict[str, str]:
    """Return the versions of the libraries that the project uses, by name."""
    text = (FOLDER / "pom.xml").read_text(encoding="utf-8")
    found = {
        name: re.search(rf"<{key}.version>(.*)</{key}.version>", text)
        for name, key in (("Jelly-JVM", "jelly"), ("Apache Jena", "jena"))
    }
    return {name: match[1] for name, match in found.items() if match is not None}
