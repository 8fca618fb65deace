"""Builds Jelly-JVM's own patch modules, which are in no registry, from a checkout.

The folder ``interop`` has the files that differ from the Java code of `tests.interop.jvm`. They use
Jelly-JVM's reader and writer for Jena or, with ``-Drdf4j=true``, its decoder and encoder for RDF4J
to read and write Jelly-Patch.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests import maven
from tests.interop.jvm import project

FOLDER = Path(__file__).resolve().parent
MODULES = ("core", "core-patch", "jena", "jena-patch", "rdf4j", "rdf4j-patch")
# The build leaves out these shared classes: each is replaced by a class in this folder, or needs a
# class that is replaced.
LEFT_OUT = ("Benchmark", "PatchReader", "PatchRow", "PatchOptions", "PatchWriter")


def revision(checkout: Path) -> str:
    """Return the tag or commit of a checkout, with the suffix -dirty if files were changed."""
    command = ["git", "-C", checkout, "describe", "--tags", "--always", "--dirty"]
    return subprocess.check_output(command, text=True).strip()


def build(checkout: Path) -> str:
    """Compile a checkout of Jelly-JVM, with its submodule, for Jena 5.6 and RDF4J 5.3.

    Returns:
        The classpath for ``interop.Server``.

    Raises:
        tests.maven.UnavailableError: Java, Maven or a library is missing.
        subprocess.CalledProcessError: The checkout does not compile.
    """
    libraries = maven.build(FOLDER)
    out = FOLDER / "target"
    plugin, generated, classes = (out / name for name in ("plugin", "generated", "classes"))
    for folder in (plugin, generated, classes):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    classpath = os.pathsep.join([str(classes), str(plugin), *libraries])

    def compile_java(target: Path, sources: Sequence[Path]) -> None:
        subprocess.run(["javac", "-nowarn", "-cp", classpath, "-d", target, *sources], check=True)

    sources = list(_sources(checkout / "crunchy-protoc-plugin"))
    scala = ["java", "-Xss4m", "-cp", classpath, "dotty.tools.dotc.Main", "-usejavacp"]
    subprocess.run([*scala, "-d", plugin, *sources], check=True)
    compile_java(plugin, [path for path in sources if path.suffix == ".java"])
    start = out / "protoc-gen-crunchy"
    main = "eu.neverblink.protoc.java.CrunchyProtocPlugin"
    start.write_text(f'#!/bin/sh\nexec java -cp "{classpath}" {main}\n')
    start.chmod(0o755)
    options = "".join((checkout / "rdf-protos/src/main/args.txt").read_text("utf-8").split())
    protoc = [sys.executable, "-m", "grpc_tools.protoc"]
    protoc += [f"-I{checkout}/submodules/protobuf/proto", f"--plugin=protoc-gen-crunchy={start}"]
    protoc += [f"--crunchy_out={options}:{generated}", "rdf.proto", "patch.proto"]
    subprocess.run(protoc, check=True)
    modules = [path for module in MODULES for path in _sources(checkout / module)]
    shared = project.FOLDER.glob("src/main/java/interop/*.java")
    ours = [*FOLDER.glob("interop/*.java"), *(p for p in shared if p.stem not in LEFT_OUT)]
    compile_java(classes, [*modules, *generated.rglob("*.java"), *ours])
    return classpath


def _sources(module: Path) -> Iterator[Path]:
    for suffix in ("java", "scala"):
        yield from sorted((module / "src" / "main").rglob(f"*.{suffix}"))
