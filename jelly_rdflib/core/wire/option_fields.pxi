"""Maps the names of options in `jelly_rdflib.options` to their field numbers."""

COMMON_FIELDS = {
    "generalized_statements": 3, "rdf_star": 4, "max_name_table_size": 9,
    "max_prefix_table_size": 10, "max_datatype_table_size": 11, "version": 15,
}
PATCH_OPTION_FIELDS = {"statement_type": 1, "stream_type": 2, **COMMON_FIELDS}
# The stream's name is left out, since it is not a number.
STREAM_OPTION_FIELDS = {"physical_type": 2, "logical_type": 14, **COMMON_FIELDS}
