package interop;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import eu.neverblink.jelly.core.JellyOptions;
import eu.neverblink.jelly.core.internal.BaseJellyOptions;
import eu.neverblink.jelly.core.internal.proto.OptionsBase;
import eu.neverblink.jelly.core.proto.v1.RdfStreamOptions;
import java.io.IOException;

/** Options of a Jelly-Patch stream: the message RdfPatchOptions. */
record PatchOptions(int statementType, int streamType, RdfStreamOptions common) implements OptionsBase, PatchRow {
    static final int TRIPLES = 1;
    static final int QUADS = 2;
    static final int FRAME = 1;
    static final int FLAT = 2;
    static final int PUNCTUATED = 3;
    private static final int VERSION = 1;

    static PatchOptions of(Request request) {
        final int statementType = switch (request.get("statements")) {
            case "TRIPLES" -> TRIPLES;
            case "QUADS" -> QUADS;
            default -> throw new IllegalArgumentException("no type of statements: " + request.get("statements"));
        };
        final int streamType = switch (request.get("stream")) {
            case "FRAME" -> FRAME;
            case "FLAT" -> FLAT;
            case "PUNCTUATED" -> PUNCTUATED;
            default -> throw new IllegalArgumentException("no type of stream: " + request.get("stream"));
        };
        final var common = request.preset().clone().setVersion(VERSION);
        request.number("max_name_table_size").ifPresent(common::setMaxNameTableSize);
        request.number("max_prefix_table_size").ifPresent(common::setMaxPrefixTableSize);
        request.number("max_datatype_table_size").ifPresent(common::setMaxDatatypeTableSize);
        request.number("version").ifPresent(common::setVersion);
        return new PatchOptions(statementType, streamType, common);
    }

    /** Read a message up to the input's limit, and check it as Jelly-JVM does by default. */
    static PatchOptions parse(CodedInputStream input) throws IOException {
        final var common = RdfStreamOptions.newInstance();
        int statementType = 0;
        int streamType = 0;
        for (int tag; (tag = input.readTag()) != 0; ) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> statementType = input.readEnum();
                case 2 -> streamType = input.readEnum();
                case 3 -> common.setGeneralizedStatements(input.readBool());
                case 4 -> common.setRdfStar(input.readBool());
                case 9 -> common.setMaxNameTableSize(input.readUInt32());
                case 10 -> common.setMaxPrefixTableSize(input.readUInt32());
                case 11 -> common.setMaxDatatypeTableSize(input.readUInt32());
                case 15 -> common.setVersion(input.readUInt32());
                default -> input.skipField(tag);
            }
        }
        BaseJellyOptions.checkBaseCompatibility(common, JellyOptions.DEFAULT_SUPPORTED_OPTIONS, VERSION);
        if (statementType < TRIPLES || statementType > QUADS || streamType < FRAME || streamType > PUNCTUATED) {
            throw new IOException("unknown types: statements " + statementType + ", stream " + streamType);
        }
        return new PatchOptions(statementType, streamType, common);
    }

    /** Return the values of all fields, in the order of their numbers. */
    String[] values() {
        return new String[] {
            String.valueOf(statementType),
            String.valueOf(streamType),
            String.valueOf(getGeneralizedStatements()),
            String.valueOf(getRdfStar()),
            String.valueOf(getMaxNameTableSize()),
            String.valueOf(getMaxPrefixTableSize()),
            String.valueOf(getMaxDatatypeTableSize()),
            String.valueOf(getVersion()),
        };
    }

    @Override
    public int field() {
        return PatchRow.OPTIONS;
    }

    @Override
    public int size() {
        return (
            CodedOutputStream.computeEnumSize(1, statementType) +
            CodedOutputStream.computeEnumSize(2, streamType) +
            (getGeneralizedStatements() ? CodedOutputStream.computeBoolSize(3, true) : 0) +
            (getRdfStar() ? CodedOutputStream.computeBoolSize(4, true) : 0) +
            uint32Size(9, getMaxNameTableSize()) +
            uint32Size(10, getMaxPrefixTableSize()) +
            uint32Size(11, getMaxDatatypeTableSize()) +
            uint32Size(15, getVersion())
        );
    }

    @Override
    public void writeTo(CodedOutputStream output) throws IOException {
        output.writeEnum(1, statementType);
        output.writeEnum(2, streamType);
        if (getGeneralizedStatements()) {
            output.writeBool(3, true);
        }
        if (getRdfStar()) {
            output.writeBool(4, true);
        }
        writeUInt32(output, 9, getMaxNameTableSize());
        writeUInt32(output, 10, getMaxPrefixTableSize());
        writeUInt32(output, 11, getMaxDatatypeTableSize());
        writeUInt32(output, 15, getVersion());
    }

    private static int uint32Size(int field, int value) {
        return value == 0 ? 0 : CodedOutputStream.computeUInt32Size(field, value);
    }

    private static void writeUInt32(CodedOutputStream output, int field, int value) throws IOException {
        if (value != 0) {
            output.writeUInt32(field, value);
        }
    }

    @Override
    public boolean getGeneralizedStatements() {
        return common.getGeneralizedStatements();
    }

    @Override
    public boolean getRdfStar() {
        return common.getRdfStar();
    }

    @Override
    public int getVersion() {
        return common.getVersion();
    }

    @Override
    public int getMaxNameTableSize() {
        return common.getMaxNameTableSize();
    }

    @Override
    public int getMaxPrefixTableSize() {
        return common.getMaxPrefixTableSize();
    }

    @Override
    public int getMaxDatatypeTableSize() {
        return common.getMaxDatatypeTableSize();
    }
}
