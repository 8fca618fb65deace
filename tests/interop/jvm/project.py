"""The Maven project beside this file: building it, and how to run what it has."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["UnavailableError", "build", "command", "versions"]

FOLDER = Path(__file__).resolve().parent
TARGET = FOLDER / "target"
CLASSPATH = TARGET / "classpath"

# What Maven says where it can't get something, in whatever words its plugins put around it.
NOT_TO_BE_HAD = (
    "Could not transfer",
    "Could not find artifact",
    "Could not resolve",
    "could not be resolved",
)


class UnavailableError(Exception):
    """Java, Maven or the registry is missing."""


def build() -> None:
    """Compile the project, if it is not compiled as it stands.

    Raises:
        UnavailableError: Something is missing that it takes.
        RuntimeError: The compiler refuses it.
    """
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise UnavailableError(f"{program} is not installed")
    sources = [FOLDER / "pom.xml", *FOLDER.glob("src/main/java/**/*.java")]
    newest = max(path.stat().st_mtime for path in sources)
    if CLASSPATH.exists() and CLASSPATH.stat().st_mtime > newest:
        return
    # Maven leaves it as it is where nothing new would be in it.
    CLASSPATH.unlink(missing_ok=True)
    run = subprocess.run(
        ["mvn", "--batch-mode", "--quiet", "compile"],
        cwd=FOLDER,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    if run.returncode:
        if any(words in run.stdout for words in NOT_TO_BE_HAD):
            raise UnavailableError(f"Maven can't get what it needs:\n{run.stdout[:500]}")
        raise RuntimeError(f"the project does not compile:\n{run.stdout}")


def command(
    main: str, *arguments: str, java: Sequence[str] = ("-Xss8m", "-XX:+UseSerialGC")
) -> list[str]:
    """Return the command that runs a class of the project, which must be built."""
    classpath = f"{TARGET / 'classes'}:{CLASSPATH.read_text().strip()}"
    return ["java", *java, "-cp", classpath, main, *arguments]


def versions() -> dict[str, str]:
    """Return the versions of what the project uses, by name."""
    text = (FOLDER / "pom.xml").read_text(encoding="utf-8")
    found = {
        name: re.search(rf"<{key}.version>(.*)</{key}.version>", text)
        for name, key in (("Jelly-JVM", "jelly"), ("Apache Jena", "jena"))
    }
    return {name: match[1] for name, match in found.items() if match is not None}
