package interop;

import org.apache.jena.datatypes.TypeMapper;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.NodeFactory;
import org.apache.jena.graph.Triple;
import org.apache.jena.sparql.core.Quad;
import org.eclipse.rdf4j.model.BNode;
import org.eclipse.rdf4j.model.IRI;
import org.eclipse.rdf4j.model.Literal;
import org.eclipse.rdf4j.model.Resource;
import org.eclipse.rdf4j.model.Value;
import org.eclipse.rdf4j.model.ValueFactory;
import org.eclipse.rdf4j.model.impl.SimpleValueFactory;

/** Converts Jena's terms to RDF4J's, and back. RDF4J's default graph is null. */
final class Rdf4j {

    static final boolean IS_USED = Boolean.getBoolean("rdf4j");

    private static final ValueFactory FACTORY = SimpleValueFactory.getInstance();

    private Rdf4j() {}

    static Value value(Node node) {
        if (node == null || Quad.isDefaultGraph(node)) {
            return null;
        }
        if (node.isURI()) {
            return FACTORY.createIRI(node.getURI());
        }
        if (node.isBlank()) {
            return FACTORY.createBNode(node.getBlankNodeLabel());
        }
        if (node.isTripleTerm()) {
            final var triple = node.getTriple();
            if (value(triple.getSubject()) instanceof Resource s && value(triple.getPredicate()) instanceof IRI p) {
                return FACTORY.createTriple(s, p, value(triple.getObject()));
            }
            throw new UnsupportedOperationException("RDF4J has no generalized statements");
        }
        if (!node.getLiteralLanguage().isEmpty()) {
            return FACTORY.createLiteral(node.getLiteralLexicalForm(), node.getLiteralLanguage());
        }
        return FACTORY.createLiteral(node.getLiteralLexicalForm(), FACTORY.createIRI(node.getLiteralDatatypeURI()));
    }

    static Node node(Value value) {
        if (value instanceof IRI iri) {
            return NodeFactory.createURI(iri.stringValue());
        }
        if (value instanceof BNode blank) {
            return NodeFactory.createBlankNode(blank.getID());
        }
        if (value instanceof Literal literal) {
            final var type = TypeMapper.getInstance().getSafeTypeByName(literal.getDatatype().stringValue());
            return literal.getLanguage().isPresent()
                ? NodeFactory.createLiteralLang(literal.getLabel(), literal.getLanguage().get())
                : NodeFactory.createLiteralDT(literal.getLabel(), type);
        }
        if (value instanceof org.eclipse.rdf4j.model.Triple triple) {
            return NodeFactory.createTripleTerm(
                Triple.create(node(triple.getSubject()), node(triple.getPredicate()), node(triple.getObject()))
            );
        }
        return null;
    }

    static Node graph(Value value, boolean isQuads) {
        return value == null && isQuads ? Quad.defaultGraphNodeGenerated : node(value);
    }
}
