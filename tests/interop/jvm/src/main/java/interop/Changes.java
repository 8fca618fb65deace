package interop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import org.apache.jena.rdfpatch.RDFChanges;
import org.apache.jena.rdfpatch.RDFPatchOps;
import org.apache.jena.rdfpatch.binary.RDFChangesWriterBinary;
import org.apache.jena.rdfpatch.binary.RDFPatchReaderBinary;
import org.apache.jena.rdfpatch.changes.RDFChangesCollector;
import org.apache.jena.rdfpatch.changes.RDFChangesWrapper;
import org.apache.jena.rdfpatch.text.RDFPatchReaderText;
import org.apache.jena.riot.thrift.TRDF;

/** The formats of changes. */
final class Changes {

    static final Set<String> FORMATS = Set.of("changes", "jellyp", "rdfp", "rdfpb");

    private Changes() {}

    static void read(String format, InputStream input, RDFChanges sink) throws IOException {
        // Jena's readers start and finish the sink; here the caller does so.
        final var open = new RDFChangesWrapper(sink) {
            @Override
            public void start() {}

            @Override
            public void finish() {}
        };
        switch (format) {
            case "changes" -> JsonChanges.read(input, open);
            case "jellyp" -> new PatchReader(open).read(input);
            case "rdfp" -> new RDFPatchReaderText(input).apply(open);
            case "rdfpb" -> RDFPatchReaderBinary.read(input, open);
            default -> throw new IllegalArgumentException("no format of changes: " + format);
        }
    }

    static RDFChanges writer(Request request, OutputStream output) {
        return switch (request.get("to")) {
            case "changes" -> new JsonChanges(output);
            // The headers of one patch, which Jena stores by key.
            case "headers" -> new RDFChangesCollector() {
                @Override
                public void finish() {
                    final var json = new JsonChanges(output);
                    getRDFPatch().header().apply(json);
                    json.finish();
                }
            };
            case "jellyp" -> new PatchWriter(PatchOptions.of(request), request.rows(), request.is("delimited"), output);
            case "rdfp" -> RDFPatchOps.textWriter(output);
            case "rdfpb" -> new RDFChangesWriterBinary(TRDF.protocol(output));
            default -> throw new IllegalArgumentException("no format of changes: " + request.get("to"));
        };
    }
}
