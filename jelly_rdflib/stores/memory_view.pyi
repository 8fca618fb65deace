from rdflib.store import Store

from jelly_rdflib.stores.view import View

def can_view_memory(store: Store) -> bool: ...

class MemoryView(View): ...
