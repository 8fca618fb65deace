package interop;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.apache.jena.graph.Node;

/** A file of JSON arrays, one per line; each array starts with a string. */
final class JsonLines {

    private final Writer text;
    private final JsonWriter json;

    JsonLines(OutputStream output) {
        text = new BufferedWriter(new OutputStreamWriter(output, StandardCharsets.UTF_8));
        json = new JsonWriter(text);
        json.setStrictness(Strictness.LENIENT);
        json.setHtmlSafe(false);
        json.setSerializeNulls(true);
    }

    /** Write a line with a name, strings (or nulls), and terms (or nulls). */
    void write(String name, String[] strings, Node... terms) {
        try {
            json.beginArray().value(name);
            for (final var string : strings) {
                json.value(string);
            }
            for (final var term : terms) {
                JsonTerms.write(json, term);
            }
            json.endArray();
            text.write('\n');
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    void flush() {
        try {
            text.flush();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Reads the items of a line that follow its name. */
    interface Line {
        void read(String name, JsonReader json) throws IOException;
    }

    static void read(InputStream input, Line line) throws IOException {
        final var text = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        text.mark(1);
        if (text.read() < 0) {
            return;
        }
        text.reset();
        final var json = new JsonReader(text);
        // Otherwise reading would end after the first line.
        json.setStrictness(Strictness.LENIENT);
        while (json.peek() != JsonToken.END_DOCUMENT) {
            json.beginArray();
            line.read(json.nextString(), json);
            json.endArray();
        }
    }
}
