"""Gets the jars of Delta Lake and of Spark's Kafka connector from Maven."""

import re
from functools import cache
from pathlib import Path

from tests import maven

FOLDER = Path(__file__).resolve().parent


@cache
def connector_jars() -> list[str]:
    """Return the paths of the jars that are not part of Spark.

    Raises:
        tests.maven.UnavailableError: Maven can't download them.
    """
    import pyspark

    own = {_artifact(jar) for jar in (Path(pyspark.__file__).parent / "jars").glob("*.jar")}
    return [jar for jar in maven.build(FOLDER) if _artifact(Path(jar)) not in own]


def _artifact(jar: Path) -> str:
    """Return a jar's name without its version."""
    return re.sub(r"-\d[^-]*(-\w+)?\.jar$", "", jar.name)
