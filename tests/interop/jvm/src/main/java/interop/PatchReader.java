package interop;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import eu.neverblink.jelly.convert.jena.JenaConverterFactory;
import eu.neverblink.jelly.core.internal.DecoderBase;
import eu.neverblink.jelly.core.internal.proto.GraphBase;
import eu.neverblink.jelly.core.proto.v1.RdfDatatypeEntry;
import eu.neverblink.jelly.core.proto.v1.RdfDefaultGraph;
import eu.neverblink.jelly.core.proto.v1.RdfIri;
import eu.neverblink.jelly.core.proto.v1.RdfLiteral;
import eu.neverblink.jelly.core.proto.v1.RdfNameEntry;
import eu.neverblink.jelly.core.proto.v1.RdfPrefixEntry;
import eu.neverblink.jelly.core.proto.v1.RdfQuad;
import eu.neverblink.jelly.core.proto.v1.RdfTriple;
import eu.neverblink.jelly.core.utils.IoUtils;
import eu.neverblink.protoc.java.runtime.ProtoMessage;
import java.io.IOException;
import java.io.InputStream;
import org.apache.jena.datatypes.RDFDatatype;
import org.apache.jena.graph.Node;
import org.apache.jena.rdfpatch.RDFChanges;
import org.apache.jena.rdfpatch.changes.RDFChangesCollector;

/**
 * Reads Jelly-Patch. Jelly-JVM's code detects whether a stream is delimited, and reads quads, terms, lookups and
 * repeated terms. This class parses frames and rows.
 */
public final class PatchReader extends DecoderBase<Node, RDFDatatype> {

    /** The tag of field 1 with wire type LEN. */
    private static final int ROW_TAG = 10;

    private final RDFChanges sink;
    private PatchOptions options;

    PatchReader(RDFChanges sink) {
        super(JenaConverterFactory.getInstance().decoderConverter());
        this.sink = sink;
    }

    /** Read a whole stream and return its options. */
    static PatchOptions readOptions(InputStream file) throws IOException {
        final var reader = new PatchReader(new RDFChangesCollector());
        reader.read(file);
        if (reader.options == null) {
            throw new IOException("no options");
        }
        return reader.options;
    }

    void read(InputStream file) throws IOException {
        final var found = IoUtils.autodetectDelimiting(file);
        final var input = CodedInputStream.newInstance(found.newInput(), 1 << 16);
        input.setSizeLimit(Integer.MAX_VALUE);
        if (!found.isDelimited()) {
            readFrame(input);
            return;
        }
        while (!input.isAtEnd()) {
            final int limit = input.pushLimit(input.readRawVarint32());
            readFrame(input);
            if (input.getBytesUntilLimit() != 0) {
                throw new IOException("a frame is cut off");
            }
            input.popLimit(limit);
            input.resetSizeCounter();
        }
    }

    private void readFrame(CodedInputStream input) throws IOException {
        for (int tag; (tag = input.readTag()) != 0; ) {
            if (tag == ROW_TAG) {
                final int limit = input.pushLimit(input.readRawVarint32());
                readRow(input);
                input.popLimit(limit);
            } else if (WireFormat.getTagFieldNumber(tag) == WireFormat.getTagFieldNumber(ROW_TAG)) {
                throw new IOException("not a row: tag " + tag);
            } else {
                input.skipField(tag);
            }
        }
        if (options != null && options.streamType() == PatchOptions.FRAME) {
            sink.segment();
        }
    }

