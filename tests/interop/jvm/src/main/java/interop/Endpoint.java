package interop;

import org.apache.jena.fuseki.main.FusekiServer;
import org.apache.jena.sparql.core.DatasetGraphFactory;

/**
 * Runs Apache Jena Fuseki on the loopback interface until its input ends: with a dataset in memory or,
 * given arguments, on a port and with a configuration file.
 */
public final class Endpoint {
    private Endpoint() {}

    public static void main(String[] arguments) throws Exception {
        FusekiServer.Builder builder = FusekiServer.create().loopback(true);
        if (arguments.length == 0) {
            builder.port(0).add("/data", DatasetGraphFactory.createTxnMem());
        } else {
            builder.port(Integer.parseInt(arguments[0])).parseConfigFile(arguments[1]);
        }
        FusekiServer server = builder.build();
        server.start();
        System.out.println(server.datasetURL("/data"));
        while (System.in.read() >= 0) {
            continue;
        }
        server.stop();
    }
}
