package interop;

import com.google.protobuf.CodedOutputStream;
import eu.neverblink.jelly.convert.jena.patch.JellyPatchOps;
import eu.neverblink.jelly.convert.jena.patch.JenaPatchConverterFactory;
import eu.neverblink.jelly.convert.jena.patch.RdfPatchWriterJelly;
import eu.neverblink.jelly.convert.rdf4j.patch.Rdf4jPatchConverterFactory;
import eu.neverblink.jelly.core.memory.EncoderAllocator;
import eu.neverblink.jelly.core.patch.PatchEncoder;
import eu.neverblink.jelly.core.patch.PatchHandler.AnyPatchHandler;
import eu.neverblink.jelly.core.proto.v1.patch.PatchStatementType;
import eu.neverblink.jelly.core.proto.v1.patch.PatchStreamType;
import eu.neverblink.jelly.core.proto.v1.patch.RdfPatchFrame;
import eu.neverblink.jelly.core.proto.v1.patch.RdfPatchRow;
import eu.neverblink.protoc.java.runtime.ArrayListMessageCollection;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.jena.graph.Node;
import org.apache.jena.rdfpatch.RDFChanges;
import org.apache.jena.rdfpatch.changes.RDFChangesWrapper;

/** Writes Jelly-Patch with Jelly-JVM's writer for Jena or with its encoder for RDF4J. */
final class PatchWriter extends RDFChangesWrapper {

    PatchWriter(PatchOptions options, int rows, boolean delimited, OutputStream file) {
        super(Rdf4j.IS_USED ? rdf4j(options, file) : jena(options, rows, delimited, file));
    }

    private static RDFChanges jena(PatchOptions options, int rows, boolean delimited, OutputStream file) {
        final var given = new RdfPatchWriterJelly.Options(options.message(), rows, delimited);
        return new RdfPatchWriterJelly(given, JenaPatchConverterFactory.getInstance(), file);
    }

    /** Put the encoder's rows into frames, one for each patch, since Jelly-JVM has no writer for RDF4J. */
    private static RDFChanges rdf4j(PatchOptions options, OutputStream file) {
        final var rows = new ArrayListMessageCollection<RdfPatchRow, RdfPatchRow.Mutable>(RdfPatchRow::newInstance);
        final var allocator = EncoderAllocator.newHeapAllocator();
        final var encoder = Rdf4jPatchConverterFactory.getInstance().encoder(
            PatchEncoder.Params.of(options.message(), rows, allocator)
        );
        final AnyPatchHandler<Node> handler = new Mapped<>(encoder, Rdf4j::value, Rdf4j::value);
        final boolean isQuads = options.message().getStatementType() == PatchStatementType.QUADS;
        return new RDFChangesWrapper(
            isQuads ? JellyPatchOps.fromJenaToJellyQuads(handler) : JellyPatchOps.fromJenaToJellyTriples(handler)
        ) {
            private final CodedOutputStream output = CodedOutputStream.newInstance(file);

            @Override
            public void segment() {
                if (options.message().getStreamType() == PatchStreamType.PUNCTUATED) {
                    super.segment();
                }
                writeFrame();
            }

            @Override
            public void finish() {
                if (!rows.isEmpty()) {
                    writeFrame();
                }
                try {
                    output.flush();
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            }

            private void writeFrame() {
                try {
                    RdfPatchFrame.newInstance().setRows(rows).writeDelimitedTo(output);
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
                rows.clear();
            }
        };
    }
}
