package interop;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import org.apache.jena.datatypes.TypeMapper;
import org.apache.jena.datatypes.xsd.XSDDatatype;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.NodeFactory;
import org.apache.jena.graph.Triple;
import org.apache.jena.sparql.core.Quad;

/**
 * Terms as JSON: ["iri", i], ["bnode", label], ["literal", lex, language, datatype], ["triple", s, p, o] and
 * ["default"]; null means no term.
 *
 * <p>This form is neither Jelly's nor Jena's own, so tests can check terms independently of the formats.
 */
final class JsonTerms {

    private JsonTerms() {}

    static Node read(JsonReader json) throws IOException {
        if (json.peek() == JsonToken.NULL) {
            json.nextNull();
            return null;
        }
        json.beginArray();
        final var kind = json.nextString();
        final Node node = switch (kind) {
            case "iri" -> NodeFactory.createURI(json.nextString());
            case "bnode" -> NodeFactory.createBlankNode(json.nextString());
            case "literal" -> readLiteral(json);
            case "triple" -> NodeFactory.createTripleTerm(Triple.create(read(json), read(json), read(json)));
            case "default" -> Quad.defaultGraphNodeGenerated;
            default -> throw new IOException("no kind of term: " + kind);
        };
        json.endArray();
        return node;
    }

    private static Node readLiteral(JsonReader json) throws IOException {
        final var lex = json.nextString();
        final var language = readString(json);
        final var datatype = readString(json);
        if (language != null) {
            return NodeFactory.createLiteralLang(lex, language);
        }
        if (datatype != null) {
            return NodeFactory.createLiteralDT(lex, TypeMapper.getInstance().getSafeTypeByName(datatype));
        }
        return NodeFactory.createLiteralString(lex);
    }

    static String readString(JsonReader json) throws IOException {
        if (json.peek() == JsonToken.NULL) {
            json.nextNull();
            return null;
        }
        return json.nextString();
    }

    static void write(JsonWriter json, Node node) throws IOException {
        if (node == null) {
            json.nullValue();
            return;
        }
        json.beginArray();
        if (Quad.isDefaultGraph(node)) {
            json.value("default");
        } else if (node.isURI()) {
            json.value("iri").value(node.getURI());
        } else if (node.isBlank()) {
            json.value("bnode").value(node.getBlankNodeLabel());
        } else if (node.isLiteral()) {
            json.value("literal").value(node.getLiteralLexicalForm());
            final var language = node.getLiteralLanguage();
            if (!language.isEmpty()) {
                json.value(language).nullValue();
            } else if (node.getLiteralDatatype() == XSDDatatype.XSDstring) {
                json.nullValue().nullValue();
            } else {
                json.nullValue().value(node.getLiteralDatatypeURI());
            }
        } else if (node.isTripleTerm()) {
            json.value("triple");
            write(json, node.getTriple().getSubject());
            write(json, node.getTriple().getPredicate());
            write(json, node.getTriple().getObject());
        } else {
            throw new IOException("no RDF term: " + node);
        }
        json.endArray();
    }
}
