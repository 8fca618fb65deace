from rdflib.store import Store

from jelly_rdflib.stores.view import View

def can_use(store: Store) -> bool: ...

class OxigraphView(View): ...
