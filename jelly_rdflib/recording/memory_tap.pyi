from rdflib.store import Store

from jelly_rdflib.recording.tap import Tap

def can_use(store: Store) -> bool: ...

class MemoryTap(Tap): ...
