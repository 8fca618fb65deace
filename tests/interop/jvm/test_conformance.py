"""Tests the Jelly-Patch suite on the JVM: with our Java, and with the suite's runner for jars."""

import shutil
import subprocess
from pathlib import Path

import pytest

import conformance
from conformance.check import check
from conformance.manifest import read_suite
from conformance.runner import Server
from tests.conformance.patch.pages import JAVA, TIMEOUT, read_report
from tests.interop.jvm.conftest import build

RUNNER = Path(conformance.__file__).with_name("Runner.java")
CODEC = """
package any;

import java.nio.charset.StandardCharsets;

public final class Codec {
    public static String decode(byte[] data) {
        if (data.length == 0) {
            throw new IllegalArgumentException("no\\nbytes");
        }
        return "é";
    }

    public static byte[] encode(String json) {
        if (json.startsWith("deep")) {
            return encode(json);
        }
        if (json.isEmpty()) {
            throw new UnsupportedOperationException();
        }
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
"""


def test_the_report_is_what_comes_of_it() -> None:
    build()
    server = Server(JAVA, TIMEOUT)
    words = {"passed": "passed", "failed": "failed", "unsupported": "inapplicable"}
    try:
        found = {entry.name: words[check(entry, server).verdict] for entry in read_suite()}
    finally:
        server.close()
    assert found == read_report("java")


def test_the_runner_takes_any_jar(tmp_path: Path) -> None:
    if shutil.which("javac") is None:
        pytest.skip("there is no Java to compile with")
    source = tmp_path / "Codec.java"
    source.write_text(CODEC, encoding="utf-8")
    compile_ = ["javac", "-encoding", "UTF-8", "-d", str(tmp_path), str(source)]
    subprocess.run(compile_, check=True)
    file = tmp_path / "file"
    server = Server(["java", "-cp", str(tmp_path), str(RUNNER), "any.Codec"], TIMEOUT)
    answers = []
    try:
        for verb, content in (("decode", "x"), ("decode", ""), ("encode", "é"), ("encode", "")):
            file.write_text(content, encoding="utf-8")
            answers.append(server.run(verb, file))
        file.write_text("deep")
        answers.append(server.run("encode", file))
        file.write_text("again")
        answers.append(server.run("encode", file))
    finally:
        server.close()
    assert [(answer.kind, answer.output.decode()) for answer in answers] == [
        ("ok", "é"),
        ("refused", ""),
        ("ok", "é"),
        ("unsupported", ""),
        ("broken", ""),
        ("ok", "again"),
    ]
    assert answers[1].message == "java.lang.IllegalArgumentException: no bytes"
