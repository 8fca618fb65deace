from rdflib.store import Store

from jelly_rdflib.stores.native import View

def can_view_oxigraph(store: Store) -> bool: ...

class OxigraphView(View): ...
