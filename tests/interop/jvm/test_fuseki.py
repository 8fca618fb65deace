"""Tests changes to a SPARQL endpoint, Apache Jena Fuseki, with rdflib's SPARQLUpdateStore."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graph.stores.at_hand import StoreAtHand
from tests.graph.stores.test_aborted import check_apply, check_record, spelling
from tests.graph.stores.test_matrix import check_page

ONE_ENDPOINT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@ONE_ENDPOINT
@given(data=st.data())
def test_what_is_aborted_never_was(fuseki: StoreAtHand, data: st.DataObject) -> None:
    with spelling(data):
        check_apply(fuseki, data)


@ONE_ENDPOINT
@given(data=st.data())
def test_what_is_left_by_an_exception_never_was(fuseki: StoreAtHand, data: st.DataObject) -> None:
    with spelling(data):
        check_record(fuseki, data)


def test_page(fuseki: StoreAtHand) -> None:
    check_page(fuseki)
