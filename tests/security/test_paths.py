"""Tests that names in an input never become file names, and that only named files are written."""

import os
import stat
import tempfile
from pathlib import Path

import pytest
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.algebra.spool import Spool
from tests.cli.support import encode, run_well

UUID = "0686c69d-8f89-4496-acb5-744f0157a8db"
ESCAPES = [
    "../../etc/passwd",
    "/etc/passwd",
    f"uuid:../{UUID}",
    f"uuid:{UUID}/../../x",
    f"uuid:{UUID}\0",
    f"uuid:{UUID}\n",
    f"file:///{UUID}",
    f"uuid:{UUID[:-1]}/",
    # a digit that is not ASCII
    f"uuid:{UUID[:-1]}\N{ARABIC-INDIC DIGIT ONE}",
]


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ESCAPES)
def test_ids_that_would_be_paths_are_refused(tmp_path: Path, name: str) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    before = files_in(tmp_path)
    for key, value in (("id", URIRef(name)), ("id", Literal(name)), ("prev", URIRef(name))):
        patch = [(Op.H, key, value), (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(1), None)]
        with pytest.raises(jr.LogError):
            log.append(patch)
    with pytest.raises(jr.LogError):
        log.entry(name)
    with pytest.raises(jr.LogError):
        list(log.patches(since=name))
    assert files_in(tmp_path) == before


def test_files_of_a_log_with_foreign_names_are_not_taken_for_its_own(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    log.append([(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(1), None)])
    segment = next((tmp_path / "log" / "segments").iterdir())
    outside = tmp_path / "outside.jellyp"
    outside.write_bytes(encode())
    # A link replaces a segment: it is read, but its content does not match the name's digest.
    segment.unlink()
    segment.symlink_to(outside)
    with pytest.raises(jr.LogError, match="is damaged"):
        jr.PatchLog(tmp_path / "log").replay(Dataset())


def test_an_output_does_not_follow_links_that_others_put_beside_it(tmp_path: Path) -> None:
    """The temporary name of an output can't be guessed, and the file must be new."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    source = tmp_path / "in.jellyp"
    source.write_bytes(encode())
    pids = range(os.getpid(), os.getpid() + 300)
    for pid in pids:
        (tmp_path / f".{pid}-out.rdfp").symlink_to(victim)
        (tmp_path / f"in.jellyp.idx.{pid}.tmp").symlink_to(victim)
    run_well("convert", source, "-o", tmp_path / "out.rdfp")
    run_well("inspect", "--index", source)
    assert victim.read_text() == "mine"
    assert not (tmp_path / "out.rdfp").is_symlink()
    assert not (tmp_path / "in.jellyp.idx").is_symlink()


def test_an_output_has_the_rights_that_a_new_file_has(tmp_path: Path) -> None:
    source = tmp_path / "in.jellyp"
    source.write_bytes(encode())
    old = os.umask(0o027)
    try:
        run_well("convert", source, "-o", tmp_path / "out.rdfp")
        assert stat.S_IMODE((tmp_path / "out.rdfp").stat().st_mode) == 0o640
        # An existing file keeps its mode.
        (tmp_path / "out.rdfp").chmod(0o600)
        run_well("convert", source, "-o", tmp_path / "out.rdfp")
        assert stat.S_IMODE((tmp_path / "out.rdfp").stat().st_mode) == 0o600
    finally:
        os.umask(old)


@pytest.mark.slow
def test_temporary_files_are_for_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    monkeypatch.setattr(tempfile, "tempdir", None)
    with Spool() as spool:
        row = (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(1), None)
        batch = next(jr.read_batches(encode([row] * 500)))
        while not spool._file._rolled:
            spool.extend([batch])
        status = os.fstat(spool._file.fileno())
        assert stat.S_IMODE(status.st_mode) & 0o077 == 0
        assert status.st_size > 0
        # The file has no name, or one that only its owner may open.
        assert not files_in(tmp_path)
