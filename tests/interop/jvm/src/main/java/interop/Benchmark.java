package interop;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.jena.atlas.iterator.Iter;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.Triple;
import org.apache.jena.rdfpatch.RDFChanges;
import org.apache.jena.rdfpatch.changes.RDFChangesApply;
import org.apache.jena.rdfpatch.changes.RDFChangesBase;
import org.apache.jena.rdfpatch.changes.RDFChangesCounter;
import org.apache.jena.riot.system.StreamRDF;
import org.apache.jena.riot.system.StreamRDFBase;
import org.apache.jena.riot.system.StreamRDFLib;
import org.apache.jena.sparql.core.DatasetGraph;
import org.apache.jena.sparql.core.DatasetGraphFactory;
import org.apache.jena.sparql.core.Quad;
import org.apache.jena.sys.JenaSystem;
import org.apache.jena.system.Txn;

/**
 * Times readers, writers and datasets. Each line of the input is a {@link Request}; the answer is
 * "ok NANOSECONDS COUNT".
 *
 * <p>A "read" request has "from" and "in" and counts statements. A "write" request has "to" and the options of a
 * conversion; it writes the data that a "load" request, with "from" and "in", has read into memory, and counts
 * bytes. An "apply" request, with "from" and "in", applies changes to a new dataset of the kind "to" ("txnmem" or
 * "general") and counts the quads in the dataset afterwards. A "convert" request does what {@link Server} does.
 */
public final class Benchmark {

    private Path path;
    private byte[] data;
    private Path loaded;
    private final List<Row<RDFChanges>> changes = new ArrayList<>();
    private final List<Row<StreamRDF>> statements = new ArrayList<>();

    /** A row that was read, which can be passed to a writer. */
    @FunctionalInterface
    private interface Row<T> {
        void tell(T sink);
    }

    public static void main(String[] arguments) throws IOException {
        JenaSystem.init();
        final var benchmark = new Benchmark();
        final var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        final var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            answers.println(benchmark.answer(Request.parse(line)));
        }
    }

    private String answer(Request request) {
        try {
            return switch (request.get("task")) {
                case "read" -> read(request);
                case "load" -> load(request);
                case "write" -> write(request);
                case "apply" -> apply(request);
                case "convert" -> convert(request);
                default -> throw new IllegalArgumentException("no task: " + request.get("task"));
            };
        } catch (Exception error) {
            return "error " + String.valueOf(error).replaceAll("[\r\n]+", " ");
        }
    }

    private String read(Request request) throws IOException {
        open(request);
        final var from = request.get("from");
        final var input = new ByteArrayInputStream(data);
        System.gc();
        final long start = System.nanoTime();
        final long count;
        if (Changes.FORMATS.contains(from)) {
            final var counter = new RDFChangesCounter();
            Changes.read(from, input, counter);
            count = counter.summary().countAddData + counter.summary().countDeleteData;
        } else {
            final var counter = StreamRDFLib.count();
            Statements.read(from, input, counter);
            count = counter.countTriples() + counter.countQuads();
        }
        return "ok " + (System.nanoTime() - start) + " " + count;
    }

    private String load(Request request) throws IOException {
        if (request.path("in").equals(loaded)) {
            return "ok 0 " + (changes.size() + statements.size());
        }
        open(request);
        unload();
        loaded = path;
        final var from = request.get("from");
        final var input = new ByteArrayInputStream(data);
        if (Changes.FORMATS.contains(from)) {
            Changes.read(from, input, new Recorder(changes));
        } else {
            Statements.read(from, input, recorder());
        }
        return "ok 0 " + (changes.size() + statements.size());
    }

    private String write(Request request) throws IOException {
        final var output = new Counter();
        System.gc();
        final long start = System.nanoTime();
        if (Changes.FORMATS.contains(request.get("to"))) {
            final var writer = Changes.writer(request, output);
            writer.start();
            for (final var change : changes) {
                change.tell(writer);
            }
            writer.finish();
        } else {
            final var writer = Statements.writer(request, output);
            writer.start();
            for (final var statement : statements) {
                statement.tell(writer);
            }
            writer.finish();
        }
        return "ok " + (System.nanoTime() - start) + " " + output.count;
    }

    private String apply(Request request) throws IOException {
        open(request);
        // Loaded data would only cause work for the garbage collector.
        unload();
        final var input = new ByteArrayInputStream(data);
        final var dataset = dataset(request.get("to"));
        final var sink = new RDFChangesApply(dataset);
        System.gc();
        final long start = System.nanoTime();
        sink.start();
        Changes.read(request.get("from"), input, sink);
        sink.finish();
        final long time = System.nanoTime() - start;
        return "ok " + time + " " + Txn.calculateRead(dataset, () -> Iter.count(dataset.find()));
    }

    private static DatasetGraph dataset(String name) {
        return switch (name) {
            case "txnmem" -> DatasetGraphFactory.createTxnMem();
            case "general" -> DatasetGraphFactory.create();
            default -> throw new IllegalArgumentException("no dataset: " + name);
        };
    }

    private static String convert(Request request) throws IOException {
        Conversion.run(request);
        return "ok 0 0";
    }

    private void open(Request request) throws IOException {
        final var wanted = request.path("in");
        if (!wanted.equals(path)) {
            data = Files.readAllBytes(wanted);
            path = wanted;
        }
    }

    private void unload() {
        loaded = null;
        changes.clear();
        statements.clear();
    }

    private StreamRDF recorder() {
        return new StreamRDFBase() {
            @Override
            public void triple(Triple triple) {
                statements.add(sink -> sink.triple(triple));
            }

            @Override
            public void quad(Quad quad) {
                statements.add(sink -> sink.quad(quad));
            }
        };
    }

    /** Counts the bytes and discards them. */
    private static final class Counter extends OutputStream {

        private long count;

        @Override
        public void write(int value) {
            count++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            count += length;
        }
    }

    /** Records changes of statements, and transactions. */
    private static final class Recorder extends RDFChangesBase {

        private final List<Row<RDFChanges>> rows;

        Recorder(List<Row<RDFChanges>> rows) {
            this.rows = rows;
        }

        @Override
        public void add(Node g, Node s, Node p, Node o) {
            rows.add(sink -> sink.add(g, s, p, o));
        }

        @Override
        public void delete(Node g, Node s, Node p, Node o) {
            rows.add(sink -> sink.delete(g, s, p, o));
        }

        @Override
        public void txnBegin() {
            rows.add(RDFChanges::txnBegin);
        }

        @Override
        public void txnCommit() {
            rows.add(RDFChanges::txnCommit);
        }

        @Override
        public void segment() {
            rows.add(RDFChanges::segment);
        }
    }
}
