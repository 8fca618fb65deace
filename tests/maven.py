"""Builds the Maven projects of the tests."""

import fcntl
import shutil
import subprocess
from pathlib import Path

# Maven's output contains one of these phrases if it can't download something.
NOT_TO_BE_HAD = (
    "Could not transfer",
    "Could not find artifact",
    "Could not resolve",
    "could not be resolved",
)


class UnavailableError(Exception):
    """Raised when Java, Maven or the registry is missing."""


def build(folder: Path) -> list[str]:
    """Compile the project of a folder, if its sources have changed.

    Returns:
        The paths of the jars that the project uses. Its ``pom.xml`` makes Maven write them to
            ``target/classpath``.

    Raises:
        UnavailableError: Java, Maven or a library is missing.
        RuntimeError: The project does not compile.
    """
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise UnavailableError(f"{program} is not installed")
    classpath = folder / "target" / "classpath"
    classpath.parent.mkdir(exist_ok=True)
    # Several pytest processes may build the project at the same time.
    with open(folder / "target" / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _compile(folder, classpath)
    return classpath.read_text(encoding="utf-8").strip().split(":")


def _compile(folder: Path, classpath: Path) -> None:
    sources = [folder / "pom.xml", *folder.glob("src/main/java/**/*.java")]
    newest = max(path.stat().st_mtime for path in sources)
    if not classpath.exists() or classpath.stat().st_mtime <= newest:
        # Maven does not write the file again if its content has not changed.
        classpath.unlink(missing_ok=True)
        run = subprocess.run(
            ["mvn", "--batch-mode", "--quiet", "compile"],
            cwd=folder,
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
