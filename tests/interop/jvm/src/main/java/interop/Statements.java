package interop;

import eu.neverblink.jelly.convert.jena.JenaConverterFactory;
import eu.neverblink.jelly.convert.jena.riot.JellyFormatVariant;
import eu.neverblink.jelly.convert.jena.riot.JellyLanguage;
import eu.neverblink.jelly.convert.jena.riot.JellyStreamWriter;
import eu.neverblink.jelly.core.JellyConstants;
import eu.neverblink.jelly.core.proto.v1.LogicalStreamType;
import eu.neverblink.jelly.core.proto.v1.PhysicalStreamType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.jena.atlas.io.AWriter;
import org.apache.jena.atlas.io.IO;
import org.apache.jena.atlas.lib.CharSpace;
import org.apache.jena.graph.Node;
import org.apache.jena.riot.Lang;
import org.apache.jena.riot.RDFFormat;
import org.apache.jena.riot.RDFParser;
import org.apache.jena.riot.lang.LabelToNode;
import org.apache.jena.riot.out.NodeFormatterNT;
import org.apache.jena.riot.system.ErrorHandlerFactory;
import org.apache.jena.riot.system.StreamRDF;
import org.apache.jena.riot.system.StreamRDFWriter;
import org.apache.jena.riot.writer.WriterStreamRDFPlain;

/** The formats of statements. */
final class Statements {

    private Statements() {}

    static void read(String format, InputStream input, StreamRDF sink) throws IOException {
        switch (format) {
            case "statements" -> JsonStatements.read(input, sink);
            case "jelly" -> parse(JellyLanguage.JELLY, input, sink);
            case "nq" -> parse(Lang.NQUADS, input, sink);
            case "rt" -> parse(Lang.RDFTHRIFT, input, sink);
            case "rpb" -> parse(Lang.RDFPROTO, input, sink);
            default -> throw new IllegalArgumentException("no format of statements: " + format);
        }
    }

    /** Keep labels of blank nodes, and accept invalid IRIs and literals. */
    private static void parse(Lang language, InputStream input, StreamRDF sink) {
        RDFParser.create()
            .source(input)
            .lang(language)
            .labelToNode(LabelToNode.createUseLabelAsGiven())
            .checking(false)
            .errorHandler(ErrorHandlerFactory.errorHandlerStrictNoLogging)
            .parse(sink);
    }

    static StreamRDF writer(Request request, OutputStream output) {
        return switch (request.get("to")) {
            case "statements" -> new JsonStatements(output);
            case "jelly" -> jellyWriter(request, output);
            case "nq" -> plainWriter(output);
            case "rt" -> StreamRDFWriter.getWriterStream(
                output, request.is("values") ? RDFFormat.RDF_THRIFT_VALUES : RDFFormat.RDF_THRIFT
            );
            case "rpb" -> StreamRDFWriter.getWriterStream(
                output, request.is("values") ? RDFFormat.RDF_PROTO_VALUES : RDFFormat.RDF_PROTO
            );
            default -> throw new IllegalArgumentException("no format of statements: " + request.get("to"));
        };
    }

    private static StreamRDF plainWriter(OutputStream output) {
        final AWriter text = IO.wrapUTF8(output);
        // Jena's own formatter encodes labels, so that any label is valid.
        final var format = new NodeFormatterNT(CharSpace.UTF8) {
            @Override
            public void formatBNode(AWriter writer, Node node) {
                writer.print("_:");
                writer.print(node.getBlankNodeLabel());
            }
        };
        return new WriterStreamRDFPlain(text, format) {
            @Override
            public void finish() {
                super.finish();
                text.flush();
            }
        };
    }

    private static StreamRDF jellyWriter(Request request, OutputStream output) {
        final var physical = PhysicalStreamType.valueOf(request.get("statements"));
        final var namespaces = request.is("namespaces");
        final var options = request
            .preset()
            .clone()
            .setPhysicalType(physical)
            .setLogicalType(
                physical == PhysicalStreamType.TRIPLES ? LogicalStreamType.FLAT_TRIPLES : LogicalStreamType.FLAT_QUADS
            )
            .setVersion(namespaces ? JellyConstants.PROTO_VERSION_1_1_X : JellyConstants.PROTO_VERSION_1_0_X);
        if (physical == PhysicalStreamType.GRAPHS) {
            return new GraphsWriter(options, namespaces, request.rows(), request.is("delimited"), output);
        }
        final var variant = JellyFormatVariant.builder()
            .options(options)
            .frameSize(request.rows())
            .enableNamespaceDeclarations(namespaces)
            .isDelimited(request.is("delimited"))
            .build();
        return JellyStreamWriter.create(JenaConverterFactory.getInstance(), variant, output);
    }
}
