package interop;

import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.jena.graph.Node;
import org.apache.jena.rdfpatch.RDFChanges;

/**
 * Changes as JSON, one per line: ["H", key, value], ["TX"], ["TC"], ["TA"], ["PA", prefix, iri, graph],
 * ["PD", prefix, graph], ["A", s, p, o, g], ["D", s, p, o, g] and, for the end of a patch, ["END"].
 *
 * <p>"PD" has no IRI, since Jena does not store it.
 */
final class JsonChanges implements RDFChanges {

    private static final String[] NONE = {};

    private final JsonLines lines;

    JsonChanges(OutputStream output) {
        lines = new JsonLines(output);
    }

    static void read(InputStream input, RDFChanges sink) throws IOException {
        JsonLines.read(input, (name, json) -> readChange(name, json, sink));
    }

    private static void readChange(String name, JsonReader json, RDFChanges sink) throws IOException {
        switch (name) {
            case "H" -> sink.header(json.nextString(), JsonTerms.read(json));
            case "TX" -> sink.txnBegin();
            case "TC" -> sink.txnCommit();
            case "TA" -> sink.txnAbort();
            case "PA" -> {
                final var prefix = json.nextString();
                final var iri = json.nextString();
                sink.addPrefix(JsonTerms.read(json), prefix, iri);
            }
            case "PD" -> {
                final var prefix = json.nextString();
                sink.deletePrefix(JsonTerms.read(json), prefix);
            }
            case "A", "D" -> {
                final var s = JsonTerms.read(json);
                final var p = JsonTerms.read(json);
                final var o = JsonTerms.read(json);
                final var g = JsonTerms.read(json);
                if (name.equals("A")) {
                    sink.add(g, s, p, o);
                } else {
                    sink.delete(g, s, p, o);
                }
            }
            case "END" -> sink.segment();
            default -> throw new IOException("no change: " + name);
        }
    }

    @Override
    public void header(String key, Node value) {
        lines.write("H", new String[] { key }, value);
    }

    @Override
    public void add(Node g, Node s, Node p, Node o) {
        lines.write("A", NONE, s, p, o, g);
    }

    @Override
    public void delete(Node g, Node s, Node p, Node o) {
        lines.write("D", NONE, s, p, o, g);
    }

    @Override
    public void addPrefix(Node graph, String prefix, String iri) {
        lines.write("PA", new String[] { prefix, iri }, graph);
    }

    @Override
    public void deletePrefix(Node graph, String prefix) {
        lines.write("PD", new String[] { prefix }, graph);
    }

    @Override
    public void txnBegin() {
        lines.write("TX", NONE);
    }

    @Override
    public void txnCommit() {
        lines.write("TC", NONE);
    }

    @Override
    public void txnAbort() {
        lines.write("TA", NONE);
    }

    @Override
    public void segment() {
        lines.write("END", NONE);
    }

    @Override
    public void start() {}

    @Override
    public void finish() {
        lines.flush();
    }
}
