package interop;

import eu.neverblink.jelly.convert.jena.JenaConverterFactory;
import eu.neverblink.jelly.core.ProtoEncoder;
import eu.neverblink.jelly.core.memory.ReusableRowBuffer;
import eu.neverblink.jelly.core.memory.RowBuffer;
import eu.neverblink.jelly.core.proto.v1.RdfStreamFrame;
import eu.neverblink.jelly.core.proto.v1.RdfStreamOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.NodeFactory;
import org.apache.jena.graph.Triple;
import org.apache.jena.riot.system.StreamRDFBase;
import org.apache.jena.sparql.core.Quad;

/**
 * Writes a GRAPHS stream with Jelly-JVM's encoder, split into frames as its writer for the other types does.
 *
 * <p>Jelly-JVM's own writer for this type writes a whole dataset, in the order in which it is stored.
 */
final class GraphsWriter extends StreamRDFBase {

    private final int rows;
    private final boolean delimited;
    private final OutputStream output;
    private final ReusableRowBuffer buffer;
    private final ProtoEncoder<Node> encoder;
    private Node graph;

    GraphsWriter(RdfStreamOptions options, boolean namespaces, int rows, boolean delimited, OutputStream output) {
        this.rows = rows;
        this.delimited = delimited;
        this.output = output;
        buffer = RowBuffer.newReusableForEncoder(rows + 8);
        encoder = JenaConverterFactory.getInstance().encoder(ProtoEncoder.Params.of(options, namespaces, buffer));
    }

    @Override
    public void quad(Quad quad) {
        final var name = quad.isDefaultGraph() ? Quad.defaultGraphNodeGenerated : quad.getGraph();
        if (!name.equals(graph)) {
            endGraph();
            encoder.handleGraphStart(name);
            graph = name;
            afterRow();
        }
        encoder.handleTriple(quad.getSubject(), quad.getPredicate(), quad.getObject());
        afterRow();
    }

    @Override
    public void triple(Triple triple) {
        quad(new Quad(Quad.defaultGraphNodeGenerated, triple));
    }

    @Override
    public void prefix(String prefix, String iri) {
        encoder.handleNamespace(prefix, NodeFactory.createURI(iri));
        afterRow();
    }

    @Override
    public void finish() {
        endGraph();
        if (!buffer.isEmpty() || !delimited) {
            writeFrame();
        }
    }

    private void endGraph() {
        if (graph != null) {
            encoder.handleGraphEnd();
            graph = null;
            afterRow();
        }
    }

    private void afterRow() {
        if (delimited && buffer.size() >= rows) {
            writeFrame();
        }
    }

    private void writeFrame() {
        final var frame = RdfStreamFrame.newInstance().setRows(buffer);
        try {
            if (delimited) {
                frame.writeDelimitedTo(output);
            } else {
                frame.writeTo(output);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        buffer.clear();
    }
}
