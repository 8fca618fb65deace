package interop;

import com.google.protobuf.CodedOutputStream;
import eu.neverblink.jelly.convert.jena.JenaConverterFactory;
import eu.neverblink.jelly.core.internal.EncoderBase;
import eu.neverblink.jelly.core.internal.proto.GraphBase;
import eu.neverblink.jelly.core.memory.EncoderAllocator;
import eu.neverblink.jelly.core.proto.v1.RdfDatatypeEntry;
import eu.neverblink.jelly.core.proto.v1.RdfIri;
import eu.neverblink.jelly.core.proto.v1.RdfNameEntry;
import eu.neverblink.jelly.core.proto.v1.RdfPrefixEntry;
import eu.neverblink.jelly.core.proto.v1.RdfQuad;
import eu.neverblink.jelly.core.proto.v1.RdfTriple;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.NodeFactory;
import org.apache.jena.rdfpatch.RDFChanges;

/**
 * Writes Jelly-Patch. Jelly-JVM's code handles terms, lookups, repeated terms and quads; this class makes rows and
 * frames.
 *
 * <p>Frames end where Jelly-JVM's patch writer ends them: after the row with which the frame reaches the given
 * number of rows, but in a FRAME stream only at the end of each patch.
 */
public final class PatchWriter extends EncoderBase<Node> implements RDFChanges {

    private final PatchOptions options;
    private final int rows;
    private final boolean delimited;
    private final CodedOutputStream output;
    private final OutputStream file;
    private final List<PatchRow> frame = new ArrayList<>();
    private final EncoderAllocator allocator;
    private boolean hasOptions;

    PatchWriter(PatchOptions options, int rows, boolean delimited, OutputStream file) {
        super(JenaConverterFactory.getInstance().encoderConverter());
        this.options = options;
        this.rows = rows;
        this.delimited = delimited;
        this.file = file;
        output = CodedOutputStream.newInstance(file, 1 << 16);
        allocator = EncoderAllocator.newArenaAllocator(Math.min(rows, 1024) + 8);
    }

    @Override
    public void add(Node g, Node s, Node p, Node o) {
        statement(PatchRow.STATEMENT_ADD, g, s, p, o);
    }

    @Override
    public void delete(Node g, Node s, Node p, Node o) {
        statement(PatchRow.STATEMENT_DELETE, g, s, p, o);
    }

    private void statement(int field, Node g, Node s, Node p, Node o) {
        startStream();
        final boolean isQuad = options.statementType() == PatchOptions.QUADS;
        row(new PatchRow.Message(field, isQuad ? quadToProto(s, p, o, g) : tripleInQuadToProto(s, p, o)));
    }

    @Override
    public void addPrefix(Node graph, String prefix, String iri) {
        namespace(PatchRow.NAMESPACE_ADD, prefix, NodeFactory.createURI(iri), graph);
    }

    @Override
    public void deletePrefix(Node graph, String prefix) {
        namespace(PatchRow.NAMESPACE_DELETE, prefix, null, graph);
    }

    /** As in Jelly-JVM, a null graph means no graph at all, not the default graph. */
    private void namespace(int field, String prefix, Node iri, Node graph) {
        startStream();
        final var value = iri == null ? null : (RdfIri) converter.nodeToProto(getNodeEncoder(), iri);
        final var name = new GraphTerm();
        if (graph != null) {
            graphNodeToProtoWrapped(name, graph);
        }
        row(new PatchRow.Namespace(field, prefix, value, name.getGraph()));
    }

    @Override
    public void header(String key, Node value) {
        startStream();
        row(new PatchRow.Header(key, converter.nodeToProto(getNodeEncoder(), value)));
    }

    @Override
    public void txnBegin() {
        startStream();
        row(new PatchRow.Empty(PatchRow.TRANSACTION_START));
    }

    @Override
    public void txnCommit() {
        startStream();
        row(new PatchRow.Empty(PatchRow.TRANSACTION_COMMIT));
    }

    @Override
    public void txnAbort() {
        startStream();
        row(new PatchRow.Empty(PatchRow.TRANSACTION_ABORT));
    }

    @Override
    public void segment() {
        if (options.streamType() == PatchOptions.PUNCTUATED) {
            startStream();
            row(new PatchRow.Empty(PatchRow.PUNCTUATION));
        } else if (delimited) {
            writeFrame();
        }
    }

    @Override
    public void start() {}

    @Override
    public void finish() {
        if (!delimited || !frame.isEmpty()) {
            writeFrame();
        }
        try {
            output.flush();
            file.flush();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void startStream() {
        if (!hasOptions) {
            hasOptions = true;
            frame.add(options);
        }
    }

    private void row(PatchRow row) {
        frame.add(row);
        if (delimited && options.streamType() != PatchOptions.FRAME && frame.size() >= rows) {
            writeFrame();
        }
    }

    private void writeFrame() {
        try {
            if (delimited) {
                int length = 0;
                for (final var row : frame) {
                    final int size = rowSize(row);
                    length += 1 + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
                }
                output.writeUInt32NoTag(length);
            }
            for (final var row : frame) {
                output.writeTag(1, 2);
                output.writeUInt32NoTag(rowSize(row));
                output.writeTag(row.field(), 2);
                output.writeUInt32NoTag(row.size());
                row.writeTo(output);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        frame.clear();
        allocator.releaseAll();
    }

    private static int rowSize(PatchRow row) {
        final int size = row.size();
        return 1 + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
    }

    /** Stores the term that Jelly-JVM makes for a graph's name; null if the last one is repeated. */
    private static final class GraphTerm implements GraphBase.Setters {

        private Object graph;

        @Override
        public Object getGraph() {
            return graph;
        }

        @Override
        public GraphBase setGraph(Object graph) {
            this.graph = graph;
            return this;
        }
    }

    @Override
    public void appendNameEntry(RdfNameEntry entry) {
        frame.add(new PatchRow.Message(PatchRow.NAME, entry));
    }

    @Override
    public void appendPrefixEntry(RdfPrefixEntry entry) {
        frame.add(new PatchRow.Message(PatchRow.PREFIX, entry));
    }

    @Override
    public void appendDatatypeEntry(RdfDatatypeEntry entry) {
        frame.add(new PatchRow.Message(PatchRow.DATATYPE, entry));
    }

    @Override
    protected RdfTriple.Mutable newTriple() {
        return allocator.newTriple();
    }

    @Override
    protected RdfQuad.Mutable newQuad() {
        return allocator.newQuad();
    }

    @Override
    protected int getNameTableSize() {
        return options.getMaxNameTableSize();
    }

    @Override
    protected int getPrefixTableSize() {
        return options.getMaxPrefixTableSize();
    }

    @Override
    protected int getDatatypeTableSize() {
        return options.getMaxDatatypeTableSize();
    }
}
