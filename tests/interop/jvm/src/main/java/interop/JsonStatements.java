package interop;

import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.jena.graph.Triple;
import org.apache.jena.riot.system.StreamRDF;
import org.apache.jena.riot.system.StreamRDFBase;
import org.apache.jena.sparql.core.Quad;

/** Statements as JSON, one per line: ["T", s, p, o], ["Q", s, p, o, g] and, for a namespace, ["N", prefix, iri]. */
final class JsonStatements extends StreamRDFBase {

    private static final String[] NONE = {};

    private final JsonLines lines;

    JsonStatements(OutputStream output) {
        lines = new JsonLines(output);
    }

    static void read(InputStream input, StreamRDF sink) throws IOException {
        JsonLines.read(input, (name, json) -> readStatement(name, json, sink));
    }

    private static void readStatement(String name, JsonReader json, StreamRDF sink) throws IOException {
        if (name.equals("N")) {
            sink.prefix(json.nextString(), json.nextString());
            return;
        }
        final var triple = Triple.create(JsonTerms.read(json), JsonTerms.read(json), JsonTerms.read(json));
        if (name.equals("T")) {
            sink.triple(triple);
        } else {
            sink.quad(new Quad(JsonTerms.read(json), triple));
        }
    }

    @Override
    public void triple(Triple triple) {
        lines.write("T", NONE, triple.getSubject(), triple.getPredicate(), triple.getObject());
    }

    @Override
    public void quad(Quad quad) {
        lines.write("Q", NONE, quad.getSubject(), quad.getPredicate(), quad.getObject(), quad.getGraph());
    }

    @Override
    public void prefix(String prefix, String iri) {
        lines.write("N", new String[] { prefix, iri });
    }

    @Override
    public void finish() {
        lines.flush();
    }
}
