package interop;

import com.google.protobuf.CodedOutputStream;
import eu.neverblink.jelly.core.proto.v1.RdfDefaultGraph;
import eu.neverblink.jelly.core.proto.v1.RdfIri;
import eu.neverblink.jelly.core.proto.v1.RdfLiteral;
import eu.neverblink.protoc.java.runtime.ProtoMessage;
import java.io.IOException;

/** A row of Jelly-Patch: the field of an RdfPatchRow that is set, and its message. */
interface PatchRow {
    int OPTIONS = 1;
    int STATEMENT_ADD = 2;
    int STATEMENT_DELETE = 3;
    int NAMESPACE_ADD = 4;
    int NAMESPACE_DELETE = 5;
    int TRANSACTION_START = 6;
    int TRANSACTION_COMMIT = 7;
    int TRANSACTION_ABORT = 8;
    int NAME = 11;
    int PREFIX = 12;
    int DATATYPE = 13;
    int HEADER = 14;
    int PUNCTUATION = 15;

    /** The number of the field. */
    int field();

    /** The size of the message in bytes. */
    int size();

    void writeTo(CodedOutputStream output) throws IOException;

    /** A message that is also in Jelly-RDF. */
    record Message(int field, ProtoMessage<?> message, int size) implements PatchRow {
        Message(int field, ProtoMessage<?> message) {
            // Computing the size makes the message cache the sizes of its parts, which writing needs.
            this(field, message, message.getSerializedSize());
        }

        @Override
        public void writeTo(CodedOutputStream output) throws IOException {
            message.writeTo(output);
        }
    }

    /** A message without fields. */
    record Empty(int field) implements PatchRow {
        @Override
        public int size() {
            return 0;
        }

        @Override
        public void writeTo(CodedOutputStream output) {}
    }

    /** RdfPatchNamespace; value and graph may be null. */
    record Namespace(int field, String name, RdfIri value, Object graph) implements PatchRow {
        private static final int FIRST_OF_GRAPH = 3;

        @Override
        public int size() {
            int size = name.isEmpty() ? 0 : CodedOutputStream.computeStringSize(1, name);
            if (value != null) {
                size += messageSize(2, value);
            }
            return graph == null ? size : size + termSize(FIRST_OF_GRAPH + kindOfGraph(), graph);
        }

        @Override
        public void writeTo(CodedOutputStream output) throws IOException {
            if (!name.isEmpty()) {
                output.writeString(1, name);
            }
            if (value != null) {
                writeTerm(output, 2, value);
            }
            if (graph != null) {
                writeTerm(output, FIRST_OF_GRAPH + kindOfGraph(), graph);
            }
        }

        private int kindOfGraph() {
            return graph instanceof RdfIri ? 0 : graph instanceof String ? 1 : graph instanceof RdfDefaultGraph ? 2 : 3;
        }
    }

    /** RdfPatchHeader. */
    record Header(String key, Object value) implements PatchRow {
        @Override
        public int field() {
            return HEADER;
        }

        @Override
        public int size() {
            return (key.isEmpty() ? 0 : CodedOutputStream.computeStringSize(1, key)) + termSize(fieldOfValue(), value);
        }

        @Override
        public void writeTo(CodedOutputStream output) throws IOException {
            if (!key.isEmpty()) {
                output.writeString(1, key);
            }
            writeTerm(output, fieldOfValue(), value);
        }

        private int fieldOfValue() {
            return value instanceof RdfIri ? 2 : value instanceof String ? 3 : value instanceof RdfLiteral ? 4 : 5;
        }
    }

    /** The size of a term as a field: a blank node's label is a string, any other term a message. */
    private static int termSize(int field, Object term) {
        if (term instanceof String label) {
            return CodedOutputStream.computeStringSize(field, label);
        }
        return messageSize(field, (ProtoMessage<?>) term);
    }

    private static int messageSize(int field, ProtoMessage<?> message) {
        final int size = message.getSerializedSize();
        return CodedOutputStream.computeTagSize(field) + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
    }

    private static void writeTerm(CodedOutputStream output, int field, Object term) throws IOException {
        if (term instanceof String label) {
            output.writeString(field, label);
            return;
        }
        final var message = (ProtoMessage<?>) term;
        output.writeTag(field, 2);
        output.writeUInt32NoTag(message.getSerializedSize());
        message.writeTo(output);
    }
}
