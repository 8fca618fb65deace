"""The numbers of the options' fields, by the names that they have in `jelly_rdflib.options`."""

COMMON_FIELDS = {
    "generalized_statements": 3, "rdf_star": 4, "max_name_table_size": 9,
    "max_prefix_table_size": 10, "max_datatype_table_size": 11, "version": 15,
}
PATCH_OPTION_FIELDS = {"statement_type": 1, "stream_type": 2, **COMMON_FIELDS}
# Without the name of the stream, which is no number.
STREAM_OPTION_FIELDS = {"physical_type": 2, "logical_type": 14, **COMMON_FIELDS}
