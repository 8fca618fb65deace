"""Makes nodes (rdflib's terms) of the terms of a batch."""

from typing import final

from jelly_rdflib.core.node_types import NodeTypes

@final
class NodeFactory:
    def __init__(
        self,
        types: NodeTypes,
        *,
        normalize: bool | None = None,
        max_xml_tags: int = ...,
        max_terms: int = ...,
    ) -> None: ...
