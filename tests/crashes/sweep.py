"""Calls all members of the compiled classes on objects that were not initialized.

``python -m tests.crashes.sweep SEED [CLASS…]`` makes objects of each class with ``__new__`` alone,
in a process per class. It calls all their methods and properties without arguments, with None and
with odd arguments, in an order that depends on the seed. It prints the classes whose process was
killed by a signal, and the last call. Exceptions do not matter.
"""

import contextlib
import copy
import faulthandler
import gc
import importlib
import importlib.util
import inspect
import io
import itertools
import os
import pickle
import pkgutil
import random
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ExtensionFileLoader
from typing import Any

from rdflib import Graph, URIRef

import jelly_rdflib as jr
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory

_HEAP_TYPE = 1 << 9
_SECONDS = 20
_MEMORY = 6 << 30
_ROUNDS = 6


def find_modules() -> list[str]:
    """Return the names of the compiled modules."""
    return [
        found.name
        for found in pkgutil.walk_packages(jr.__path__, "jelly_rdflib.")
        if not found.ispkg
        and ".spark" not in found.name
        and (spec := importlib.util.find_spec(found.name)) is not None
        and isinstance(spec.loader, ExtensionFileLoader)
    ]


def find_classes() -> dict[str, type]:
    """Return the classes of all compiled modules, including classes that no module exports."""
    for name in find_modules():
        importlib.import_module(name)
    found = {}
    for cls in _subclasses(object):
        module = str(cls.__module__)
        if module.startswith("jelly_rdflib.") and not cls.__flags__ & _HEAP_TYPE:
            found[f"{module}.{cls.__qualname__}"] = cls
    return dict(sorted(found.items()))


def _subclasses(cls: type) -> Iterator[type]:
    for subclass in type.__subclasses__(cls):
        yield subclass
        yield from _subclasses(subclass)


def odd_arguments() -> list[Any]:
    """Return arguments that only some methods expect, or none."""
    batch = next(iter(jr.read_batches(some_patch())))
    return [
        None, 0, 1, -1, 1 << 31, (1 << 64) - 1, 1 << 64, 0.5, True, "", "x", "\udc80", b"", b"\0",
        b"A <urn:s> <urn:p> <urn:o> .\n", (), (None, None, None, None), (jr.Op.A,),
        (jr.Op.A, None, None, None, None), [], [None], [()], [(True, ())], [b""], {},
        {"op": None}, set(), object(),
        io.BytesIO(b"x"), memoryview(b"xyz"), URIRef("urn:x"), Graph(), Graph().store, print,
        lambda *_: None, lambda *_: b"x", jr.Limits(), jr.PatchOptions(), jr.StreamOptions(),
        NODE_TYPES, make_node_factory(False), batch, batch.terms, type(batch).__new__(type(batch)),
        type(batch.terms).__new__(type(batch.terms)), jr.DecodeError("x"), iter([b"", None]),
    ]  # fmt: skip


def some_patch() -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file) as writer:
        writer.add_prefix("x", URIRef("urn:x"))
        writer.add(URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o"), URIRef("urn:g"))
    return file.getvalue()


class Sweep:
    """Calls the members of a class at random.

    Args:
        cls: The class.
        seed: The seed of random choices.
    """

    def __init__(self, cls: type, seed: int) -> None:
        self._cls = cls
        self._random = random.Random(f"{cls.__qualname__} {seed}")
        self._odd = odd_arguments()
        self._names = [
            name for name in dir(cls) if getattr(object, name, None) is not getattr(cls, name)
        ]

    def run(self) -> None:
        """Make objects, and call all their members."""
        for _ in range(_ROUNDS):
            for arguments in self._arguments():
                made = self._try(
                    "__new__", lambda args=arguments: self._cls.__new__(self._cls, *args)
                )
                if isinstance(made, self._cls):
                    self._use(made)
                made = self._try("()", lambda args=arguments: self._cls(*args))
                if isinstance(made, self._cls):
                    self._use(made)
        gc.collect()

    def _arguments(self) -> Iterator[list[Any]]:
        """Return lists of arguments: empty, only None, and odd ones."""
        yield []
        for count in range(1, 6):
            yield [None] * count
            yield self._random.choices(self._odd, k=count)

    def _use(self, made: Any) -> None:
        names = self._random.sample(self._names, len(self._names))
        for name in names:
            found = self._try(name, lambda name=name: getattr(made, name))
            if callable(found):
                for arguments in itertools.chain(self._arguments(), [self._fitting(found)]):
                    self._try(name, lambda call=found, args=arguments: call(*args))
                self._call_by_name(name, found)
        for use in (
            repr,
            hash,
            len,
            iter,
            next,
            list,
            memoryview,
            copy.copy,
            pickle.dumps,
            gc.is_tracked,
        ):
            self._try(use.__name__, lambda use=use: use(made))
        if self._random.random() < 0.5:
            # Put the object into a cycle, so that the garbage collector clears it.
            cycle = [made]
            cycle.append(cycle)

    def _fitting(self, found: Callable[..., Any]) -> list[Any]:
        with contextlib.suppress(TypeError, ValueError):
            count = len(inspect.signature(found).parameters)
            return self._random.choices(self._odd, k=count)
        return []

    def _call_by_name(self, name: str, found: Callable[..., Any]) -> None:
        with contextlib.suppress(TypeError, ValueError):
            parameters = inspect.signature(found).parameters.values()
            given = {
                each.name: self._random.choice(self._odd)
                for each in parameters
                if each.kind is each.KEYWORD_ONLY
            }
            if given:
                plain = len(parameters) - len(given)
                self._try(name, lambda: found(*self._random.choices(self._odd, k=plain), **given))

    def _try(self, name: str, call: Callable[[], Any]) -> Any:
        os.pwrite(3, name.ljust(60).encode()[:60], 0)
        try:
            return call()
        except BaseException:
            return None


def main() -> None:
    """Sweep classes, each in its own process."""
    seed = int(sys.argv[1])
    classes = find_classes()
    wanted = sys.argv[2:] or list(classes)
    failed = False
    note = os.memfd_create("note")
    os.dup2(note, 3)
    for name in wanted:
        child = os.fork()
        if child == 0:
            faulthandler.disable()
            signal.alarm(_SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            devnull = os.open(os.devnull, os.O_RDWR)
            os.dup2(devnull, 0)
            os.dup2(devnull, 1)
            try:
                Sweep(classes[name], seed).run()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            failed = True
            last = os.pread(3, 60, 0).decode().strip()
            print(f"{name}: {signal.Signals(os.WTERMSIG(status)).name} in {last}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
