package interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.jena.sys.JenaSystem;

/** Converts files. Each line of the input is a {@link Request}; the answer is "ok" or "error ...". */
public final class Server {

    private Server() {}

    public static void main(String[] arguments) throws IOException {
        JenaSystem.init();
        final var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        final var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            answers.println(answer(line));
        }
    }

    private static String answer(String line) {
        try {
            Conversion.run(Request.parse(line));
            return "ok";
        } catch (Exception | StackOverflowError error) {
            final var text = error.getClass().getSimpleName() + ": " + error.getMessage();
            return "error " + text.replaceAll("[\r\n]+", " ");
        }
    }
}
