import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A server for the JVM: --serve "java -cp any.jar Runner.java a.package.Codec".
 *
 * <p>The class has the static methods String decode(byte[]) and byte[] encode(String). To refuse a file, they throw an
 * exception; UnsupportedOperationException means that the file is not supported.
 */
public final class Runner {

    public static void main(String[] arguments) throws Exception {
        Class<?> codec = Class.forName(arguments[0]);
        Method decode = codec.getMethod("decode", byte[].class);
        Method encode = codec.getMethod("encode", String.class);
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            String[] words = line.split("\t");
            Path file = Path.of(words[1]);
            try {
                byte[] output = words[0].equals("decode")
                    ? ((String) decode.invoke(null, Files.readAllBytes(file))).getBytes(StandardCharsets.UTF_8)
                    : (byte[]) encode.invoke(null, Files.readString(file));
                Files.write(Path.of(words[2]), output);
                answers.println("ok");
            } catch (InvocationTargetException thrown) {
                Throwable error = thrown.getCause();
                String word = error instanceof UnsupportedOperationException ? "unsupported" : "refused";
                // An error of the JVM, such as a stack overflow, is not a refusal.
                answers.println((error instanceof Error ? "crashed" : word) + " " + oneLine(error));
            }
        }
    }

    private static String oneLine(Throwable error) {
        return error.toString().replaceAll("\\s+", " ");
    }
}