    /** Read a row up to the input's limit: nearly all rows have one field, which needs no copy. */
    private void readRow(CodedInputStream input) throws IOException {
        final int tag = input.readTag();
        if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            final int size = input.readRawVarint32();
            if (size == input.getBytesUntilLimit()) {
                readMessage(WireFormat.getTagFieldNumber(tag), input);
                if (!input.isAtEnd()) {
                    throw new IOException("bytes are left over in a row");
                }
                return;
            }
            readRowOfMoreFields(WireFormat.getTagFieldNumber(tag), input.readRawBytes(size), input);
        } else {
            input.skipField(tag);
            readRowOfMoreFields(0, new byte[0], input);
        }
    }

    /** As in protobuf, the last member of the oneof counts, and repeated messages are merged. */
    private void readRowOfMoreFields(int first, byte[] bytes, CodedInputStream input) throws IOException {
        int field = isKnown(first) ? first : 0;
        var content = ByteString.copyFrom(bytes);
        for (int tag; (tag = input.readTag()) != 0; ) {
            final int number = WireFormat.getTagFieldNumber(tag);
            if (isKnown(number)) {
                final var more = input.readBytes();
                content = number == field ? content.concat(more) : more;
                field = number;
            } else {
                input.skipField(tag);
            }
        }
        readMessage(field, content.newCodedInput());
    }

    private static boolean isKnown(int field) {
        return field >= PatchRow.OPTIONS && field <= PatchRow.PUNCTUATION && field != 9 && field != 10;
    }

    private void readMessage(int field, CodedInputStream input) throws IOException {
        if (options == null && field != PatchRow.OPTIONS) {
            throw new IOException("no options");
        }
        switch (field) {
            case PatchRow.OPTIONS -> {
                final var found = PatchOptions.parse(input);
                options = options == null ? found : options;
            }
            case PatchRow.STATEMENT_ADD, PatchRow.STATEMENT_DELETE -> readStatement(field, input);
            case PatchRow.NAMESPACE_ADD, PatchRow.NAMESPACE_DELETE -> readNamespace(field, input);
            case PatchRow.TRANSACTION_START -> sink.txnBegin();
            case PatchRow.TRANSACTION_COMMIT -> sink.txnCommit();
            case PatchRow.TRANSACTION_ABORT -> sink.txnAbort();
            case PatchRow.NAME -> getNameDecoder().updateNames(merge(RdfNameEntry.newInstance(), input));
            case PatchRow.PREFIX -> getNameDecoder().updatePrefixes(merge(RdfPrefixEntry.newInstance(), input));
            case PatchRow.DATATYPE -> {
                final var entry = merge(RdfDatatypeEntry.newInstance(), input);
                getDatatypeLookup().update(entry.getId(), converter.makeDatatype(entry.getValue()));
            }
            case PatchRow.HEADER -> readHeader(input);
            case PatchRow.PUNCTUATION -> {
                if (options.streamType() != PatchOptions.PUNCTUATED) {
                    throw new IOException("punctuation in a stream of another type");
                }
                sink.segment();
            }
            default -> throw new IOException("not a row: field " + field);
        }
    }

    private void readStatement(int field, CodedInputStream input) throws IOException {
        final var quad = merge(RdfQuad.newInstance(), input);
        final var s = convertSubjectTermWrapped(quad);
        final var p = convertPredicateTermWrapped(quad);
        final var o = convertObjectTermWrapped(quad);
        final var g = options.statementType() == PatchOptions.QUADS ? convertGraphTermWrapped(quad) : null;
        if (field == PatchRow.STATEMENT_ADD) {
            sink.add(g, s, p, o);
        } else {
            sink.delete(g, s, p, o);
        }
    }

    private void readNamespace(int field, CodedInputStream input) throws IOException {
        String prefix = "";
        RdfIri value = null;
        Object graph = null;
        for (int tag; (tag = input.readTag()) != 0; ) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> prefix = input.readStringRequireUtf8();
                case 2 -> value = inner(RdfIri.newInstance(), input);
                case 3 -> graph = inner(RdfIri.newInstance(), input);
                case 4 -> graph = input.readStringRequireUtf8();
                case 5 -> graph = inner(RdfDefaultGraph.newInstance(), input);
                case 6 -> graph = inner(RdfLiteral.newInstance(), input);
                default -> input.skipField(tag);
            }
        }
        // Convert the IRI first, since the ids of the graph's IRI may refer to it.
        final var iri = value == null ? null : convertTerm(value);
        final var term = graph;
        final GraphBase base = () -> term;
        final var name = convertGraphTermWrapped(base);
        if (field == PatchRow.NAMESPACE_DELETE) {
            sink.deletePrefix(name, prefix);
        } else if (iri == null) {
            throw new IOException("a namespace without an IRI");
        } else {
            sink.addPrefix(name, prefix, iri.getURI());
        }
    }

    private void readHeader(CodedInputStream input) throws IOException {
        String key = "";
        Object value = null;
        for (int tag; (tag = input.readTag()) != 0; ) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> key = input.readStringRequireUtf8();
                case 2 -> value = inner(RdfIri.newInstance(), input);
                case 3 -> value = input.readStringRequireUtf8();
                case 4 -> value = inner(RdfLiteral.newInstance(), input);
                case 5 -> value = inner(RdfTriple.newInstance(), input);
                default -> input.skipField(tag);
            }
        }
        sink.header(key, convertTerm(value));
    }

    /** Read a message up to the input's limit. */
    private static <T extends ProtoMessage<? super T>> T merge(T message, CodedInputStream input) throws IOException {
        message.mergeFrom(input, ProtoMessage.DEFAULT_MAX_RECURSION_DEPTH);
        return message;
    }

    /** Read a message that is preceded by its length. */
    private static <T extends ProtoMessage<? super T>> T inner(T message, CodedInputStream input) throws IOException {
        final int limit = input.pushLimit(input.readRawVarint32());
        merge(message, input);
        input.popLimit(limit);
        return message;
    }

    @Override
    protected int getNameTableSize() {
        return options.getMaxNameTableSize();
    }

    @Override
    protected int getPrefixTableSize() {
        return options.getMaxPrefixTableSize();
    }

    @Override
    protected int getDatatypeTableSize() {
        return options.getMaxDatatypeTableSize();
    }
}
