"""Decodes the frames of a Jelly-RDF stream to batches."""

from typing import final

from jelly_rdflib.core.frame_decoder import FrameDecoder
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits, RepeatedOptions, StreamOptions

@final
class StatementFrameDecoder(FrameDecoder):
    def __init__(
        self,
        factory: NodeFactory,
        limits: Limits,
        *,
        strict: bool = True,
        is_quiet: bool = False,
        faults: list[DecodeError] | None = None,
        on_repeated_options: RepeatedOptions = "continue",
    ) -> None: ...
    @property
    def options(self) -> StreamOptions | None: ...
