package interop;

import eu.neverblink.jelly.core.proto.v1.patch.PatchStatementType;
import eu.neverblink.jelly.core.proto.v1.patch.PatchStreamType;
import eu.neverblink.jelly.core.proto.v1.patch.RdfPatchOptions;

/** Jelly-JVM's options of a Jelly-Patch stream. */
record PatchOptions(RdfPatchOptions message) {
    static PatchOptions of(Request request) {
        final var preset = request.preset();
        return new PatchOptions(
            RdfPatchOptions.newInstance()
                .setStatementType(PatchStatementType.valueOf(request.get("statements")))
                .setStreamType(PatchStreamType.valueOf(request.get("stream")))
                .setGeneralizedStatements(preset.getGeneralizedStatements())
                .setRdfStar(preset.getRdfStar())
                .setMaxNameTableSize(request.number("max_name_table_size").getAsInt())
                .setMaxPrefixTableSize(request.number("max_prefix_table_size").getAsInt())
                .setMaxDatatypeTableSize(request.number("max_datatype_table_size").getAsInt())
                .setVersion(request.number("version").getAsInt())
        );
    }

    /** Return the values of all fields, in the order of their numbers. */
    String[] values() {
        return new String[] {
            String.valueOf(message.getStatementTypeValue()),
            String.valueOf(message.getStreamTypeValue()),
            String.valueOf(message.getGeneralizedStatements()),
            String.valueOf(message.getRdfStar()),
            String.valueOf(message.getMaxNameTableSize()),
            String.valueOf(message.getMaxPrefixTableSize()),
            String.valueOf(message.getMaxDatatypeTableSize()),
            String.valueOf(message.getVersion()),
        };
    }
}
