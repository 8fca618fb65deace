package interop;

import eu.neverblink.jelly.core.JellyOptions;
import eu.neverblink.jelly.core.proto.v1.RdfStreamOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A request for a conversion: fields "name=value", separated by tabs.
 *
 * <p>"from" and "to" are formats, "in" and "out" are paths. Other fields apply to Jelly output: "stream" (FRAME,
 * FLAT, PUNCTUATED) and "statements" (TRIPLES, QUADS; in a .jelly file also GRAPHS), "preset" (of
 * {@link JellyOptions}, such as "SMALL_STRICT"), "rows" of a frame, "delimited", "namespaces" (in a .jelly file),
 * and, for patches, "version" and the sizes of lookups by their names in the schema, which replace the preset's.
 * For .rt and .rpb there is "values": whether numbers are written by their value.
 */
record Request(Map<String, String> fields) {
    static Request parse(String line) {
        final var fields = new HashMap<String, String>();
        for (final var field : line.split("\t")) {
            final int sign = field.indexOf('=');
            fields.put(field.substring(0, sign), field.substring(sign + 1));
        }
        return new Request(fields);
    }

    String get(String name) {
        final var value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no " + name + " in the request");
        }
        return value;
    }

    Path path(String name) {
        return Path.of(get(name));
    }

    int rows() {
        return Integer.parseInt(get("rows"));
    }

    OptionalInt number(String name) {
        final var value = fields.get(name);
        return value == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(value));
    }

    boolean is(String name) {
        return Boolean.parseBoolean(get(name));
    }

    RdfStreamOptions preset() {
        return switch (get("preset")) {
            case "SMALL_STRICT" -> JellyOptions.SMALL_STRICT;
            case "SMALL_GENERALIZED" -> JellyOptions.SMALL_GENERALIZED;
            case "SMALL_RDF_STAR" -> JellyOptions.SMALL_RDF_STAR;
            case "SMALL_ALL_FEATURES" -> JellyOptions.SMALL_ALL_FEATURES;
            case "BIG_STRICT" -> JellyOptions.BIG_STRICT;
            case "BIG_GENERALIZED" -> JellyOptions.BIG_GENERALIZED;
            case "BIG_RDF_STAR" -> JellyOptions.BIG_RDF_STAR;
            case "BIG_ALL_FEATURES" -> JellyOptions.BIG_ALL_FEATURES;
            default -> throw new IllegalArgumentException("no such preset: " + get("preset"));
        };
    }
}
