from rdflib.store import Store

from jelly_rdflib.graph.stores.native import View

def can_view_oxigraph(store: Store) -> bool: ...

class OxigraphView(View): ...
