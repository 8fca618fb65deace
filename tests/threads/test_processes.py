"""Tests forked and spawned processes, and several interpreters in one process."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.sanitized import UNDER_SANITIZERS
from tests.support import encode, run

HAS_FORKS = pytest.mark.skipif(
    sys.platform == "win32" or UNDER_SANITIZERS,
    reason="no fork; or AddressSanitizer's allocator, which waits in the child for a lock that"
    " another thread had",
)

OPERATIONS: list[Any] = [
    (Op.TX,),
    *(
        (Op.A, URIRef(f"urn:s{n}"), URIRef("urn:p"), Literal(str(n)), URIRef(f"urn:g{n % 3}"))
        for n in range(200)
    ),
    (Op.TC,),
    (Op.END,),
]


def encoded(times: int = 1) -> bytes:
    return encode(OPERATIONS * times, frame_rows=7)


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_fork_in_the_middle_goes_on_in_both() -> None:
    """After a fork, each process continues with its own copy of a reader or writer."""
    out = run(
        """
import io, os
from tests.threads.test_processes import OPERATIONS, encoded
data = encoded()
operations = iter(read_operations(io.BytesIO(data)))
start = [next(operations) for _ in range(90)]
file = io.BytesIO()
writer = PatchWriter(file, PatchOptions(frame_rows=7))
writer.write_all(OPERATIONS[:90])
child = os.fork()
rest = list(operations)
writer.write_all(OPERATIONS[90:])
writer.close()
is_good = start + rest == OPERATIONS and file.getvalue() == data
if child == 0:
    os._exit(0 if is_good else 1)
assert is_good
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("both")
"""
    )
    assert out == "both\n"


@HAS_FORKS
def test_forks_while_other_threads_decode() -> None:
    """A fork while another thread decodes does not affect the child, which decodes correctly."""
    out = run(
        """
import os, threading, warnings
from tests.threads.test_processes import OPERATIONS, encoded
warnings.simplefilter("ignore")
data = encoded(15)
is_over = False
def work():
    while not is_over:
        for batch in read_batches(data):
            pass
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for _ in range(12):
    child = os.fork()
    if child == 0:
        is_good = list(read_operations(data)) == OPERATIONS * 15
        os._exit(0 if is_good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
is_over = True
for thread in threads: thread.join()
print("all")
"""
    )
    assert out == "all\n"


@HAS_FORKS
def test_a_decoder_that_was_busy_at_the_fork_is_refused_in_the_child() -> None:
    """In the child, the decoder refuses calls: its thread disappeared in the middle of a frame."""
    out = run(
        """
import os, threading, time, warnings
from tests.oracle import build as b
warnings.simplefilter("ignore")
# The entry's id is told, so that each time the frame says the same.
row = b.add(b.iri(0, 1), b.iri(0, 1), b.literal("x"))
frame = b.frame(b.options(), b.name("urn:x", 1), *[row] * 50_000)
decoder = PatchDecoder()
operations = list(decoder.decode_frame(frame))
is_over = False
def work():
    while not is_over:
        decoder.decode_frame(frame)
thread = threading.Thread(target=work)
thread.start()
IDLE, BUSY, WRONG = 0, 1, 2
seen = []
# Mostly it is busy; few forks find it between two frames.
while len(seen) < 12 or BUSY not in seen:
    time.sleep(0.002)
    child = os.fork()
    if child == 0:
        try:
            got = decoder.decode_frame(frame)
            os._exit(IDLE if list(got) == operations else WRONG)
        except RuntimeError as error:
            os._exit(BUSY if "is already decoding a frame" in str(error) else WRONG)
        except BaseException:
            os._exit(WRONG)
    seen.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
is_over = True
thread.join()
print(set(seen) <= {IDLE, BUSY})
"""
    )
    assert out == "True\n"


@HAS_FORKS
def test_a_store_that_was_changing_at_the_fork_is_refused_in_the_child() -> None:
    """The child does not wait for the thread that was changing the store, since that is gone."""
    out = run(
        """
import os, threading, warnings
from rdflib import Dataset
warnings.simplefilter("ignore")
text = "".join(f"<urn:s{n}> <urn:p> <urn:o> .\\n" for n in range(20_000))
dataset = Dataset("Jelly")
is_over = False
def work():
    while not is_over:
        dataset.parse(data=text, format="nt")
thread = threading.Thread(target=work)
thread.start()
IDLE, BUSY, WRONG = 0, 1, 2
seen = []
# The store is nearly always changing.
while len(seen) < 8 or BUSY not in seen:
    child = os.fork()
    if child == 0:
        try:
            dataset.parse(data="<urn:s> <urn:p> <urn:o> .", format="nt")
            os._exit(IDLE)
        except ApplyError as error:
            os._exit(BUSY if "are being applied to this store already" in str(error) else WRONG)
        except BaseException:
            os._exit(WRONG)
    seen.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
is_over = True
thread.join()
print(set(seen) <= {IDLE, BUSY})
"""
    )
    assert out == "True\n"


def test_spawned_processes() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        patches = [jr.Patch([(Op.H, "n", Literal(str(n))), *OPERATIONS[:-1]]) for n in range(4)]
        backs = list(pool.map(jr.Patch.invert, [jr.Patch(OPERATIONS[:-1])] * 4))
        assert [len(back) for back in backs] == [len(OPERATIONS) - 1] * 4
        assert list(pool.map(len, patches)) == [len(OPERATIONS)] * 4


SUBINTERPRETER = r"""
import os, sys
reader, writer = os.pipe()
code = f'''
import os
try:
    import jelly_rdflib.core.jelly_decoder
    answer = b"imported"
except ImportError as error:
    answer = b"refused: " + str(error).encode()
os.write({writer}, answer)
'''
from tests.threads.test_processes import OPERATIONS, encoded
assert list(read_operations(encoded())) == OPERATIONS
try:
    from concurrent import interpreters
    interpreters.create().exec(code)
except ImportError:
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    other = interpreters.create()
    interpreters.run_string(other, code)
    interpreters.destroy(other)
print(os.read(reader, 1000).decode())
# And here all goes on.
assert list(read_operations(encoded())) == OPERATIONS
"""


def test_other_interpreters_of_the_process_are_refused() -> None:
    """A second interpreter can't import the package, whose caches belong to the process."""
    out = run(SUBINTERPRETER)
    assert out.startswith("refused: "), out
    assert "interpreter" in out
