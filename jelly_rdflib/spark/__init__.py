"""Apache Spark: data sources for changes and statements, and pipelines over them.

This needs PySpark 4.2 or later and pyarrow: ``pip install 'jelly-rdflib[spark]'``. `register` adds
the formats ``jelly-patch``, ``rdf-patch`` and ``jelly`` to a session.
"""

from jelly_rdflib.spark.files import decode_files
from jelly_rdflib.spark.frames import decode_frames, encode_frames
from jelly_rdflib.spark.indexes import index_files
from jelly_rdflib.spark.kafka import check_topic, read_frames, write_frames
from jelly_rdflib.spark.session import register

__all__ = [
    "check_topic",
    "decode_files",
    "decode_frames",
    "encode_frames",
    "index_files",
    "read_frames",
    "register",
    "write_frames",
]
