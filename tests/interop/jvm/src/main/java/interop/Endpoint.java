package interop;

import org.apache.jena.fuseki.main.FusekiServer;
import org.apache.jena.sparql.core.DatasetGraphFactory;

/** Apache Jena Fuseki with a dataset in memory, on this machine alone, as long as its input is open. */
public final class Endpoint {
    private Endpoint() {}

    public static void main(String[] arguments) throws Exception {
        FusekiServer server = FusekiServer.create()
                .port(0)
                .loopback(true)
                .add("/data", DatasetGraphFactory.createTxnMem())
                .build();
        server.start();
        System.out.println(server.datasetURL("/data"));
        while (System.in.read() >= 0) {
            continue;
        }
        server.stop();
    }
}
