package interop;

import eu.neverblink.jelly.convert.jena.patch.JellyPatchOps;
import eu.neverblink.jelly.convert.jena.patch.JenaPatchConverterFactory;
import eu.neverblink.jelly.convert.jena.patch.RdfPatchReaderJelly;
import eu.neverblink.jelly.convert.rdf4j.patch.Rdf4jPatchConverterFactory;
import eu.neverblink.jelly.core.patch.JellyPatchOptions;
import eu.neverblink.jelly.core.patch.PatchDecoder;
import eu.neverblink.jelly.core.proto.v1.patch.PatchStatementType;
import eu.neverblink.jelly.core.proto.v1.patch.RdfPatchFrame;
import eu.neverblink.jelly.core.utils.IoUtils;
import java.io.IOException;
import java.io.InputStream;
import org.apache.jena.rdfpatch.RDFChanges;

/** Reads Jelly-Patch with Jelly-JVM's reader for Jena or with its decoder for RDF4J. */
final class PatchReader {

    private final RDFChanges sink;
    private PatchDecoder decoder;

    PatchReader(RDFChanges sink) {
        this.sink = sink;
    }

    static PatchOptions readOptions(InputStream file) throws IOException {
        final var found = new PatchOptions[1];
        frames(file, frame -> {
            for (final var row : frame.getRows()) {
                if (found[0] == null && row.getOptions() != null) {
                    found[0] = new PatchOptions(row.getOptions());
                }
            }
        });
        if (found[0] == null) {
            throw new IOException("no options");
        }
        return found[0];
    }

    void read(InputStream file) throws IOException {
        if (!Rdf4j.IS_USED) {
            final var options = new RdfPatchReaderJelly.Options();
            new RdfPatchReaderJelly(options, JenaPatchConverterFactory.getInstance(), file).apply(sink);
            return;
        }
        decoder = Rdf4jPatchConverterFactory.getInstance().anyStatementDecoder(
            new Mapped<>(JellyPatchOps.fromJellyToJena(sink), Rdf4j::node, graph ->
                Rdf4j.graph(graph, decoder.getPatchOptions().getStatementType() == PatchStatementType.QUADS)
            ),
            JellyPatchOptions.DEFAULT_SUPPORTED_OPTIONS
        );
        frames(file, decoder::ingestFrame);
    }

    /** Read the frames as Jelly-JVM's reader for Jena does. */
    private static void frames(InputStream file, java.util.function.Consumer<RdfPatchFrame> sink) throws IOException {
        final var found = IoUtils.autodetectDelimiting(file);
        if (found.isDelimited()) {
            IoUtils.readStream(found.newInput(), RdfPatchFrame.getFactory(), sink);
        } else {
            sink.accept(RdfPatchFrame.parseFrom(found.newInput()));
        }
    }
}
