package interop;

import eu.neverblink.jelly.core.patch.PatchHandler.AnyPatchHandler;
import java.util.function.Function;
import org.eclipse.rdf4j.model.IRI;
import org.eclipse.rdf4j.model.Resource;
import org.eclipse.rdf4j.model.Value;

/** Passes on a patch with RDF4J's terms in place of Jena's, or the other way round. */
record Mapped<A, B>(AnyPatchHandler<B> sink, Function<A, B> term, Function<A, B> graphName) implements AnyPatchHandler<A> {
    @Override
    public void addTriple(A s, A p, A o) {
        sink.addTriple(subject(s), predicate(p), term.apply(o));
    }

    @Override
    public void deleteTriple(A s, A p, A o) {
        sink.deleteTriple(subject(s), predicate(p), term.apply(o));
    }

    @Override
    public void addQuad(A s, A p, A o, A g) {
        sink.addQuad(subject(s), predicate(p), term.apply(o), graph(g));
    }

    @Override
    public void deleteQuad(A s, A p, A o, A g) {
        sink.deleteQuad(subject(s), predicate(p), term.apply(o), graph(g));
    }

    private B subject(A value) {
        return checked(value, term.apply(value), Resource.class);
    }

    private B predicate(A value) {
        return checked(value, term.apply(value), IRI.class);
    }

    private B graph(A value) {
        return checked(value, graphName.apply(value), Resource.class);
    }

    private static <B> B checked(Object from, B to, Class<?> kind) {
        for (final var value : new Object[] { from, to }) {
            if (value instanceof Value && !kind.isInstance(value)) {
                throw new UnsupportedOperationException("RDF4J has no generalized statements");
            }
        }
        return to;
    }

    @Override
    public void addNamespace(String name, A iri, A g) {
        sink.addNamespace(name, term.apply(iri), graph(g));
    }

    @Override
    public void deleteNamespace(String name, A iri, A g) {
        sink.deleteNamespace(name, term.apply(iri), graph(g));
    }

    @Override
    public void header(String key, A value) {
        sink.header(key, term.apply(value));
    }

    @Override
    public void transactionStart() {
        sink.transactionStart();
    }

    @Override
    public void transactionCommit() {
        sink.transactionCommit();
    }

    @Override
    public void transactionAbort() {
        sink.transactionAbort();
    }

    @Override
    public void punctuation() {
        sink.punctuation();
    }
}
