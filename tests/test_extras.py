"""Tests the errors if a package of an extra is missing, too old or broken."""

from pathlib import Path
from types import ModuleType

import pytest

from jelly_rdflib.extras import advice, check_version


def _package(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "some_package.py").write_text(text)
    monkeypatch.syspath_prepend(folder)


def test_a_module_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _package(tmp_path, "import what_it_needs_itself", monkeypatch)
    with pytest.raises(ModuleNotFoundError) as caught, advice("this", "jelly-rdflib[cli]"):
        import some_package  # type: ignore[import-not-found]  # noqa: F401
    told = "this needs what_it_needs_itself: pip install 'jelly-rdflib[cli]'"
    assert (str(caught.value), caught.value.name) == (told, "what_it_needs_itself")


def test_the_package_of_the_module_google_is_protobuf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _package(tmp_path, "raise ModuleNotFoundError(name='google.protobuf')", monkeypatch)
    match = "^this needs protobuf: pip"
    with pytest.raises(ModuleNotFoundError, match=match), advice("this", "jelly-rdflib[protobuf]"):
        import some_package  # noqa: F401


@pytest.mark.parametrize(
    "text", ["raise ImportError('a library is broken')", "import jelly_rdflib.no_such_module"]
)
def test_what_is_broken_tells_its_own_error(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _package(tmp_path, text, monkeypatch)
    with pytest.raises(ImportError) as caught, advice("this", "jelly-rdflib[cli]"):
        import some_package  # noqa: F401
    assert "pip install" not in str(caught.value)


def test_a_version_that_is_too_old_is_named() -> None:
    check_version("this", "jelly-rdflib[cli]", pytest, (8, 0))
    with pytest.raises(ImportError, match=r"this needs pytest 99\.1 or later, not \d.*\[cli\]'"):
        check_version("this", "jelly-rdflib[cli]", pytest, (99, 1))
    module = ModuleType("parser")
    for version in ("0.5.10", "0.6.0", "1.0"):
        module.__version__ = version  # type: ignore[attr-defined]
        check_version("this", "jelly-rdflib[cli]", module, (0, 5, 5))
    module.__version__ = "0.5.4"  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match=r"this needs parser 0\.5\.5 or later, not 0\.5\.4: pip"):
        check_version("this", "jelly-rdflib[cli]", module, (0, 5, 5))
