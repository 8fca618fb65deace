"""Write the suite's cases: ``python -m conformance.generate [FOLDER]``.

The same sources give the same files, byte for byte.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from conformance import document
from conformance.cases import Case, all_cases
from conformance.manifest import CASES, KINDS, write_manifest

__all__ = ["files", "main"]


def files(cases: list[Case]) -> dict[str, bytes]:
    """Return the contents of the cases' files by path in the suite."""
    out: dict[str, bytes] = {}
    texts = set()
    for case in cases:
        folder = f"{'to_jelly' if case.data is None else 'from_jelly'}/{case.name}"
        if case.data is None:
            assert case.document is not None
            out[f"{folder}/in.json"] = document.dump(case.document).encode()
            continue
        out[f"{folder}/in.jellyp"] = case.data
        if case.document is not None:
            out[f"{folder}/out.json"] = document.dump(case.document).encode()
            text = document.text(case.document)
            if text is not None and case.refusal is None:
                texts.add(case.name)
                out[f"{folder}/out.rdfp"] = text.encode()
    groups = {
        "from_jelly": [case for case in cases if case.data is not None],
        "to_jelly": [case for case in cases if case.data is None],
        "round_trip": [case for case in cases if _goes_round(case)],
    }
    for kind in KINDS:
        manifest = write_manifest(kind, groups[kind], texts if kind == "from_jelly" else ())
        out[f"{kind}/manifest.ttl"] = manifest.encode()
    return out


def _goes_round(case: Case) -> bool:
    """Return whether a case is also a round-trip case: the compact case of each shape is one."""
    return case.data is not None and case.name.startswith("shapes/") and "compact" in case.name


def main(folder: Path = CASES, cases: list[Case] | None = None) -> None:
    """Write the files of the cases (by default, of all), and remove files of earlier versions."""
    for kind in KINDS:
        shutil.rmtree(folder / kind, ignore_errors=True)
    for name, content in files(all_cases() if cases is None else cases).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CASES)
