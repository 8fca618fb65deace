package interop;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;

/** Reads one format and writes another, both for changes or both for statements; or reads Jelly-Patch options. */
final class Conversion {

    private Conversion() {}

    static void run(Request request) throws IOException {
        final var from = request.get("from");
        try (
            var input = new BufferedInputStream(Files.newInputStream(request.path("in")));
            var output = new BufferedOutputStream(Files.newOutputStream(request.path("out")))
        ) {
            if (request.get("to").equals("options")) {
                final var json = new JsonLines(output);
                json.write("options", PatchReader.readOptions(input).values());
                json.flush();
            } else if (Changes.FORMATS.contains(from)) {
                final var writer = Changes.writer(request, output);
                writer.start();
                Changes.read(from, input, writer);
                writer.finish();
            } else {
                final var writer = Statements.writer(request, output);
                writer.start();
                Statements.read(from, input, writer);
                writer.finish();
            }
        }
    }
}
