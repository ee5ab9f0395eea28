package io.policyscheduler.tests.hostile;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.UncheckedIOException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One row of the corpus.
 *
 * @param name the fault, in lower case with hyphens; also the name of the object
 * @param resource plural name of its kind
 * @param object as the server would send it
 */
record HostileObject(String name, String resource, ObjectNode object) {
    /** The namespace of all rows. */
    static final String NAMESPACE = "hostile";
    /** The node of running hostile pods; normal pods fit on others. */
    static final String NODE = "hostage";

    private static final ObjectMapper MAPPER = new ObjectMapper(ClusterFile.jsonFactory());

    @Override
    public String toString() {
        return resource + " " + name;
    }

    /** JSON with single quotes. */
    static ObjectNode json(String text) {
        try {
            return (ObjectNode) MAPPER.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An object with a namespace and these fields besides its metadata. */
    static HostileObject of(String resource, String name, String fields) {
        ObjectNode object = json(fields);
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("name", name);
        boolean isGlobal = switch (resource) {
            case "nodes", "persistentvolumes", "storageclasses", "csinodes", "csidrivers", "namespaces" -> true;
            default -> false;
        };
        if (!isGlobal) {
            metadata.put("namespace", NAMESPACE);
        }
        metadata.put("uid", "uid-" + resource + "-" + name);
        return new HostileObject(name, resource, object);
    }

    /** An object with a raw text, which no JSON tree can represent, in place of a field of the spec. */
    HostileObject withRaw(String field, String raw) {
        object.withObject("/spec").putRawValue(field, new RawValue(raw));
        return this;
    }

    /** An object with a raw text, which no JSON tree can represent, in place of a field of the metadata. */
    HostileObject withRawMetadata(String field, String raw) {
        object.withObject("/metadata").putRawValue(field, new RawValue(raw));
        return this;
    }

    /** Repeats {@code text}, separated by commas, with each {@code #} replaced by the number. */
    static String times(int count, String text) {
        return IntStream.range(0, count)
                .mapToObj(i -> text.replace("#", Integer.toString(i)))
                .collect(Collectors.joining(","));
    }
}
